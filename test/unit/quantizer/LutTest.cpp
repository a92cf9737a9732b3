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
