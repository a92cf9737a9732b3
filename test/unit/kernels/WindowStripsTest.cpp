//===- WindowStripsTest.cpp - Windows of elements against plain loops -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Pooling and resizing, which kernels do in strips (kernels/Strips.h):
// channels around a strip, windows that stick out and large ones.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/Numeric.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/TypeLimits.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::limitsOf;
using yarrow::testing::Random;

namespace {

/// A tensor of integers of 8 or 16 bits, as it lies in memory.
struct Tensor {
  DType type;
  std::vector<uint8_t> memory;

  Tensor(DType type, size_t count)
      : type(type), memory(count * dtypeBytes(type)) {}
  Tensor(DType type, size_t count, Random &random) : Tensor(type, count) {
    for (uint8_t &byte : memory)
      byte = uint8_t(random.next());
  }
  size_t size() const { return memory.size() / dtypeBytes(type); }
  int32_t operator[](size_t i) const {
    return loadOneI32(type, memory.data(), int64_t(i));
  }
};

DType drawType(Random &random) {
  return random.of({DType::I8, DType::U8, DType::I16, DType::U16});
}

PoolShape drawPool(Random &random) {
  auto upTo = [&](uint32_t n) { return 1 + random.below(n); };
  bool isLarge = random.oneIn(4);
  PoolShape s{.batch = upTo(2), .channels = upTo(70)};
  s.inH = upTo(isLarge ? 16 : 6), s.inW = upTo(isLarge ? 16 : 6);
  s.kernelH = upTo(isLarge ? 16 : 3), s.kernelW = upTo(isLarge ? 16 : 3);
  s.strideH = upTo(3), s.strideW = upTo(3);
  s.dilationH = upTo(2), s.dilationW = upTo(2);
  s.padTop = int32_t(random.below(4)), s.padLeft = int32_t(random.below(4));
  s.outH = upTo(4), s.outW = upTo(4);
  s.countIncludePad = random.below(2);
  return s;
}

/// Calls fn(element of channel 0) for the cells of output pixel (n, i, j).
template <typename Fn>
void forEachCell(const PoolShape &s, uint32_t n, uint32_t i, uint32_t j,
                 Fn fn) {
  for (uint32_t ky = 0; ky < s.kernelH; ++ky)
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      int y = int(i * s.strideH + ky * s.dilationH) - s.padTop;
      int x = int(j * s.strideW + kx * s.dilationW) - s.padLeft;
      if (y >= 0 && x >= 0 && y < int(s.inH) && x < int(s.inW))
        fn(((n * s.inH + uint32_t(y)) * s.inW + uint32_t(x)) * s.channels);
    }
}

int32_t plainPool(const PoolIntParams &p, const Tensor &x, uint32_t out) {
  const PoolShape &s = p.shape;
  uint32_t c = out % s.channels, pixel = out / s.channels, cells = 0;
  int32_t best = limitsOf(p.inType).low;
  int64_t sum = 0;
  forEachCell(s, pixel / s.outW / s.outH, pixel / s.outW % s.outH,
              pixel % s.outW, [&](uint32_t element) {
                int32_t value = x[element + c];
                best = std::max(best, value);
                sum += value + p.inZp;
                ++cells;
              });
  if (s.method == PoolMethod::Max)
    return best;
  uint32_t divisor =
      s.countIncludePad ? s.kernelH * s.kernelW : std::max(cells, 1u);
  ScaleShift scale = averageScale(p.scaleRatio, divisor);
  return requantize(sum, scale.scale, scale.shift, p.zp, p.lo, p.hi);
}

/// Low position, and how far a place is past it.
struct Place {
  uint32_t low, high;
  double fraction;
};
Place placeOf(CoordMode mode, uint32_t i, uint32_t in, uint32_t out) {
  double n = in, v = mode == CoordMode::Asymmetric  ? i * n / out
                     : mode == CoordMode::HalfPixel ? (i + 0.5) * n / out - 0.5
                     : out > 1                      ? i * (n - 1) / (out - 1)
                                                    : 0;
  double low = std::clamp(std::floor(v), 0.0, n - 1);
  return {uint32_t(low), uint32_t(std::clamp(std::ceil(v), 0.0, n - 1)),
          v - low};
}

int32_t plainBilinear(const ResizeIntParams &p, const Tensor &x, uint32_t out) {
  const ResizeShape &s = p.shape;
  uint32_t c = out % s.channels, pixel = out / s.channels;
  Place h = placeOf(s.coordMode, pixel % s.outW, s.inW, s.outW);
  Place v = placeOf(s.coordMode, pixel / s.outW % s.outH, s.inH, s.outH);
  uint32_t image = pixel / s.outW / s.outH * s.inH;
  int64_t sum = 0;
  for (bool lower : {false, true})
    for (bool right : {false, true}) {
      double weight = (lower ? v.fraction : 1 - v.fraction) *
                      (right ? h.fraction : 1 - h.fraction);
      uint32_t row = image + (lower ? v.high : v.low);
      uint32_t column = right ? h.high : h.low;
      sum += int64_t(std::floor(weight * (1 << p.weightShift) + 0.5)) *
             x[(row * s.inW + column) * s.channels + c];
    }
  return requantize(sum, 1, p.weightShift, 0, p.lo, p.hi);
}

TEST(PoolStrips, MaximaAndAverages) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    PoolIntParams p{.shape = drawPool(random)};
    PoolShape &s = p.shape;
    s.method = random.oneIn(3) ? PoolMethod::Max : PoolMethod::Avg;
    p.inType = p.outType = drawType(random);
    p.inZp = int32_t(random.below(513)) - 256;
    p.zp = int32_t(random.below(513)) - 256;
    // Above 254, averages are scaled up.
    p.scaleRatio = float(1 + random.below(1000)) / random.of({1.f, 100.f});
    p.lo = limitsOf(p.outType).low, p.hi = limitsOf(p.outType).high;
    Tensor x(p.inType, size_t(s.batch) * s.inH * s.inW * s.channels, random),
        y(p.outType, size_t(s.batch) * s.outH * s.outW * s.channels);
    runKernel("yk_pool_int", p, {x.memory.data(), y.memory.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], plainPool(p, x, i))
          << "round " << round << ", element " << i;
  }
}

TEST(PoolStrips, FloatsAndNaN) {
  Random random(12);
  for (int round = 0; round < 100; ++round) {
    PoolFloatParams p{.shape = drawPool(random)};
    PoolShape &s = p.shape;
    s.method = random.of({PoolMethod::Max, PoolMethod::L1, PoolMethod::L2});
    std::vector<float> x(size_t(s.batch) * s.inH * s.inW * s.channels);
    for (float &value : x)
      value = random.oneIn(50) ? NAN : float(random.below(2000)) / 100 - 10;
    std::vector<float> y(size_t(s.batch) * s.outH * s.outW * s.channels);
    runKernel("yk_pool_float", p, {x.data(), y.data()}, 1 + random.below(4));
    for (uint32_t out = 0; out < y.size(); ++out) {
      uint32_t pixel = out / s.channels;
      float want = s.method == PoolMethod::Max ? -INFINITY : 0;
      forEachCell(s, pixel / s.outW / s.outH, pixel / s.outW % s.outH,
                  pixel % s.outW, [&](uint32_t element) {
                    float value = x[element + out % s.channels];
                    if (s.method == PoolMethod::Max)
                      want = want > value || want != want ? want : value;
                    else
                      want += s.method == PoolMethod::L1 ? std::fabs(value)
                                                         : value * value;
                  });
      want = s.method == PoolMethod::L2 ? std::sqrt(want) : want;
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(y[out])) << out;
      else
        ASSERT_EQ(y[out], want) << "round " << round << ", element " << out;
    }
  }
}

TEST(ResizeStrips, BilinearMeans) {
  Random random(13);
  for (int round = 0; round < 150; ++round) {
    auto upTo = [&](uint32_t n) { return 1 + random.below(n); };
    ResizeIntParams p{.shape = {.batch = upTo(2),
                                .inH = upTo(9),
                                .inW = upTo(9),
                                .channels = upTo(70),
                                .outH = upTo(12),
                                .outW = upTo(80)}};
    ResizeShape &s = p.shape;
    s.coordMode = random.of(
        {CoordMode::HalfPixel, CoordMode::AlignCorners, CoordMode::Asymmetric});
    p.inType = p.outType = drawType(random);
    p.weightShift = int32_t(random.below(17));
    p.lo = limitsOf(p.outType).low, p.hi = limitsOf(p.outType).high;
    Tensor x(p.inType, size_t(s.batch) * s.inH * s.inW * s.channels, random),
        y(p.outType, size_t(s.batch) * s.outH * s.outW * s.channels);
    runKernel("yk_resize_int", p, {x.memory.data(), y.memory.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], plainBilinear(p, x, i))
          << "round " << round << ", element " << i;
  }
}

} // namespace
