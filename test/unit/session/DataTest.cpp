//===- DataTest.cpp - Arrays for the inputs of a network ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Data.h"
#include "support/diagnostics/Files.h"

#include <gtest/gtest.h>

using namespace yarrow;
using session::DataTarget;

namespace {

const DataTarget kTarget{{{"left", "l_0"}, {"right", "r_0"}}};

NpyView named(const char *name) {
  NpyView view;
  view.name = name;
  return view;
}

TEST(Data, ByNameAndInOrder) {
  DiagnosticEngine diags;
  NpyView a = named("a"), b = named("b");
  auto byName = session::bindArrays({{{"r", b}, {"left", a}}}, kTarget, diags);
  ASSERT_TRUE(byName);
  EXPECT_EQ((*byName)[0].name, "a");
  EXPECT_EQ((*byName)[1].name, "b");
  auto inOrder = session::bindArrays({{{"", b}, {"", a}}}, kTarget, diags);
  ASSERT_TRUE(inOrder);
  EXPECT_EQ((*inOrder)[0].name, "b");
}

TEST(Data, WrongNames) {
  DiagnosticEngine diags;
  EXPECT_FALSE(session::bindArrays(
      {{{"lefd", named("a")}, {"right", named("b")}}}, kTarget, diags));
  ASSERT_EQ(diags.numErrors(), 2u); // this name, and that left has no array
  EXPECT_EQ(diags.all()[0].id, diag::TensorMismatch);
  EXPECT_EQ(diags.all()[0].foundText, "lefd");
  EXPECT_NE(diags.all()[0].hintText.find("left"), std::string::npos);
  EXPECT_EQ(diags.all()[1].expectedText, "left");
}

TEST(Data, WrongNumber) {
  DiagnosticEngine diags;
  EXPECT_FALSE(session::bindArrays({{{"", named("a")}}}, kTarget, diags));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].expectedText, "2: left, right");
}

} // namespace
