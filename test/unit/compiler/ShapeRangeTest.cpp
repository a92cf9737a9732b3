//===- ShapeRangeTest.cpp - Inputs of several shapes ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/model/ShapeRange.h"
#include <gtest/gtest.h>

using namespace yarrow;

namespace {

using Shapes = std::vector<graph::Shape>;

/// Of the input x, by variant; none after an error.
Shapes shapesOf(const std::vector<std::string> &ranges,
                const std::string &input = "x") {
  DiagnosticEngine diags;
  auto variants = shapeVariants({}, ranges, diags);
  EXPECT_EQ(variants.has_value(), !diags.hasErrors());
  Shapes shapes;
  if (variants)
    for (const graph::ImportOptions &variant : *variants)
      shapes.push_back(variant.shapes.at(input));
  return shapes;
}

std::string problemOfRange(const std::string &range) {
  DiagnosticEngine diags;
  EXPECT_FALSE(shapeVariants({}, {range}, diags)) << range;
  return diags.all().empty() ? "" : diags.all()[0].message;
}

} // namespace

TEST(ShapeRange, AxesOfSeveralLengthsChangeTogether) {
  EXPECT_EQ(shapesOf({"x=1,3,160..224/32,32..96/32"}),
            (Shapes{{1, 3, 160, 32}, {1, 3, 192, 64}, {1, 3, 224, 96}}));
}

TEST(ShapeRange, LengthsMayBeListed) {
  EXPECT_EQ(shapesOf({"x=1,8:64:128"}), (Shapes{{1, 8}, {1, 64}, {1, 128}}));
  EXPECT_EQ(shapesOf({"x=1:2:4..6"}), (Shapes{{1}, {2}, {4}, {5}, {6}}));
}

TEST(ShapeRange, AStepNeedNotReachTheEnd) {
  EXPECT_EQ(shapesOf({"x=10..35/10"}), (Shapes{{10}, {20}, {30}}));
  EXPECT_EQ(shapesOf({"x=7..7"}), (Shapes{{7}}));
}

TEST(ShapeRange, InputsChangeTogether) {
  std::vector<std::string> ranges = {"x=1,8:16", "mask=8:16,8:16", "k=5"};
  EXPECT_EQ(shapesOf(ranges), (Shapes{{1, 8}, {1, 16}}));
  EXPECT_EQ(shapesOf(ranges, "mask"), (Shapes{{8, 8}, {16, 16}}));
  EXPECT_EQ(shapesOf(ranges, "k"), (Shapes{{5}, {5}}));
}

TEST(ShapeRange, NamesMayHaveEqualsSigns) {
  EXPECT_EQ(shapesOf({"a=b=1..2"}, "a=b"), (Shapes{{1}, {2}}));
}

TEST(ShapeRange, WithoutRangesThereIsOne) {
  graph::ImportOptions options;
  options.shapes["x"] = {1, 2};
  DiagnosticEngine diags;
  auto variants = shapeVariants(options, {}, diags);
  ASSERT_TRUE(variants);
  ASSERT_EQ(variants->size(), 1u);
  EXPECT_EQ(variants->front().shapes.at("x"), (graph::Shape{1, 2}));
}

TEST(ShapeRange, WhatIsNoRangeIsRefused) {
  for (const char *range :
       {"",      "x",      "x=",       "=1",           "x=1,",
        "x=,1",  "x=0",    "x=-1",     "x=a",          "x=1..",
        "x=..4", "x=4..1", "x=1..4/0", "x=1..4/x",     "x=1..4/",
        "x=4:2", "x=2:2",  "x=1..3:2", "x=4294967296", "x=1 2"})
    EXPECT_EQ(problemOfRange(range), "not a name and a shape with ranges")
        << range;
}

TEST(ShapeRange, NumbersOfLengthsMustAgree) {
  EXPECT_EQ(problemOfRange("x=1:2:3,1:2"),
            "axes that change together need equally many lengths");
}

TEST(ShapeRange, ThereIsALimit) {
  EXPECT_EQ(shapesOf({"x=1..64"}).size(), 64u);
  EXPECT_EQ(problemOfRange("x=1..65"), "too many shapes for one executable");
  EXPECT_EQ(problemOfRange("x=1..2000000000"),
            "too many shapes for one executable");
}
