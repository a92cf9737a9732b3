//===- MultiplierTest.cpp - Ratios of scales as integers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Multiplier.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;

namespace {

double valueOf(const Multiplier &m) { return std::ldexp(m.scale, -m.shift); }

TEST(MultiplierTest, IsNearestWithAllBits) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-30, 30);
  for (int i = 0; i < 10000; ++i) {
    double ratio = std::exp2(exponent(random));
    auto m = multiplierOf(ratio);
    ASSERT_TRUE(m);
    EXPECT_GE(m->scale, 1 << 30);
    EXPECT_LE(std::abs(valueOf(*m) / ratio - 1), std::ldexp(1.0, -31));
  }
}

TEST(MultiplierTest, RoundsUpToTheNextPower) {
  auto m = multiplierOf(1 - std::ldexp(1.0, -40));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->scale, 1 << 30);
  EXPECT_EQ(valueOf(*m), 1);
}

TEST(MultiplierTest, LosesBitsBelowTheLargestShift) {
  auto m = multiplierOf(std::ldexp(3.0, -60));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->shift, 62);
  EXPECT_EQ(m->scale, 12);
  EXPECT_EQ(multiplierOf(1e-40)->scale, 1);
  EXPECT_FALSE(multiplierOf(std::ldexp(1.0, 63)));
}

TEST(MultiplierTest, HasNoneOfWhatIsNoRatio) {
  for (double ratio : {0.0, -1.0, double(INFINITY), double(NAN)})
    EXPECT_FALSE(multiplierOf(ratio)) << ratio;
}

TEST(MultiplierTest, ReducesTo15Bits) {
  // m = 2^30 + 2^15: a tie, which goes up.
  auto m = reducedMultiplierOf(std::ldexp((1 << 30) + (1 << 15), -31));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->scale, (1 << 14) + 1);
  EXPECT_EQ(m->shift, 15);
  // Rounded it would have 16 bits.
  EXPECT_EQ(reducedMultiplierOf(0.9999999)->scale, 0x7FFF);
}

} // namespace
