//===- LutTest.cpp - Look-up tables ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Lut.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace yarrow;

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(BuildLut, FullTableIsTheFunction) {
  LinearParams in = linearParams(-4, 3, RangeMode::Asymmetric, 8, true);
  LinearParams out = linearParams(0, 1, RangeMode::SymmetricFull, 8, false);
  std::vector<int64_t> table = buildLut(sigmoid, in, out, 8);
  ASSERT_EQ(table.size(), 256u);
  for (int q = -128; q <= 127; ++q) {
    float x = dequantizeValue(q, in.scale, in.zp);
    EXPECT_EQ(lookUp(table, q + 128, 8), quantizeValue(float(sigmoid(x)), out));
  }
}

/// Largest and mean error in output steps over all 16-bit inputs.
static std::pair<double, double> errorOf(LutSampling sampling) {
  LinearParams in = linearParams(-8, 8, RangeMode::SymmetricFull, 16, true);
  LinearParams out = linearParams(-1, 1, RangeMode::SymmetricFull, 16, true);
  auto tanh = [](double x) { return std::tanh(x); };
  std::vector<int64_t> table = buildLut(tanh, in, out, 8, sampling);
  double largest = 0, sum = 0;
  for (int q = -32768; q <= 32767; ++q) {
    double x = dequantizeValue(q, in.scale, in.zp);
    double error =
        std::fabs(double(lookUp(table, q + 32768, 16)) - tanh(x) * out.scale);
    largest = std::max(largest, error);
    sum += error;
  }
  return {largest, sum / 65536};
}

TEST(BuildLut, SamplingAtTheIndexIsMoreAccurate) {
  auto [largest, mean] = errorOf(LutSampling::Index);
  auto [largestLinspace, meanLinspace] = errorOf(LutSampling::Linspace);
  EXPECT_LT(largest, 20);
  EXPECT_LT(mean * 5, meanLinspace);
  EXPECT_LT(largest * 5, largestLinspace);
}

TEST(BuildLut, ItemsAreAsManyAsTheCurvatureAsksFor) {
  LinearParams in = linearParams(0, 100, RangeMode::SymmetricFull, 16, false);
  auto items = [&](auto f, float lo, float hi, unsigned bits) {
    LinearParams out = linearParams(lo, hi, RangeMode::Asymmetric, bits, true);
    return itemsInBitsFor(f, in, out, 8, 12);
  };
  auto line = [](double x) { return x / 100; };
  auto level = [](double x) { return std::tanh(x / 20); };
  auto log = [](double x) { return std::log(x); };
  EXPECT_EQ(items(line, 0, 1, 8), 8u);
  EXPECT_EQ(items(level, 0, 1, 8), 8u);
  EXPECT_GT(items(level, 0, 1, 16), 8u);
  EXPECT_EQ(items(log, -7, 5, 16), 12u);
  LinearParams bytes = linearParams(0, 100, RangeMode::SymmetricFull, 8, false);
  EXPECT_EQ(itemsInBitsFor(log, bytes, bytes, 8, 12), 8u);
}

TEST(BuildLut, EntriesMakeUpForRoundingDown) {
  LinearParams in = linearParams(-8, 8, RangeMode::SymmetricFull, 16, true);
  LinearParams out = linearParams(-1, 1, RangeMode::SymmetricFull, 8, true);
  auto tanh = [](double x) { return std::tanh(x); };
  std::vector<int64_t> table = buildLut(tanh, in, out, 8);
  auto meanError = [&] {
    double sum = 0;
    for (int q = -10000; q <= 10000; ++q) {
      double x = dequantizeValue(q, in.scale, in.zp);
      sum += double(lookUp(table, q + 32768, 16)) - tanh(x) * out.scale;
    }
    return sum / 20001;
  };
  EXPECT_LT(meanError(), -0.3);
  compensateRounding(table, tanh, in, out);
  EXPECT_NEAR(meanError(), 0, 0.1);
  EXPECT_EQ(table.front(), -127);
  EXPECT_EQ(table.back(), 127);
}

TEST(BuildLut, APoleIsWhatRoundsToIt) {
  LinearParams in = linearParams(0, 100, RangeMode::SymmetricFull, 8, false);
  LinearParams out = linearParams(-30, 5, RangeMode::Asymmetric, 16, true);
  auto log = [](double x) { return std::log(x); };
  auto finite = withoutPoles(log, in, out);
  double half = 0.5 / in.scale;
  EXPECT_NEAR(finite(0), std::log(half) - 1, 0.1);
  EXPECT_EQ(finite(1), 0);
}

TEST(Softmax, ItemsFollowTheStep) {
  LinearParams fine = linearParams(-4, 4, RangeMode::SymmetricFull, 16, true);
  LinearParams wide =
      linearParams(-400, 400, RangeMode::SymmetricFull, 16, true);
  EXPECT_EQ(expItemsInBitsFor(fine, 8, 8, 12), 8u);
  EXPECT_EQ(expItemsInBitsFor(wide, 8, 8, 12), 12u);
}

TEST(Softmax, ExpTableEndsAtTheMaximum) {
  LinearParams in = linearParams(-8, 8, RangeMode::SymmetricFull, 8, true);
  std::vector<int64_t> table = softmaxExpTable(in, 8, 20);
  ASSERT_EQ(table.size(), 256u);
  EXPECT_EQ(table.back(), (1 << 20) - 1);
  EXPECT_NEAR(double(table[255 - 16]), std::exp(-16 / in.scale) * 1048575, 1);
  LinearParams wide = linearParams(-8, 8, RangeMode::SymmetricFull, 16, true);
  table = softmaxExpTable(wide, 10, 20);
  ASSERT_EQ(table.size(), 1024u);
  EXPECT_EQ(lookUp(table, 65535, 16), (1 << 20) - 1);
  EXPECT_NEAR(double(lookUp(table, 65535 - 4096, 16)), std::exp(-1.0) * 1048575,
              200);
}

TEST(Tables, EndsAndMiddle) {
  std::vector<int64_t> t = inverseSqrtTable();
  ASSERT_EQ(t.size(), 193u);
  EXPECT_EQ(t[0], 32767);
  EXPECT_EQ(t[1], 32515);
  EXPECT_EQ(t[64], 23170);
  EXPECT_EQ(t[192], 16384);
  EXPECT_EQ(log2Table()[255], 32676);
  EXPECT_EQ(pow2Table()[255], 65359);
}
