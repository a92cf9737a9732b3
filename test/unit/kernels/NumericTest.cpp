//===- NumericTest.cpp - Rounding and requantization ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Numeric.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

using Wide = __int128;

/// RNE(x / 2^shift) by definition: floor, then compare the remainder with half.
Wide referenceRound(Wide x, int shift) {
  if (shift <= 0)
    return x * (Wide(1) << -shift);
  Wide quotient = x >> shift, remainder = x - (quotient << shift);
  Wide half = Wide(1) << (shift - 1);
  bool up = remainder > half || (remainder == half && (quotient & 1));
  return quotient + up;
}

TEST(Numeric, roundsHalfToEvenExhaustively) {
  for (int shift = -6; shift <= 14; ++shift)
    for (int x = -20000; x <= 20000; ++x)
      ASSERT_EQ(roundShiftHalfEven(x, shift), int64_t(referenceRound(x, shift)))
          << x << " >> " << shift;
}

TEST(Numeric, roundsLargeValues) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    int64_t x = int64_t(random()) >> (random() % 60 + 2); // |x| <= 2^61
    int shift = int(random() % 80);
    ASSERT_EQ(roundShiftHalfEven(x, shift), int64_t(referenceRound(x, shift)))
        << x << " >> " << shift;
  }
  int64_t limit = int64_t(1) << 62;
  for (int shift = 0; shift <= 62; ++shift)
    for (int64_t x : {limit, limit - 1, -limit, 1 - limit})
      ASSERT_EQ(roundShiftHalfEven(x, shift),
                int64_t(referenceRound(x, shift)));
}

TEST(Numeric, negativeShiftsSaturate) {
  EXPECT_EQ(roundShiftHalfEven(3, -4), 48);
  EXPECT_EQ(roundShiftHalfEven(-3, -4), -48);
  EXPECT_GE(roundShiftHalfEven(int64_t(1) << 40, -40),
            INT64_MAX - (int64_t(1) << 40));
  EXPECT_EQ(roundShiftHalfEven(-(int64_t(1) << 40), -40), INT64_MIN);
}

TEST(Numeric, requantizesAgainstWideArithmetic) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    int64_t acc = int64_t(random()) >> (19 + random() % 40); // up to 2^44
    int scale = int(random() % 65536), shift = int(random() % 48) - 8;
    int zp = int(random() % 512) - 256;
    Wide y = referenceRound(Wide(acc) * scale, shift) - zp;
    int want = int(y < -128 ? -128 : y > 127 ? 127 : y);
    ASSERT_EQ(requantize(acc, scale, shift, zp, -128, 127), want);
  }
}

TEST(Numeric, approximatesScalesAsTheReference) {
  // The multiplier of an average (docs/operators/pool.md, Pooling).
  EXPECT_EQ(averageScale(1.0f, 9).scale, 228);
  EXPECT_EQ(averageScale(1.0f, 9).shift, 11);
  ScaleShift exact = averageScale(1.0f, 64);
  EXPECT_EQ(std::ldexp(exact.scale, -exact.shift), 1.0 / 64);
  for (uint32_t area = 1; area < 3000; ++area) {
    float ratio = 1.0f / float(area);
    int shift = int(std::min(31.0f, std::floor(std::log2(255.0f / ratio))));
    ScaleShift s = averageScale(1.0f, area);
    ASSERT_EQ(s.shift, shift) << area;
    ASSERT_EQ(s.scale, int(std::floor(std::ldexp(double(ratio), shift) + 0.5)));
  }
  EXPECT_EQ(approximateScale(1000.0f, 8).shift, -2);
}

TEST(Numeric, floorLog2) {
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(floorLog2(uint64_t(1) << i), i);
}

} // namespace
