//===- CommandRulesTest.cpp - What engines refuse -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/CommandRules.h"
#include "gmock/gmock.h"

using namespace yarrow;
using namespace yarrow::isa;
using ::testing::HasSubstr;
using ::testing::Optional;

/// A depthwise convolution of one pixel that changes nothing.
static Conv identity() {
  Conv c;
  c.inType = c.outType = ElementType::I8;
  c.weightType = ElementType::I8;
  c.depthwise = true;
  c.inHeight = c.inWidth = c.inChannels = 1;
  c.outHeight = c.outWidth = c.outChannels = 1;
  c.kernelY = c.kernelX = c.strideY = c.strideX = 1;
  c.dilationY = c.dilationX = c.groups = 1;
  c.scale = 1;
  c.outMin = -128, c.outMax = 127;
  return c;
}

TEST(CommandRulesTest, TakesACommandThatIsOne) {
  EXPECT_EQ(refusalOf(identity()), std::nullopt);
}

TEST(CommandRulesTest, ATableHoldsAllThatItIsAskedFor) {
  Conv c = identity();
  c.hasLut = true;
  c.lutType = ElementType::I8;
  c.lutLog2Items = c.lutInputBits = 8;
  c.lutInputMin = -128;
  EXPECT_EQ(refusalOf(c), std::nullopt);
  c.lutInputMin = 0;
  EXPECT_THAT(refusalOf(c), Optional(HasSubstr("values [-128, 127] are outside "
                                               "of the table's 8-bit index "
                                               "from 0")));
  c.outMin = 0;
  EXPECT_EQ(refusalOf(c), std::nullopt);
  c.lutInputBits = c.lutLog2Items = 6;
  EXPECT_THAT(outputStageRefusalOf(c), Optional(HasSubstr("6-bit index")));
}

TEST(CommandRulesTest, BoundsAreOfTheType) {
  Conv c = identity();
  c.outMax = 128;
  EXPECT_THAT(refusalOf(c), Optional(HasSubstr("is not a range of int8")));
  c.outMax = -129;
  EXPECT_THAT(refusalOf(c), Optional(HasSubstr("is above outMax")));
  c.accumulateOut = true; // then there are no results
  EXPECT_EQ(refusalOf(c), std::nullopt);
}

TEST(CommandRulesTest, NoSizeIsNone) {
  Conv c = identity();
  c.strideX = 0;
  EXPECT_THAT(refusalOf(c), Optional(HasSubstr("is 0")));
  Copy copy;
  copy.elementBytes = 1;
  copy.size0 = copy.size1 = copy.size2 = copy.size3 = 1;
  EXPECT_THAT(refusalOf(AnyDescriptor(copy)),
              Optional(HasSubstr("copy: a size is 0")));
  copy.size4 = 1;
  EXPECT_EQ(refusalOf(copy), std::nullopt);
  copy.elementBytes = 3;
  EXPECT_THAT(refusalOf(copy), Optional(HasSubstr("elements of 3 bytes")));
}
