//===- DepthwiseFloatTest.cpp - Depthwise floats against plain loops ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Bits, not tolerances: an output begins with its bias and adds its taps in
// order, whichever pixels are computed together.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

Conv2DShape drawShape(Random &random) {
  Conv2DShape s;
  s.batch = random.between(1, 2);
  s.inC = random.of({1u, 3u, 8u, 31u, 32u, 45u});
  s.outC = s.inC * random.of({1u, 1u, 2u, 3u});
  s.kernelH = random.between(1, 3), s.kernelW = random.between(1, 5);
  s.strideH = random.between(1, 2), s.strideW = random.between(1, 3);
  s.dilationH = random.between(1, 2), s.dilationW = random.of({1u, 1u, 2u});
  s.padTop = int32_t(random.below(s.kernelH * 2));
  s.padLeft = int32_t(random.below(s.kernelW * 2));
  uint32_t reachH = s.dilationH * (s.kernelH - 1) + 1,
           reachW = s.dilationW * (s.kernelW - 1) + 1;
  s.inH = reachH + random.below(4), s.inW = reachW + random.below(20);
  s.outH = (s.inH + uint32_t(s.padTop) - reachH) / s.strideH + 1;
  s.outW = (s.inW + 2 * uint32_t(s.padLeft) - reachW) / s.strideW + 1;
  return s;
}

/// Values of a type, in bytes as it stores them.
struct Values {
  DType type;
  std::vector<uint8_t> bytes;

  Values(DType type, size_t count) : type(type), bytes(count * 4) {}
  float operator[](int64_t i) const {
    float value;
    loadF32(type, bytes.data(), i, 1, &value);
    return value;
  }
};
Values drawnFloats(Random &random, DType type, size_t count) {
  Values values(type, count);
  for (size_t i = 0; i < count; ++i) {
    float value = float(int32_t(random.next())) / (1u << 31);
    storeF32(type, values.bytes.data(), int64_t(i), 1, &value);
  }
  return values;
}

float outputOf(const Conv2DShape &s, const Values &x, const Values &weights,
               const Values &bias, size_t output) {
  uint32_t o = output % s.outC, column = output / s.outC % s.outW,
           row = output / s.outC / s.outW % s.outH;
  size_t image = output / s.outC / s.outW / s.outH;
  float sum = bias[o];
  for (uint32_t ky = 0; ky < s.kernelH; ++ky)
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      int64_t inY = int64_t(row) * s.strideH + ky * s.dilationH - s.padTop,
              inX = int64_t(column) * s.strideW + kx * s.dilationW - s.padLeft;
      if (inY < 0 || inX < 0 || inY >= s.inH || inX >= s.inW)
        continue;
      size_t pixel = (image * s.inH + size_t(inY)) * s.inW + size_t(inX);
      float product = x[int64_t(pixel * s.inC + o / (s.outC / s.inC))] *
                      weights[(ky * s.kernelW + kx) * s.outC + o];
      sum += product;
    }
  return sum;
}

TEST(DepthwiseFloat, addsTapsInOrder) {
  Random random(3);
  for (int round = 0; round < 150; ++round) {
    Conv2DShape s = drawShape(random);
    DType type = random.of({DType::F32, DType::F16, DType::BF16});
    size_t count = size_t(s.batch) * s.outH * s.outW * s.outC;
    Values x =
        drawnFloats(random, type, size_t(s.batch) * s.inH * s.inW * s.inC);
    Values weights =
        drawnFloats(random, DType::F32, size_t(s.kernelH) * s.kernelW * s.outC);
    Values bias = drawnFloats(random, DType::F32, s.outC);
    std::vector<float> y(count);
    runKernel("yk_depthwise_conv2d_float",
              Conv2DFloatParams{.shape = s, .inType = type},
              {x.bytes.data(), weights.bytes.data(), bias.bytes.data(), nullptr,
               y.data()},
              random.between(1, 4));
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(y[i], outputOf(s, x, weights, bias, i)) << round << ' ' << i;
  }
}

} // namespace
