//===- FloatConvTest.cpp - Float convolutions against the definition ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random geometries against plain loops in double precision, of weights as the
// IR has them, which are packed here as Conv.h describes it.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatTile.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

using Floats = std::vector<float>;

class FloatConv : public ::testing::TestWithParam<bool> {
protected:
  uint32_t between(uint32_t low, uint32_t high) {
    return low + random.below(high - low + 1);
  }
  Floats drawn(size_t count) {
    Floats values(count);
    for (float &v : values)
      v = float(int32_t(random.next())) / (1u << 31);
    return values;
  }
  Conv2DShape drawShape(bool isTransposed);

  Random random{7};
};

Conv2DShape FloatConv::drawShape(bool isTransposed) {
  // Taps that are blocks of their own, that are several, and rows of taps.
  uint32_t depth = random.of({1u, 3u, 8u, 31u, 32u, 70u});
  Conv2DShape s;
  s.batch = between(1, 2), s.groups = random.of({1u, 1u, 2u});
  s.inC = s.groups * depth;
  s.outC = s.groups * random.of({1u, 8u, 10u, 17u, 32u, 45u});
  s.kernelH = between(1, 3), s.kernelW = between(1, 4);
  s.strideH = between(1, 2), s.strideW = between(1, 3);
  s.dilationH = between(1, 2), s.dilationW = random.of({1u, 1u, 2u});
  // Some windows of direct ones lie in the padding alone.
  uint32_t wider = isTransposed ? 1 : 3;
  s.padTop = int32_t(random.below(s.kernelH * wider));
  s.padLeft = int32_t(random.below(s.kernelW * wider));
  uint32_t reachH = s.dilationH * (s.kernelH - 1) + 1,
           reachW = s.dilationW * (s.kernelW - 1) + 1;
  s.inH = reachH + random.below(4), s.inW = reachW + random.below(24);
  if (isTransposed) {
    s.outH = (s.inH - 1) * s.strideH + reachH - uint32_t(s.padTop);
    s.outW = (s.inW - 1) * s.strideW + reachW - uint32_t(s.padLeft);
  } else {
    s.outH = (s.inH + uint32_t(s.padTop) - reachH) / s.strideH + 1;
    // Some padding behind.
    s.outW = (s.inW + 2 * uint32_t(s.padLeft) - reachW) / s.strideW + 1;
  }
  return s;
}

/// Whether a tap of an output reads the input, and where.
bool reads(bool isTransposed, uint32_t out, uint32_t tap, uint32_t stride,
           uint32_t dilation, int32_t pad, uint32_t size, uint32_t &in) {
  int64_t at = isTransposed
                   ? int64_t(out) + pad - int64_t(tap) * dilation
                   : int64_t(out) * stride - pad + int64_t(tap) * dilation;
  if (isTransposed && at % stride != 0)
    return false;
  at = isTransposed ? at / stride : at;
  in = uint32_t(at);
  return at >= 0 && at < size;
}

TEST_P(FloatConv, equalsTheDefinition) {
  bool isTransposed = GetParam();
  for (int round = 0; round < 120; ++round) {
    Conv2DShape s = drawShape(isTransposed);
    uint32_t depth = s.inC / s.groups, perGroup = s.outC / s.groups;
    uint32_t taps = s.kernelH * s.kernelW, terms = taps * depth;
    Floats x = drawn(size_t(s.batch) * s.inH * s.inW * s.inC),
           bias = drawn(s.outC), w = drawn(size_t(s.outC) * terms),
           y(size_t(s.batch) * s.outH * s.outW * s.outC),
           packed(size_t(s.groups) * packedColumns(perGroup) * terms);
    // w[output][term], of all groups.
    for (uint32_t o = 0; o < s.outC; ++o) {
      uint32_t c = o % perGroup, first = c / kTileColumns * kTileColumns;
      uint32_t width =
          tileWidth(std::min(perGroup - first, uint32_t(kTileColumns)));
      for (uint32_t k = 0; k < terms; ++k)
        packed[(size_t(o / perGroup) * packedColumns(perGroup) + first) *
                   terms +
               size_t(k) * width + c % kTileColumns] = w[o * terms + k];
    }
    Conv2DFloatParams p{.shape = s};
    const char *symbol =
        isTransposed ? "yk_conv_transpose2d_float" : "yk_conv2d_float";
    runKernel(symbol, p,
              {x.data(), packed.data(), bias.data(), nullptr, y.data()},
              between(1, 4));
    double worst = 0;
    for (size_t i = 0; i < y.size(); ++i) {
      uint32_t o = i % s.outC, column = i / s.outC % s.outW,
               row = i / s.outC / s.outW % s.outH;
      size_t image = i / s.outC / s.outW / s.outH;
      double sum = bias[o];
      for (uint32_t tap = 0; tap < taps; ++tap) {
        uint32_t inY, inX;
        if (!reads(isTransposed, row, tap / s.kernelW, s.strideH, s.dilationH,
                   s.padTop, s.inH, inY) ||
            !reads(isTransposed, column, tap % s.kernelW, s.strideW,
                   s.dilationW, s.padLeft, s.inW, inX))
          continue;
        size_t pixel = (image * s.inH + inY) * s.inW + inX;
        for (uint32_t k = 0; k < depth; ++k)
          sum += double(x[pixel * s.inC + o / perGroup * depth + k]) *
                 w[o * terms + tap * depth + k];
      }
      worst = std::max(worst, std::abs(y[i] - sum));
    }
    EXPECT_LT(worst, 1e-6 * std::sqrt(terms + 1)) << round;
  }
}

/// To the bit: each output adds its taps in their order, without contraction.
TEST_P(FloatConv, addsTapsOfDepthwiseLayersInTheirOrder) {
  if (GetParam())
    return; // of direct ones
  for (int round = 0; round < 120; ++round) {
    Conv2DShape s = drawShape(/*isTransposed=*/false);
    s.groups = 1, s.outC = s.inC;
    Conv2DFloatParams p{.shape = s};
    p.act.act = random.of({Act::None, Act::Relu, Act::Relu6, Act::Clip});
    p.act.clipMin = -0.25f, p.act.clipMax = 0.5f;
    uint32_t taps = s.kernelH * s.kernelW;
    Floats x = drawn(size_t(s.batch) * s.inH * s.inW * s.inC),
           bias = drawn(s.outC), w = drawn(size_t(s.outC) * taps),
           y(size_t(s.batch) * s.outH * s.outW * s.outC + 1, 7.0f);
    runKernel("yk_depthwise_conv2d_float", p,
              {x.data(), w.data(), bias.data(), nullptr, y.data()},
              between(1, 4));
    for (size_t i = 0; i + 1 < y.size(); ++i) {
      uint32_t o = i % s.outC, column = i / s.outC % s.outW,
               row = i / s.outC / s.outW % s.outH;
      size_t image = i / s.outC / s.outW / s.outH;
      float sum = bias[o];
      for (uint32_t tap = 0; tap < taps; ++tap) {
        uint32_t inY, inX;
        if (!reads(false, row, tap / s.kernelW, s.strideH, s.dilationH,
                   s.padTop, s.inH, inY) ||
            !reads(false, column, tap % s.kernelW, s.strideW, s.dilationW,
                   s.padLeft, s.inW, inX))
          continue;
        float product = x[((image * s.inH + inY) * s.inW + inX) * s.inC + o] *
                        w[tap * s.outC + o];
        sum += product;
      }
      if (p.act.act != Act::None) {
        bool isClip = p.act.act == Act::Clip, isRelu6 = p.act.act == Act::Relu6;
        sum = std::max(sum, isClip ? -0.25f : 0.0f);
        sum = std::min(sum, isClip ? 0.5f : isRelu6 ? 6.0f : sum);
      }
      ASSERT_EQ(y[i], sum) << round << " " << i;
    }
    EXPECT_EQ(y.back(), 7.0f); // What lies behind the result stays.
  }
}

/// x86 makes a NaN with the sign set, TECs one without.
TEST(FloatDepthwise, StoresTheOneNaN) {
  constexpr uint32_t kChannels = 32 + 16 + 4 + 1; // each width of the host
  Conv2DShape s;
  s.inC = s.outC = kChannels;
  for (Act act : {Act::None, Act::Relu6}) {
    Conv2DFloatParams p{.shape = s};
    p.act.act = act;
    Floats x(kChannels, std::numeric_limits<float>::infinity()),
        zeros(kChannels), y(kChannels);
    runKernel("yk_depthwise_conv2d_float", p,
              {x.data(), zeros.data(), zeros.data(), nullptr, y.data()}, 1);
    for (float value : y)
      EXPECT_EQ(std::bit_cast<uint32_t>(value), 0x7fc00000u);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, FloatConv, ::testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "transposed" : "direct";
                         });

} // namespace
