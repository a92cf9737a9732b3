//===- RotaryTest.cpp - Rotary position embedding -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random shapes against the definition, value by value.
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

RotaryShape randomRotaryShape(Random &random) {
  RotaryShape s;
  s.batch = 1 + random.below(3), s.heads = 1 + random.below(3);
  s.steps = 1 + random.below(6), s.size = 2 + random.below(300);
  bool isOutside = random.oneIn(2);
  s.batchStride = s.heads * s.steps * s.size;
  s.headStride = isOutside ? s.steps * s.size : s.size;
  s.stepStride = isOutside ? s.size : s.heads * s.size;
  s.rotated = 2 * (1 + random.below(s.size / 2));
  s.interleaved = random.below(2);
  s.cacheRows = s.steps + random.below(3);
  s.cacheWidth = s.rotated / 2 + random.below(3);
  s.cacheBatchStride = random.below(2) * s.cacheRows * s.cacheWidth;
  s.hasPositions = random.below(2);
  return s;
}

/// Calls fn(index of a, of b, of the cache or -1) for every pair, and kept(i)
/// for every other value.
template <typename Pair, typename Kept>
void visit(const RotaryShape &s, const std::vector<int32_t> &positions, Pair fn,
           Kept kept) {
  for (uint32_t n = 0; n < s.batch; ++n)
    for (uint32_t h = 0; h < s.heads; ++h)
      for (uint32_t t = 0; t < s.steps; ++t) {
        size_t at = n * s.batchStride + h * s.headStride + t * s.stepStride;
        int64_t row = t;
        if (s.hasPositions)
          row = positions[n * s.steps + t];
        if (row < 0)
          row += s.cacheRows;
        bool isThere = row >= 0 && row < s.cacheRows;
        for (uint32_t k = 0; k < s.rotated / 2; ++k) {
          size_t a = s.interleaved ? 2 * k : k,
                 b = s.interleaved ? 2 * k + 1 : k + s.rotated / 2;
          fn(at + a, at + b,
             isThere ? int64_t(n * s.cacheBatchStride) + row * s.cacheWidth + k
                     : -1);
        }
        for (uint32_t k = s.rotated; k < s.size; ++k)
          kept(at + k);
      }
}

std::vector<int32_t> randomPositions(const RotaryShape &s, Random &random) {
  std::vector<int32_t> positions(s.batch * s.steps);
  for (int32_t &p : positions)
    p = int32_t(random.below(2 * s.cacheRows + 4)) - int32_t(s.cacheRows) - 2;
  return positions;
}

TEST(Rotary, FloatIsTheDefinition) {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    RotaryFloatParams p{.shape = randomRotaryShape(random)};
    const RotaryShape &s = p.shape;
    auto values = [&](size_t n) {
      std::vector<float> v(n);
      for (float &x : v)
        x = float(int32_t(random.below(2001)) - 1000) / 500;
      return v;
    };
    std::vector<float> x = values(s.batch * s.batchStride),
                       cos = values(s.batch * s.cacheRows * s.cacheWidth),
                       sin = values(cos.size()), y(x.size(), -9), expected = x;
    std::vector<int32_t> positions = randomPositions(s, random);
    runKernel("yk_rotary_float", p,
              {x.data(), cos.data(), sin.data(), positions.data(), y.data()},
              1 + random.below(4));
    visit(
        s, positions,
        [&](size_t a, size_t b, int64_t cache) {
          float c = cache < 0 ? 0 : cos[cache], d = cache < 0 ? 0 : sin[cache];
          expected[a] = x[a] * c - x[b] * d;
          expected[b] = x[a] * d + x[b] * c;
        },
        [](size_t) {});
    for (size_t i = 0; i < y.size(); ++i)
      ASSERT_FLOAT_EQ(y[i], expected[i]) << "round " << round << ", " << i;
  }
}

TEST(Rotary, IntegersRoundTwoProductsInFloat) {
  Random random(12);
  for (int round = 0; round < 40; ++round) {
    RotaryIntParams p{.shape = randomRotaryShape(random),
                      .inType = DType::I16,
                      .cosType = DType::I8,
                      .sinType = DType::I16,
                      .outType = DType::I16,
                      .cosFactor = 0.0078f,
                      .sinFactor = 0.00004f,
                      .keptFactor = 0.73f,
                      .lo = -30000,
                      .hi = 30001};
    const RotaryShape &s = p.shape;
    std::vector<int16_t> x(s.batch * s.batchStride),
        sin(s.batch * s.cacheRows * s.cacheWidth), y(x.size(), -9);
    std::vector<int8_t> cos(sin.size());
    for (int16_t &v : x)
      v = int16_t(random.next());
    for (int16_t &v : sin)
      v = int16_t(random.next());
    for (int8_t &v : cos)
      v = int8_t(random.next());
    std::vector<int32_t> positions = randomPositions(s, random);
    runKernel("yk_rotary_int", p,
              {x.data(), cos.data(), sin.data(), positions.data(), y.data()},
              1 + random.below(4));
    auto stored = [&](float v) {
      return int16_t(std::clamp(std::nearbyintf(v), -30000.0f, 30001.0f));
    };
    // Each product, and its product with the factor, is rounded to float32.
    auto product = [](int64_t u, int64_t v, float factor) {
      volatile float rounded = float(u * v) * factor;
      return float(rounded);
    };
    visit(
        s, positions,
        [&](size_t a, size_t b, int64_t cache) {
          int64_t c = cache < 0 ? 0 : cos[cache],
                  d = cache < 0 ? 0 : sin[cache];
          ASSERT_EQ(y[a], stored(product(c, x[a], p.cosFactor) -
                                 product(d, x[b], p.sinFactor)));
          ASSERT_EQ(y[b], stored(product(d, x[a], p.sinFactor) +
                                 product(c, x[b], p.cosFactor)));
        },
        [&](size_t i) {
          ASSERT_EQ(y[i], stored(product(1, x[i], p.keptFactor)));
        });
  }
}

} // namespace
