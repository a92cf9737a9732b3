//===- HalfTest.cpp - Every half, every tie -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace yarrow;

TEST(Half, EveryPatternMatchesTheCompilers) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    float value = halfToFloat(uint16_t(bits));
    auto reference = float(std::bit_cast<_Float16>(uint16_t(bits)));
    if (std::isnan(reference)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_EQ(floatToHalf(value), bits | 0x200u) << bits;
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(value),
              std::bit_cast<uint32_t>(reference))
        << bits;
    ASSERT_EQ(floatToHalf(value), bits);
  }
}

TEST(Half, RoundsLikeTheCompilerAroundEveryHalf) {
  // Between neighbours lie the tie and its two nearest floats.
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    double low = halfToFloat(uint16_t(bits));
    double high = bits + 1 == 0x7C00 ? 65536 : halfToFloat(uint16_t(bits + 1));
    auto tie = float((low + high) / 2);
    for (float value :
         {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1e9f)})
      for (float signedValue : {value, -value})
        ASSERT_EQ(floatToHalf(signedValue),
                  std::bit_cast<uint16_t>(_Float16(signedValue)))
            << signedValue;
  }
  EXPECT_EQ(floatToHalf(1e30f), 0x7C00);
  EXPECT_EQ(floatToHalf(-INFINITY), 0xFC00);
  EXPECT_EQ(floatToHalf(1e-30f), 0);
}

TEST(Bfloat, RoundsToNearestEven) {
  EXPECT_EQ(floatToBfloat(1.0f), 0x3F80);
  EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3F808000u)), 0x3F80);
  EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3F818000u)), 0x3F82);
  EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3F808001u)), 0x3F81);
  EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x7F7FFFFFu)), 0x7F80);
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(NAN))));
  // The payload lies only in the bits that are cut off.
  EXPECT_TRUE(std::isnan(
      bfloatToFloat(floatToBfloat(std::bit_cast<float>(0x7F800001u)))));
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits)
    if ((bits & 0x7FFF) <= 0x7F80) {
      ASSERT_EQ(floatToBfloat(bfloatToFloat(uint16_t(bits))), bits);
    }
}
