//===- CumulateTest.cpp - Running sums, products, histograms --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Against plain loops, on random shapes.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "support/Numeric.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/RandomValues.h"
#include "test/unit/kernels/TypeLimits.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::limitsOf;
using yarrow::testing::Random;

namespace {

/// v / 2^shift, nearest and ties to even, of any shift; below 2^40 in
/// magnitude.
int64_t rounded(int64_t v, int64_t shift) {
  if (shift > 60)
    return 0;
  return shift >= 0 ? std::llrint(std::ldexp(double(v), int(-shift)))
         : shift < -20
             ? (v > 0) * (int64_t(1) << 60) - (v < 0) * (int64_t(1) << 60)
             : v << -shift;
}

int32_t limited(int64_t v, int32_t low, int32_t high) {
  return int32_t(std::max<int64_t>(low, std::min<int64_t>(high, v)));
}

/// A product within 16 bits, one halving at a time.
struct SlowProduct {
  int64_t value = 1, halvings = 0;
  void multiply(int64_t factor, bool isSigned) {
    value *= factor;
    while (isSigned ? value < -32768 || value > 32767 : value > 65535)
      value >>= 1, ++halvings;
  }
};

CumulateShape randomCumulateShape(Random &random) {
  return {.outer = 1 + random.below(4),
          .length = 1 + random.below(300),
          .inner = random.oneIn(2) ? 1 : 1 + random.below(150),
          .exclusive = random.below(2),
          .reverse = random.below(2)};
}

/// Calls fn(line's first element) and fn2(element) in the order of steps.
template <typename Start, typename Step>
void walk(const CumulateShape &s, Start start, Step step) {
  for (uint32_t o = 0; o < s.outer; ++o)
    for (uint32_t i = 0; i < s.inner; ++i) {
      start();
      for (uint32_t k = 0; k < s.length; ++k) {
        uint32_t place = s.reverse ? s.length - 1 - k : k;
        step((size_t(o) * s.length + place) * s.inner + i, k);
      }
    }
}

TEST(Cumulate, sumsAreThoseOfALoop) {
  Random random(1);
  for (int round = 0; round < 30; ++round) {
    CumulateSumIntParams p{.shape = randomCumulateShape(random)};
    const CumulateShape &s = p.shape;
    auto x = randomBytes<int8_t>(random, size_t(s.outer) * s.length * s.inner);
    p.inZp = int32_t(random.below(9)) - 4;
    p.requant.scale = 1 + int32_t(random.below(300)), p.requant.shift = 9;
    p.requant.zp = 3;
    std::vector<int8_t> found(x.size());
    runKernel("yk_cumulate_sum_int", p, {x.data(), found.data()}, 3);
    int64_t sum = 0;
    walk(
        s, [&] { sum = 0; },
        [&](size_t at, uint32_t) {
          int64_t next = sum + x[at] + p.inZp;
          int64_t y = rounded((s.exclusive ? sum : next) * p.requant.scale, 9);
          EXPECT_EQ(found[at], limited(y - 3, -128, 127)) << at;
          sum = next;
        });
  }
}

/// Integers of 8 and 16 bits; many short rows, and rows that tasks share.
TEST(Cumulate, sumsOfAllTypesAreThoseOfALoop) {
  Random random(4);
  auto drawType = [&] {
    return random.of({DType::I8, DType::U8, DType::I16, DType::U16});
  };
  for (int round = 0; round < 200; ++round) {
    CumulateSumIntParams p{.shape = randomCumulateShape(random),
                           .inType = drawType()};
    CumulateShape &s = p.shape;
    if (random.oneIn(3))
      s.outer = 1 + random.below(90), s.length = 1 + random.below(20),
      s.inner = 1 + random.below(4);
    p.inZp = int32_t(random.below(400)) - 200;
    Requant &r = p.requant;
    r.outType = drawType();
    auto [low, high] = limitsOf(r.outType);
    r.lo = low, r.hi = high;
    r.scale = int32_t(random.below(random.oneIn(2) ? 300 : 65536));
    r.shift = int32_t(random.below(30)) - (random.oneIn(8) ? 4 : 0);
    r.zp = int32_t(random.below(9)) - 4;
    r.rounding = random.oneIn(4) ? Rounding::HalfUp : Rounding::HalfEven;
    size_t count = size_t(s.outer) * s.length * s.inner;
    std::vector<uint8_t> x(count * dtypeBytes(p.inType)),
        found(count * dtypeBytes(r.outType));
    for (uint8_t &byte : x)
      byte = uint8_t(random.next());
    runKernel("yk_cumulate_sum_int", p, {x.data(), found.data()},
              random.between(1, 9));
    int64_t sum = 0;
    walk(
        s, [&] { sum = 0; },
        [&](size_t at, uint32_t) {
          int64_t next =
              sum + loadOneI32(p.inType, x.data(), int64_t(at)) + p.inZp;
          int64_t y = shiftRounded((s.exclusive ? sum : next) * r.scale,
                                   makeRoundShift(r.shift, r.rounding));
          y = clamp<int64_t>(y - r.zp, low, high);
          ASSERT_EQ(loadOneI32(r.outType, found.data(), int64_t(at)), y)
              << "round " << round << ", element " << at;
          sum = next;
        });
  }
}

/// Running sums and products in double, whatever the lines are.
TEST(Cumulate, floatsAreThoseOfALoop) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    CumulateFloatParams p{.shape = randomCumulateShape(random),
                          .isProduct = random.below(2)};
    CumulateShape &s = p.shape;
    if (random.oneIn(3))
      s.outer = 1 + random.below(90), s.length = 1 + random.below(20),
      s.inner = 1 + random.below(4);
    p.inType = random.of({DType::F32, DType::F16});
    size_t count = size_t(s.outer) * s.length * s.inner;
    std::vector<uint8_t> x(count * dtypeBytes(p.inType));
    for (size_t i = 0; i < count; ++i) {
      float v = random.real(-1.2f, 1.2f);
      storeF32(p.inType, x.data(), int64_t(i), 1, &v);
    }
    std::vector<float> found(count);
    runKernel("yk_cumulate_float", p, {x.data(), found.data()},
              random.between(1, 9));
    double state = 0;
    walk(
        s, [&] { state = p.isProduct ? 1 : 0; },
        [&](size_t at, uint32_t) {
          float v;
          loadF32(p.inType, x.data(), int64_t(at), 1, &v);
          double next = p.isProduct ? state * v : state + v;
          ASSERT_EQ(found[at], float(s.exclusive ? state : next)) << round;
          state = next;
        });
  }
}

TEST(Cumulate, productsAreThoseOfALoop) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    CumulateProductIntParams p{.shape = randomCumulateShape(random)};
    const CumulateShape &s = p.shape;
    auto x = randomBytes<int8_t>(random, size_t(s.outer) * s.length * s.inner);
    p.inZp = int32_t(random.below(9)) - 4;
    std::vector<uint16_t> scale(s.length);
    std::vector<int32_t> shift(s.length);
    for (uint32_t k = 0; k < s.length; ++k)
      scale[k] = uint16_t(random.below(32768)),
      shift[k] = int32_t(5 * k + random.below(30));
    std::vector<int8_t> found(x.size());
    runKernel("yk_cumulate_product_int", p,
              {x.data(), scale.data(), shift.data(), found.data()}, 2);
    SlowProduct product;
    walk(
        s, [&] { product = {}; },
        [&](size_t at, uint32_t k) {
          SlowProduct before = product;
          product.multiply(x[at] + p.inZp, true);
          const SlowProduct &now = s.exclusive ? before : product;
          EXPECT_EQ(found[at], limited(rounded(now.value * scale[k],
                                               shift[k] - now.halvings),
                                       -128, 127))
              << at << " step " << k;
        });
  }
}

TEST(ReduceProduct, isThatOfALoopInTheOrderOfTheAxes) {
  Random random(4);
  for (int round = 0; round < 30; ++round) {
    uint32_t a = 1 + random.below(6), b = 1 + random.below(200),
             c = 1 + random.below(6);
    ReduceProductIntParams p{
        .kept = {.rank = 1, .dims = {b}, .strides = {c}},
        .reduced = {.rank = 2, .dims = {c, a}, .strides = {1, b * c}},
        .inType = DType::U8};
    p.isSigned = 0;
    p.shift = int32_t(6 * a * c);
    p.requant.outType = DType::U8;
    p.requant.lo = 0, p.requant.hi = 255;
    p.requant.scale = 1 + int32_t(random.below(32767));
    auto x = randomBytes<int8_t>(random, size_t(a) * b * c);
    const auto *bytes = reinterpret_cast<const uint8_t *>(x.data());
    std::vector<uint8_t> found(b);
    runKernel("yk_reduce_product_int", p, {x.data(), found.data()}, 4);
    for (uint32_t j = 0; j < b; ++j) {
      SlowProduct product;
      for (uint32_t k = 0; k < c; ++k)
        for (uint32_t i = 0; i < a; ++i)
          product.multiply(bytes[(size_t(i) * b + j) * c + k], false);
      EXPECT_EQ(found[j], limited(rounded(product.value * p.requant.scale,
                                          p.shift - product.halvings),
                                  0, 255));
    }
  }
}

TEST(Count, isThatOfALoop) {
  Random random(5);
  CountParams p{.outer = 3, .inner = 501, .bins = 7, .outType = DType::U8};
  const std::vector<int64_t> edges = {-100, -50, -50, 0,
                                      3,    60,  100, int64_t(1) << 40};
  auto x = randomBytes<int8_t>(random, size_t(p.outer) * p.inner);
  std::vector<uint8_t> found(size_t(p.outer) * p.bins);
  runKernel("yk_count_int", p, {x.data(), edges.data(), found.data()}, 2);
  for (uint32_t n = 0; n < p.outer; ++n)
    for (uint32_t bin = 0; bin < p.bins; ++bin) {
      int32_t count = 0;
      for (uint32_t i = 0; i < p.inner; ++i) {
        int64_t v = x[n * p.inner + i];
        count += v >= edges[bin] && v < edges[bin + 1];
      }
      EXPECT_EQ(found[n * p.bins + bin], std::min(count, 255));
    }
}

} // namespace
