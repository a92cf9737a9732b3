//===- PrequantizedConstantsTest.cpp - Multipliers for given scales
//--------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/FloatRequant.h"
#include "quantizer/prequantized/PairConstants.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;

namespace {

int64_t roundShift(int64_t product, int shift) {
  int64_t half = int64_t(1) << (shift - 1);
  return (product + half - 1 + ((product >> shift) & 1)) >> shift;
}

TEST(FloatRequantTest, EqualsFloatsAtEverySum) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> exponent(-13, -3);
  int numExact = 0;
  constexpr int kRatios = 200;
  for (int i = 0; i < kRatios; ++i) {
    float ratio = std::exp2(exponent(random));
    auto r = multiplierLikeFloat(ratio, -140, 115, 1 << 22);
    ASSERT_TRUE(r);
    numExact += r->isExact;
    auto clip = [](double y) { return std::clamp(y, -140.0, 115.0); };
    int64_t last = int64_t(160 / ratio);
    for (int64_t acc = -last; r->isExact && acc <= last; acc += 1 + i % 7) {
      auto floats = double(std::nearbyint(float(acc) * ratio));
      auto integers =
          double(roundShift(acc * r->multiplier.scale, r->multiplier.shift));
      ASSERT_EQ(clip(integers), clip(floats)) << acc << " * " << ratio;
    }
  }
  EXPECT_GT(numExact, kRatios / 2);
}

TEST(FloatRequantTest, MovesTheMultiplierWhereFloatsRoundATie) {
  // acc * ratio is 0.5 in floats, which rounds to 0; exactly it is above.
  int numFound = 0;
  for (int64_t acc = 3; acc < 2000; acc += 2) {
    float ratio = 0.5f / float(acc);
    if (float(acc) * ratio != 0.5f || double(acc) * double(ratio) <= 0.5)
      continue;
    auto r = multiplierLikeFloat(ratio, 0, 1, 1 << 20);
    ASSERT_TRUE(r && r->isExact);
    ++numFound;
    EXPECT_EQ(roundShift(acc * r->multiplier.scale, r->multiplier.shift), 0);
    EXPECT_GT(multiplierOf(double(ratio))->scale, r->multiplier.scale);
  }
  EXPECT_GT(numFound, 10);
}

TEST(FloatRequantTest, SuitsMostStepsWhereNoneSuitsAll) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> exponent(-13, -10);
  int64_t numBetter = 0, numWorse = 0;
  for (int i = 0; i < 100; ++i) {
    float ratio = std::exp2(exponent(random));
    auto r = multiplierLikeFloat(ratio, -128, 127, 1 << 22);
    auto plain = multiplierOf(double(ratio));
    ASSERT_TRUE(r && plain);
    auto last = int64_t(127 / ratio);
    int64_t ours = 0, theirs = 0;
    for (int64_t acc = -last; acc <= last; ++acc) {
      auto floats = int64_t(std::nearbyint(float(acc) * ratio));
      ours +=
          floats != roundShift(acc * r->multiplier.scale, r->multiplier.shift);
      theirs += floats != roundShift(acc * plain->scale, plain->shift);
    }
    numBetter += ours < theirs;
    numWorse += ours > theirs;
  }
  EXPECT_GT(numBetter, 0);
  EXPECT_EQ(numWorse, 0);
}

/// Steps of the float form that a multiplier has at the same sum.
int64_t stepsLikeFloat(int64_t scale, int shift, float ratio, int64_t least,
                       int64_t most, int64_t mostSum) {
  int64_t count = 0;
  for (int64_t n = least + 1; n <= most; ++n) {
    int64_t below = -(int64_t(1) << 40), first = int64_t(1) << 40;
    while (first - below > 1) {
      int64_t middle = below + (first - below) / 2;
      bool isBelow = std::nearbyint(float(middle) * ratio) < float(n);
      (isBelow ? below : first) = middle;
    }
    count +=
        (std::abs(first) > mostSum || roundShift(first * scale, shift) >= n) &&
        (std::abs(below) > mostSum || roundShift(below * scale, shift) < n);
  }
  return count;
}

// With sums of 30 bits a step leaves a choice of a few multipliers, so that the
// first and the last of them are met.
TEST(FloatRequantTest, NoMultiplierNearbyHasMoreSteps) {
  std::mt19937 random(6);
  std::uniform_real_distribution<float> exponent(-25, -23);
  constexpr int64_t kLeast = -12, kMost = 12, kMostSum = 1 << 30;
  for (int i = 0; i < 40; ++i) {
    float ratio = std::exp2(exponent(random));
    auto r = multiplierLikeFloat(ratio, kLeast, kMost, kMostSum);
    auto plain = multiplierOf(double(ratio));
    ASSERT_TRUE(r && plain);
    auto stepsOf = [&](int64_t scale) {
      return stepsLikeFloat(scale, plain->shift, ratio, kLeast, kMost,
                            kMostSum);
    };
    int64_t ours = stepsOf(r->multiplier.scale), wish = plain->scale;
    int64_t distance = std::abs(r->multiplier.scale - wish);
    EXPECT_EQ(r->isExact, ours == kMost - kLeast);
    for (int64_t scale = wish - 200; scale <= wish + 200; ++scale) {
      int64_t theirs = stepsOf(scale);
      EXPECT_LE(theirs, ours) << scale;
      if (theirs == ours)
        EXPECT_GE(std::abs(scale - wish), distance) << scale;
    }
  }
}

/// Real arithmetic of the pairs in exact fractions of 2^-200, as float32 steps
/// of these exponents are.
int64_t nearestOf(double a, int64_t x, double b, int64_t y, double step) {
  __extension__ using Int = __int128;
  auto whole = [](double v) { return Int(std::ldexp(v, 40)); };
  Int real = whole(a) * x + whole(b) * y, unit = whole(step);
  Int n = real / unit, rest = real % unit;
  if (rest < 0) {
    rest += unit;
    --n;
  }
  if (2 * rest > unit || (2 * rest == unit && (n & 1)))
    ++n;
  return int64_t(n);
}

TEST(PairConstantsTest, SumsOfAllPairsAreExact) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> step(0.01f, 0.3f);
  std::uniform_int_distribution<int> zero(-128, 127);
  for (int sign : {1, -1})
    for (int i = 0; i < 10; ++i) {
      PairSide a{step(random), zero(random)}, b{step(random), zero(random)},
          y{step(random), zero(random)};
      PairConstants c = sumConstants(a, b, y, sign);
      EXPECT_EQ(c.numInexact, 0);
      // A sample of them against exact integers.
      for (int64_t qa = -128; qa < 128; qa += 3)
        for (int64_t qb = -128; qb < 128; qb += 7) {
          int64_t acc = c.a * (qa - a.zero) + sign * c.b * (qb - b.zero);
          int64_t half = int64_t(1) << (c.shift - 1);
          int64_t n = (acc + half - 1 + ((acc >> c.shift) & 1)) >> c.shift;
          int64_t exact = nearestOf(a.step, qa - a.zero, sign * b.step,
                                    qb - b.zero, y.step);
          auto clip = [&](int64_t v) {
            return std::clamp<int64_t>(v + y.zero, -128, 127);
          };
          ASSERT_EQ(clip(n), clip(exact)) << qa << " and " << qb;
        }
    }
}

TEST(PairConstantsTest, TiesGoToEvenNumbers) {
  // Steps of 1/2 and 1: every odd q of the first is a tie.
  PairConstants c = sumConstants({0.5}, {1}, {1}, 1);
  EXPECT_EQ(c.numInexact, 0);
  EXPECT_EQ(c.a * 2, c.b);
}

/// XNNPACK's sum of one pair, before the zero point.
int64_t xnnpackSum(const PairConstants &c, int64_t x, int64_t y) {
  int64_t acc = c.a * x + c.b * y, half = int64_t(1) << (c.shift - 1);
  return c.rounding == Rounding::HalfUp
             ? (acc + half) >> c.shift
             : (acc + half - 1 + ((acc >> c.shift) & 1)) >> c.shift;
}

TEST(PairConstantsTest, SumsOfXnnpackRoundTiesUpwards) {
  PairSide half{0.5}, whole{1};
  for (int sign : {1, -1}) {
    PairConstants c = xnnpackSumConstants(whole, half, whole, sign);
    EXPECT_EQ(c.numInexact, 0);
    EXPECT_EQ(c.rounding, Rounding::HalfUp);
    EXPECT_LT(c.a, 1 << 15);
    // -3.5 is -3, 3.5 is 4, and 0.5 is 1 for even and odd numbers alike.
    EXPECT_EQ(xnnpackSum(c, -3, -1), -3);
    EXPECT_EQ(xnnpackSum(c, 3, 1), 4);
    EXPECT_EQ(xnnpackSum(c, 2, 1), 3);
  }
}

TEST(PairConstantsTest, SumsOfXnnpackHaveItsMultipliersWhereFewerBitsDiffer) {
  PairConstants c = xnnpackSumConstants({0.013f, 3}, {0.4f, -2}, {0.31f}, 1);
  EXPECT_EQ(c.numInexact, 0);
  EXPECT_GE(c.b, 1 << 14);
  EXPECT_LT(c.b, 1 << 21);
}

TEST(PairConstantsTest, RatiosThatXnnpackDoesNotTakeHaveNone) {
  PairSide one{1};
  EXPECT_EQ(xnnpackSumConstants({256}, one, one, 1).a, 0);
  EXPECT_EQ(xnnpackSumConstants(one, {0.0009f}, one, 1).a, 0);
  EXPECT_NE(xnnpackSumConstants({255}, {1.0f / 1024}, one, 1).a, 0);
}

TEST(PairConstantsTest, FewBitsWhereTheyAreExact) {
  EXPECT_LE(sumConstants({0.25}, {0.25}, {0.5}, 1).a, 1 << 15);
}

TEST(PairConstantsTest, ProductsOfAllPairsAreExact) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> step(0.01f, 0.3f);
  std::uniform_int_distribution<int> zero(-128, 127);
  for (int i = 0; i < 10; ++i) {
    PairSide a{step(random), zero(random)}, b{step(random), zero(random)},
        y{step(random), zero(random)};
    EXPECT_EQ(productConstants(a, b, y).numInexact, 0);
  }
}

TEST(PairConstantsTest, SixteenBitsAreNotTried) {
  PairSide wide{0.01f, 0, -32768, 32767};
  PairConstants c = sumConstants(wide, wide, wide, 1);
  EXPECT_EQ(c.numInexact, -1);
  EXPECT_GE(c.a, 1 << 30);
}

TEST(PairConstantsTest, ScalesThatLieTooFarApartHaveNone) {
  // Steps of 1e20 in those of 1e-20 have more bits than integers.
  PairSide coarse{1e20f}, fine{1e-20f};
  EXPECT_EQ(sumConstants(coarse, coarse, fine, 1).a, 0);
  EXPECT_EQ(sumConstants(fine, coarse, fine, -1).a, 0);
  EXPECT_EQ(productConstants(coarse, coarse, fine).a, 0);
}

} // namespace
