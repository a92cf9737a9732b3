//===- IntConvTest.cpp - Integer convolutions against the definition ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random geometries, types and paddings against plain loops in 64 bits: what
// the host does for itself (kernels/conv/HostConv.h) and what it does not.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

/// Integers of a type, and as numbers.
struct Numbers {
  DType type;
  std::vector<char> bytes;
  std::vector<int64_t> values;

  template <typename T> void fill(Random &random, size_t count) {
    std::vector<T> drawn(count);
    // Also the largest ones, in a row.
    bool isLargest = random.below(8) == 0;
    for (T &v : drawn)
      v = isLargest ? std::numeric_limits<T>::min() : T(random.next());
    values.assign(drawn.begin(), drawn.end());
    bytes.resize(count * sizeof(T));
    std::memcpy(bytes.data(), drawn.data(), bytes.size());
  }
};

Numbers drawn(Random &random, DType type, size_t count) {
  Numbers n{type, {}, {}};
  if (type == DType::I8)
    n.fill<int8_t>(random, count);
  else if (type == DType::U8)
    n.fill<uint8_t>(random, count);
  else if (type == DType::I16)
    n.fill<int16_t>(random, count);
  else
    n.fill<uint16_t>(random, count);
  return n;
}

Conv2DShape drawShape(Random &random, bool isDepthwise) {
  Conv2DShape s;
  s.batch = 1 + random.below(2);
  s.groups = isDepthwise ? 1 : random.of({1u, 1u, 1u, 2u});
  s.inC = s.groups * random.of({1u, 3u, 4u, 8u, 30u, 130u});
  s.outC =
      isDepthwise ? s.inC : s.groups * random.of({3u, 4u, 16u, 17u, 40u, 70u});
  s.kernelH = 1 + random.below(3), s.kernelW = 1 + random.below(4);
  s.strideH = 1 + random.below(2), s.strideW = 1 + random.below(3);
  s.dilationH = 1 + random.below(2), s.dilationW = random.of({1u, 1u, 2u});
  s.padTop = int32_t(random.below(s.kernelH * 2));
  s.padLeft = int32_t(random.below(s.kernelW * 2));
  uint32_t reachH = s.dilationH * (s.kernelH - 1) + 1,
           reachW = s.dilationW * (s.kernelW - 1) + 1;
  s.inH = reachH + random.below(4), s.inW = reachW + random.below(12);
  s.outH = (s.inH + uint32_t(s.padTop) - reachH) / s.strideH + 1;
  s.outW = (s.inW + 2 * uint32_t(s.padLeft) - reachW) / s.strideW + 1;
  return s;
}

class IntConv : public ::testing::TestWithParam<bool> {
protected:
  /// Of output element i.
  int64_t sumOf(const Conv2DIntParams &p, const Numbers &x, const Numbers &w,
                size_t i) const {
    const Conv2DShape &s = p.shape;
    uint32_t o = i % s.outC;
    int64_t column = int64_t(i / s.outC % s.outW),
            row = int64_t(i / s.outC / s.outW % s.outH);
    size_t image = i / s.outC / s.outW / s.outH;
    uint32_t groups = GetParam() ? s.inC : s.groups, depth = s.inC / groups;
    uint32_t first = o / (s.outC / groups) * depth;
    int64_t sum = 0;
    for (uint32_t ky = 0; ky < s.kernelH; ++ky)
      for (uint32_t kx = 0; kx < s.kernelW; ++kx)
        for (uint32_t k = 0; k < depth; ++k) {
          int64_t y = row * s.strideH - s.padTop + ky * s.dilationH,
                  at = column * s.strideW - s.padLeft + kx * s.dilationW;
          bool isInside = y >= 0 && at >= 0 && y < s.inH && at < s.inW;
          int64_t value = isInside
                              ? x.values[((image * s.inH + size_t(y)) * s.inW +
                                          size_t(at)) *
                                             s.inC +
                                         first + k]
                              : p.padValue;
          sum +=
              value *
              w.values[((size_t(o) * s.kernelH + ky) * s.kernelW + kx) * depth +
                       k];
        }
    return sum;
  }
};

TEST_P(IntConv, equalsTheDefinition) {
  Random random(11);
  bool isDepthwise = GetParam();
  for (int round = 0; round < 200; ++round) {
    Conv2DIntParams p;
    p.shape = drawShape(random, isDepthwise);
    const Conv2DShape &s = p.shape;
    p.inType = random.of({DType::I8, DType::U8, DType::I16, DType::U16});
    p.weightType = random.of({DType::I8, DType::I8, DType::I16});
    // Zero points need not lie in the type.
    p.padValue = random.of({0, 0, 3, -22, -128, 200, 300, 40000});
    p.requant = {.outType = DType::I32,
                 .lo = std::numeric_limits<int32_t>::min(),
                 .hi = std::numeric_limits<int32_t>::max()};
    Numbers x =
        drawn(random, p.inType, size_t(s.batch) * s.inH * s.inW * s.inC);
    size_t depth = isDepthwise ? 1 : s.inC / s.groups;
    Numbers w = drawn(random, p.weightType,
                      size_t(s.outC) * s.kernelH * s.kernelW * depth);
    std::vector<int32_t> bias(s.outC),
        y(size_t(s.batch) * s.outH * s.outW * s.outC);
    for (int32_t &b : bias)
      b = int32_t(random.next()) / 2;
    runKernel(isDepthwise ? "yk_depthwise_conv2d_int" : "yk_conv2d_int", p,
              {x.bytes.data(), w.bytes.data(), bias.data(), nullptr, nullptr,
               nullptr, y.data()},
              1 + random.below(3));
    std::vector<int32_t> wanted(y.size());
    for (size_t i = 0; i < y.size(); ++i)
      wanted[i] = int32_t(std::clamp<int64_t>(
          bias[i % s.outC] + sumOf(p, x, w, i), p.requant.lo, p.requant.hi));
    EXPECT_EQ(y, wanted) << round;
  }
}

/// An element of \p type.
int64_t elementAt(const std::vector<char> &bytes, DType type, size_t i) {
  size_t size = dtypeBytes(type);
  int64_t value = 0;
  std::memcpy(&value, bytes.data() + i * size, size);
  bool isSigned = type == DType::I8 || type == DType::I16;
  int64_t sign = int64_t(1) << (8 * size - 1);
  return isSigned && (value & sign) ? value - 2 * sign : value;
}

/// The result as a whole, with scales and shifts of channels or of all.
TEST_P(IntConv, requantizesEachSum) {
  Random random(12);
  bool isDepthwise = GetParam();
  for (int round = 0; round < 200; ++round) {
    Conv2DIntParams p;
    p.shape = drawShape(random, isDepthwise);
    const Conv2DShape &s = p.shape;
    p.inType = random.of({DType::I8, DType::U8, DType::I16});
    p.weightType = DType::I8;
    Requant &r = p.requant;
    r.outType = random.of({DType::I8, DType::U8, DType::I16, DType::U16});
    bool isSigned = r.outType == DType::I8 || r.outType == DType::I16;
    int32_t bits = int32_t(8 * dtypeBytes(r.outType));
    r.lo = isSigned ? -(1 << (bits - 1)) : 0;
    r.hi = r.lo + (1 << bits) - 1;
    r.zp = random.of({0, 5, -100});
    r.act = random.of({Act::None, Act::Relu, Act::Relu6});
    r.rounding = random.of({Rounding::HalfEven, Rounding::HalfUp});
    r.perChannel = random.below(2);
    r.scale = int32_t(random.below(1 << 15));
    r.shift = int32_t(random.below(40));
    std::vector<uint16_t> scales(s.outC, uint16_t(r.scale));
    std::vector<int8_t> shifts(s.outC, int8_t(r.shift));
    for (uint32_t o = 0; o < s.outC && r.perChannel; ++o) {
      scales[o] = uint16_t(random.next());
      // A few to the left, which are rare.
      shifts[o] = int8_t(int(random.below(40)) - (round % 8 == 0));
    }
    Numbers x =
        drawn(random, p.inType, size_t(s.batch) * s.inH * s.inW * s.inC);
    size_t depth = isDepthwise ? 1 : s.inC / s.groups;
    Numbers w = drawn(random, p.weightType,
                      size_t(s.outC) * s.kernelH * s.kernelW * depth);
    std::vector<int32_t> bias(s.outC);
    for (int32_t &b : bias)
      b = int32_t(random.next()) / 1024;
    size_t count = size_t(s.batch) * s.outH * s.outW * s.outC;
    // What lies behind the result stays.
    std::vector<char> y(count * dtypeBytes(r.outType) + 1, 77);
    runKernel(isDepthwise ? "yk_depthwise_conv2d_int" : "yk_conv2d_int", p,
              {x.bytes.data(), w.bytes.data(), bias.data(), scales.data(),
               shifts.data(), nullptr, y.data()},
              1 + random.below(3));
    for (size_t i = 0; i < count; ++i) {
      size_t o = i % s.outC;
      int64_t sum = bias[o] + sumOf(p, x, w, i);
      sum = r.act == Act::None ? sum : std::max<int64_t>(sum, 0);
      ASSERT_EQ(elementAt(y, r.outType, i),
                yarrow::requantize(sum, scales[o], shifts[o], r.zp, r.lo, r.hi,
                                   r.rounding))
          << round << " " << i;
    }
    EXPECT_EQ(y.back(), 77);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, IntConv, ::testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "depthwise" : "direct";
                         });

} // namespace
