//===- ArrayFilesTest.cpp - Files of arrays by their endings --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/ArrayFiles.h"

#include <gtest/gtest.h>

using namespace yarrow;

namespace {

TEST(ArrayFiles, EndingsInAnyCase) {
  EXPECT_TRUE(isNpy("a.npy"));
  EXPECT_TRUE(isNpy("folder.npz/A.NPY"));
  EXPECT_FALSE(isNpy("a.npz"));
  EXPECT_TRUE(isNpz("a.b.Npz"));
  EXPECT_FALSE(isNpz("npz"));
  EXPECT_EQ(endingOf("folder/x.BIN"), ".bin");
  EXPECT_EQ(endingOf("folder.d/x"), "");
}

} // namespace
