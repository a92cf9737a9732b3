//===- StoredLstmTest.cpp - An LSTM cell in integers ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/FixedFunctions.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::kernels;
using yarrow::kernels::testing::runKernel;
using yarrow::testing::Random;

namespace {

/// The multiplier and shift of a number.
StoredScale scaleOf(double real) {
  int exponent = 0;
  double mantissa = std::frexp(real, &exponent);
  return {int32_t(std::min(std::round(mantissa * 0x1p31), 0x1p31 - 1)),
          31 - exponent};
}

/// 16-bit arithmetic leaves the last 3 bits open.
constexpr double kNear = 8;

} // namespace

TEST(FixedFunctions, AreNearTheRealOnes) {
  for (int32_t integerBits = 0; integerBits <= 6; ++integerBits)
    for (int32_t x = -32768; x < 32768; x += 7) {
      double real = std::ldexp(double(x), integerBits - 15);
      EXPECT_NEAR(fixedSigmoid(x, integerBits), 32768 / (1 + std::exp(-real)),
                  kNear)
          << real;
      EXPECT_NEAR(fixedTanh(x, integerBits), 32768 * std::tanh(real), 2 * kNear)
          << real;
    }
}

/// What the method makes of some arguments, its last bits included.
TEST(FixedFunctions, HaveTheBitsOfTheMethod) {
  EXPECT_EQ(fixedSigmoid(0, 3), 16384);
  EXPECT_EQ(fixedSigmoid(4096, 3), 23952);
  EXPECT_EQ(fixedSigmoid(-4096, 3), 8815);
  EXPECT_EQ(fixedSigmoid(1270, 3), 18906);
  EXPECT_EQ(fixedSigmoid(1271, 3), 18902); // it is not monotone
  EXPECT_EQ(fixedSigmoid(-20000, 3), 243);
  EXPECT_EQ(fixedTanh(0, 0), 0);
  EXPECT_EQ(fixedTanh(-5054, 3), -27640);
  EXPECT_EQ(fixedTanh(3000, 3), 20472);
  EXPECT_EQ(fixedTanh(-32768, 3), -32767);
}

TEST(StoredLstm, GatesAreNearRealOnes) {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    StoredLstmGateParams p{.batches = 1 + random.below(3),
                           .inputs = 1 + random.below(9),
                           .outputs = 1 + random.below(9),
                           .units = 2 + random.below(9),
                           .zeroX = int32_t(random.below(20)) - 10,
                           .zeroH = int32_t(random.below(20)) - 10,
                           .isTanh = random.below(2)};
    bool isNormalized = random.oneIn(2), hasCell = random.oneIn(2);
    // Steps: x 1/64, h 1/128, weights 1/128, cell 2^-11, its weights 2^-14,
    // sums 1/512 or 2^-12, norm 2^-14.
    double sumStep = isNormalized ? 1.0 / 512 : 0x1p-12;
    double xStep = 0x1p-13, hStep = 0x1p-14, cellStep = 0x1p-25,
           normStep = 0x1p-14;
    p.x = scaleOf(xStep / sumStep), p.h = scaleOf(hStep / sumStep);
    p.peephole = scaleOf(cellStep / sumStep);
    p.norm = scaleOf(normStep * 4096);
    auto bytes = [&](size_t n) {
      std::vector<int8_t> v(n);
      for (int8_t &x : v)
        x = int8_t(random.next());
      return v;
    };
    auto words = [&](size_t n) {
      std::vector<int16_t> v(n);
      for (int16_t &x : v)
        x = int16_t(random.next());
      return v;
    };
    auto x = bytes(p.batches * p.inputs), h = bytes(p.batches * p.outputs),
         wx = bytes(p.units * p.inputs), wh = bytes(p.units * p.outputs);
    auto cell = words(p.batches * p.units), peephole = words(p.units),
         norm = words(p.units), y = words(p.batches * p.units);
    std::vector<int32_t> bias(p.units);
    double biasStep = isNormalized ? normStep / 1024 : xStep;
    for (int32_t &b : bias)
      b = int32_t((int32_t(random.below(2000)) - 1000) * 0.001 / biasStep);
    runKernel("yk_stored_lstm_gate", p,
              {x.data(), h.data(), wx.data(), wh.data(), bias.data(),
               hasCell ? cell.data() : nullptr,
               hasCell ? peephole.data() : nullptr,
               isNormalized ? norm.data() : nullptr, y.data()},
              1 + random.below(3));
    for (uint32_t b = 0; b < p.batches; ++b) {
      std::vector<double> sums;
      for (uint32_t u = 0; u < p.units; ++u) {
        double sum = isNormalized ? 0 : bias[u] * xStep;
        for (uint32_t i = 0; i < p.inputs; ++i)
          sum += (x[b * p.inputs + i] - p.zeroX) * wx[u * p.inputs + i] * xStep;
        for (uint32_t i = 0; i < p.outputs; ++i)
          sum +=
              (h[b * p.outputs + i] - p.zeroH) * wh[u * p.outputs + i] * hStep;
        if (hasCell)
          sum += double(cell[b * p.units + u]) * peephole[u] * cellStep;
        // 16 bits of them.
        sums.push_back(std::clamp(sum, -32768 * sumStep, 32767 * sumStep));
      }
      if (isNormalized) {
        double mean = 0, variance = 0;
        for (double s : sums)
          mean += s / p.units;
        for (double s : sums)
          variance += (s - mean) * (s - mean) / p.units;
        for (uint32_t u = 0; u < p.units; ++u)
          sums[u] =
              (sums[u] - mean) / std::sqrt(variance) * norm[u] * normStep +
              bias[u] * biasStep;
      }
      for (uint32_t u = 0; u < p.units; ++u) {
        double s = std::clamp(sums[u], -8.0, 8.0 - 0x1p-12);
        double real = p.isTanh ? std::tanh(s) : 1 / (1 + std::exp(-s));
        // Sums and norms are rounded, each by a part of a thousandth or so.
        EXPECT_NEAR(y[b * p.units + u] / 32768.0, real, 0.02)
            << "round " << round;
      }
    }
  }
}

TEST(StoredLstm, CellsAddTwoProducts) {
  std::vector<int16_t> forget = {16384, 32767, 0, 32767},
                       input = {32767, 16384, 16384, 32767},
                       candidate = {-32768, 100, 3, 32767},
                       cell = {200, -7, 50, 32767}, y(4);
  StoredLstmCellParams p{.count = 4};
  runKernel(
      "yk_stored_lstm_cell", p,
      {forget.data(), input.data(), candidate.data(), cell.data(), y.data()});
  // Half of 3 is 1.5, and rounds away from zero.
  EXPECT_EQ(y, (std::vector<int16_t>{-32667, 43, 2, 32767}));
  // Coupled: 32767 - forget.
  runKernel("yk_stored_lstm_cell", p,
            {forget.data(), nullptr, candidate.data(), cell.data(), y.data()});
  EXPECT_EQ(y, (std::vector<int16_t>{-16283, -7, 3, 32766}));
  p.lo = -40, p.hi = 40;
  runKernel(
      "yk_stored_lstm_cell", p,
      {forget.data(), input.data(), candidate.data(), cell.data(), y.data()});
  EXPECT_EQ(y, (std::vector<int16_t>{-40, 40, 2, 40}));
}

TEST(StoredLstm, ProjectsAndSaturates) {
  std::vector<int8_t> hidden = {10, -20, 30, 100, 100, 100},
                      weights = {1, 2, 3, -128, -128, -128}, y(4);
  std::vector<int32_t> bias = {40, 0};
  StoredLstmProjectionParams p{.batches = 2,
                               .units = 3,
                               .outputs = 2,
                               .zeroIn = 10,
                               .zeroOut = -1,
                               .scale = scaleOf(0.5)};
  runKernel("yk_stored_lstm_projection", p,
            {hidden.data(), weights.data(), bias.data(), y.data()}, 3);
  // (0 - 60 + 60 + 40) / 2 - 1, -128 * (0 - 30 + 20) / 2 - 1 ...
  EXPECT_EQ(y, (std::vector<int8_t>{19, 127, 127, -128}));
}
