//===- DecisionThresholdsTest.cpp - Where a score begins to count ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/options/DecisionThresholds.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace yarrow;
using namespace testing;

TEST(DecisionThresholds, OfAllAndByName) {
  auto one = DecisionThresholds::parse("0.3");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->ofSigmoids, 0.3);
  EXPECT_THAT(one->byOutput, IsEmpty());
  auto named = DecisionThresholds::parse(" cls_8 = 0.6, -1e-1 ,a=b=2,cls_8=.5");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->ofSigmoids, -0.1);
  EXPECT_THAT(named->ofName("cls_8"), Optional(0.5)); // the last one
  EXPECT_THAT(named->ofName("a=b"), Optional(2.0));
  EXPECT_EQ(named->ofName("cls"), std::nullopt);
  auto rest = DecisionThresholds::parse("cls_8=0.6");
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->ofSigmoids, 0.5);
}

TEST(DecisionThresholds, WhatIsNone) {
  for (const char *text : {"", ",", "0.3,", "half", "nan", "inf", "=0.3",
                           "a=", "a=b", "0.3 0.4", "0x1"})
    EXPECT_FALSE(DecisionThresholds::parse(text)) << text;
}
