//===- GateSumsTest.cpp - Sums of products, requantized by column ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random rows, columns and strides against the formula, element by element.
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

/// Half to even, in long double, whose 64 bits hold every product here.
int64_t formula(int64_t sum, int64_t scale, int shift, int64_t lo, int64_t hi) {
  long double exact = std::ldexp((long double)(sum)*scale, -shift);
  long double rounded = std::nearbyint(exact);
  return int64_t(std::clamp<long double>(rounded, lo, hi));
}

TEST(GateSums, AreThoseOfTheFormula) {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    GateSumsParams p;
    p.rows = 1 + random.below(4), p.columns = 1 + random.below(300);
    // Rows lie apart, dense, or are one row.
    p.strideA = int32_t(p.columns + random.below(9));
    bool hasB = random.below(3) > 0;
    p.strideB = random.oneIn(2) ? 0 : int32_t(p.columns);
    bool isWide = random.oneIn(2);
    p.requant.outType = isWide ? DType::I16 : DType::I8;
    p.requant.perChannel = 1;
    p.requant.lo = isWide ? -32768 : -128, p.requant.hi = isWide ? 32767 : 127;
    std::vector<int32_t> a(p.rows * p.strideA), b(p.rows * p.columns);
    std::vector<uint16_t> scale(p.columns);
    std::vector<int8_t> shift(p.columns), narrow(p.rows * p.columns);
    std::vector<int16_t> wide(narrow.size());
    for (std::vector<int32_t> *v : {&a, &b})
      for (int32_t &x : *v)
        x = int32_t(random.next()) >> random.below(31);
    for (uint32_t c = 0; c < p.columns; ++c) {
      scale[c] = uint16_t(random.next());
      shift[c] = int8_t(int32_t(random.below(45)) - 4);
    }
    runKernel("yk_gate_sums_int", p,
              {a.data(), hasB ? b.data() : nullptr, scale.data(), shift.data(),
               isWide ? (void *)wide.data() : narrow.data()},
              1 + random.below(5));
    for (uint32_t r = 0; r < p.rows; ++r)
      for (uint32_t c = 0; c < p.columns; ++c) {
        int64_t sum = a[r * p.strideA + c];
        sum += hasB ? b[r * p.strideB + c] : 0;
        uint32_t i = r * p.columns + c;
        ASSERT_EQ(isWide ? wide[i] : narrow[i],
                  formula(sum, scale[c], shift[c], p.requant.lo, p.requant.hi))
            << "round " << round << ", row " << r << ", column " << c;
      }
  }
}

} // namespace
