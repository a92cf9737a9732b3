//===- ProductsTest.cpp - Products of matrices against plain loops --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

/// RNE(x * m / 2^s) with all the bits that it needs.
__int128 scaled(__int128 x, int32_t m, int32_t s) {
  __int128 n = x * m;
  if (s <= 0)
    return n << -s;
  __int128 q = n >> s, rest = n - (q << s), half = __int128(1) << (s - 1);
  return q + (rest > half || (rest == half && (q & 1)));
}

struct GemmCase {
  GemmIntParams p;
  std::vector<int16_t> a, b, c;

  explicit GemmCase(Random &random) {
    MatMulShape &s = p.product.shape;
    s.m = 1 + random.below(5), s.n = 1 + random.below(140);
    s.k = 1 + random.below(20);
    s.transA = random.below(2), s.transB = random.below(2);
    p.product.typeA = p.product.typeB = p.c.type = DType::I16;
    p.c.rows = random.oneIn(2) ? 1 : s.m;
    p.c.columns = random.oneIn(2) ? 1 : s.n;
    auto fill = [&](std::vector<int16_t> &v, size_t count) {
      for (size_t i = 0; i < count; ++i)
        v.push_back(int16_t(random.below(65536)));
    };
    fill(a, s.m * s.k), fill(b, s.n * s.k), fill(c, p.c.rows * p.c.columns);
    p.product.zpA = int32_t(random.below(99)), p.product.zpB = -5;
    p.zpC = 7;
    p.scaleProduct = int32_t(random.below(1 << 25)) - (1 << 24);
    p.scaleC = int32_t(random.below(1 << 30)) - (1 << 29);
    yarrow::kernels::Requant &r = p.product.requant;
    r.outType = DType::I16, r.lo = -32768, r.hi = 32767;
    r.scale = int32_t(random.below(65536)), r.zp = 3;
  }

  int64_t valueA(uint32_t i, uint32_t k) const {
    const MatMulShape &s = p.product.shape;
    return a[s.transA ? k * s.m + i : i * s.k + k] + p.product.zpA;
  }
  int64_t valueB(uint32_t k, uint32_t j) const {
    const MatMulShape &s = p.product.shape;
    return b[s.transB ? j * s.k + k : k * s.n + j] + p.product.zpB;
  }
  int64_t valueC(uint32_t i, uint32_t j) const {
    return c[i % p.c.rows * p.c.columns + j % p.c.columns] + p.zpC;
  }
};

TEST(Gemm, integersAreExactBeyond64Bits) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    GemmCase g(random);
    GemmIntParams &p = g.p;
    const MatMulShape &s = p.product.shape;
    auto &r = p.product.requant;
    r.shift = int32_t(random.below(64)) - 2;
    // Also sums times the multiplier of far more than 64 bits.
    std::vector<int16_t> y(s.m * s.n);
    runKernel("yk_gemm_int", p, {g.a.data(), g.b.data(), g.c.data(), y.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < s.m; ++i)
      for (uint32_t j = 0; j < s.n; ++j) {
        __int128 sum = 0;
        for (uint32_t k = 0; k < s.k; ++k)
          sum += g.valueA(i, k) * g.valueB(k, j);
        sum = sum * p.scaleProduct + __int128(g.valueC(i, j)) * p.scaleC;
        __int128 value = scaled(sum, r.scale, std::min(r.shift, 62)) - r.zp;
        value = std::clamp<__int128>(value, r.lo, r.hi);
        EXPECT_EQ(y[i * s.n + j], int16_t(value)) << round << " " << r.shift;
      }
  }
}

TEST(Gemm, floats) {
  Random random(8);
  for (int round = 0; round < 20; ++round) {
    GemmCase g(random);
    const MatMulShape &s = g.p.product.shape;
    GemmFloatParams p;
    p.product.shape = s;
    p.c = g.p.c;
    p.c.type = DType::F32;
    p.alpha = -0.5f, p.beta = 2;
    bool hasC = round % 4;
    auto reals = [](const std::vector<int16_t> &v) {
      std::vector<float> f;
      for (int16_t x : v)
        f.push_back(float(x % 16));
      return f;
    };
    std::vector<float> a = reals(g.a), b = reals(g.b), c = reals(g.c),
                       y(s.m * s.n);
    runKernel("yk_gemm_float", p,
              {a.data(), b.data(), hasC ? c.data() : nullptr, y.data()}, 3);
    for (uint32_t i = 0; i < s.m; ++i)
      for (uint32_t j = 0; j < s.n; ++j) {
        float sum = 0; // of small integers: exact
        for (uint32_t k = 0; k < s.k; ++k)
          sum += a[s.transA ? k * s.m + i : i * s.k + k] *
                 b[s.transB ? j * s.k + k : k * s.n + j];
        float expected = p.alpha * sum;
        if (hasC)
          expected += 2 * c[i % p.c.rows * p.c.columns + j % p.c.columns];
        EXPECT_EQ(y[i * s.n + j], expected);
      }
  }
}

} // namespace
