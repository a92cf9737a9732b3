//===- SoftmaxPow2Test.cpp - Softmax of powers of two by tables -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random rows against the formula in doubles, whose 53 bits hold every product
// here, and against the softmax itself.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::kernels;
using yarrow::kernels::testing::runKernel;
using yarrow::testing::Random;

namespace {

struct Tables {
  std::vector<uint16_t> powers;    // 2^(i / 256), 15 bits behind the point
  std::vector<int16_t> logarithms; // log2(1 + i / 256), as many
};

Tables makeTables() {
  Tables tables;
  for (int i = 0; i < 256; ++i) {
    tables.powers.push_back(uint16_t(std::lround(32768 * std::exp2(i / 256.))));
    tables.logarithms.push_back(
        int16_t(std::lround(32768 * std::log2(1 + i / 256.))));
  }
  return tables;
}

/// 2^e by the first eight bits behind e's point, rounded down to a multiple of
/// 2^-bits, times 2^bits.
double pow2(double e, int bits, const Tables &tables) {
  double whole = std::floor(e);
  double entry = tables.powers[size_t((e - whole) * 256)] / 32768.0;
  return std::floor(std::ldexp(entry, int(whole) + bits));
}

/// log2(sum / 2^bits) with `fraction` bits behind the point, rounded down.
double log2Of(double sum, int bits, int fraction, const Tables &tables) {
  int exponent;
  double mantissa = 2 * std::frexp(sum, &exponent); // 1 <= mantissa < 2
  double entry = tables.logarithms[size_t((mantissa - 1) * 256)] / 32768.0;
  return std::ldexp(std::floor(std::ldexp(entry, fraction)), -fraction) +
         (exponent - 1 - bits);
}

std::vector<double> formula(const SoftmaxPow2Params &p,
                            const std::vector<int> &row, int outBits,
                            const Tables &tables) {
  int top = *std::max_element(row.begin(), row.end());
  std::vector<double> e;
  double sum = 0;
  for (int x : row) {
    double exact = std::ldexp(double(x - top) * p.inputScale, -p.inputShift);
    e.push_back(std::ldexp(std::floor(std::ldexp(exact, p.fractionBits)),
                           -p.fractionBits));
    sum += pow2(e.back(), p.pow2OutQ, tables);
  }
  sum = std::clamp<double>(sum, 1, INT32_MAX);
  double logOfSum = log2Of(sum, p.pow2OutQ, p.fractionBits, tables);
  std::vector<double> y;
  for (double value : e)
    y.push_back(std::clamp<double>(pow2(value - logOfSum, outBits, tables),
                                   p.lo, p.hi));
  return y;
}

TEST(SoftmaxPow2, IsThatOfTheFormula) {
  Random random(7);
  Tables tables = makeTables();
  for (int round = 0; round < 200; ++round) {
    SoftmaxPow2Params p;
    p.shape = {.outer = 1 + random.below(3),
               .axis = 1 + random.below(300),
               .inner = random.oneIn(2) ? 1 : 1 + random.below(4)};
    bool isWideIn = random.oneIn(2), isWideOut = random.oneIn(2);
    p.inType = isWideIn ? DType::I16 : DType::I8;
    p.outType = isWideOut ? DType::U16 : DType::U8;
    p.inputScale = 1 + int32_t(random.below(65535));
    p.inputShift = int32_t(random.below(32));
    p.fractionBits = 8 + int32_t(random.below(8));
    p.pow2OutQ = 31 - int32_t(std::floor(std::log2(p.shape.axis)));
    p.hi = isWideOut ? 65535 : 255;
    size_t count = size_t(p.shape.outer) * p.shape.axis * p.shape.inner;
    std::vector<int16_t> wide(count);
    std::vector<int8_t> narrow(count);
    int spread = 1 + int(random.below(127));
    for (size_t i = 0; i < count; ++i)
      wide[i] = narrow[i] = int8_t(int(random.below(2 * spread)) - spread);
    std::vector<uint8_t> y(count);
    std::vector<uint16_t> wideY(count);
    runKernel("yk_softmax_pow2_int", p,
              {isWideIn ? (const void *)wide.data() : narrow.data(),
               tables.powers.data(), tables.logarithms.data(),
               isWideOut ? (const void *)wideY.data() : y.data()},
              1 + random.below(5));
    for (uint32_t o = 0; o < p.shape.outer; ++o)
      for (uint32_t in = 0; in < p.shape.inner; ++in) {
        auto at = [&](uint32_t k) {
          return (size_t(o) * p.shape.axis + k) * p.shape.inner + in;
        };
        std::vector<int> row;
        for (uint32_t k = 0; k < p.shape.axis; ++k)
          row.push_back(wide[at(k)]);
        std::vector<double> expected =
            formula(p, row, isWideOut ? 16 : 8, tables);
        for (uint32_t k = 0; k < p.shape.axis; ++k)
          ASSERT_EQ(isWideOut ? wideY[at(k)] : y[at(k)], expected[k])
              << "round " << round << ", element " << k;
      }
  }
}

TEST(SoftmaxPow2, IsNearASoftmax) {
  constexpr double kScale = 16; // of the input
  Random random(8);
  Tables tables = makeTables();
  SoftmaxPow2Params p;
  p.shape = {.outer = 20, .axis = 100};
  p.inputScale = int32_t(std::lround(1.442695 / kScale * 65536));
  p.inputShift = 16, p.fractionBits = 12, p.pow2OutQ = 31 - 6;
  std::vector<int8_t> x(2000);
  for (int8_t &value : x)
    value = int8_t(random.next());
  std::vector<uint8_t> y(x.size());
  runKernel(
      "yk_softmax_pow2_int", p,
      {x.data(), tables.powers.data(), tables.logarithms.data(), y.data()});
  for (size_t row = 0; row < 20; ++row) {
    double sum = 0;
    for (size_t k = 0; k < 100; ++k)
      sum += std::exp(x[row * 100 + k] / kScale);
    for (size_t k = 0; k < 100; ++k)
      EXPECT_NEAR(y[row * 100 + k],
                  256 * std::exp(x[row * 100 + k] / kScale) / sum, 1.5);
  }
}

} // namespace
