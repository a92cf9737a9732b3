//===- FloatDepthwise.cpp - Depthwise convolutions of floats on the host --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each output adds the products of its taps to its bias one after the other, as
// in ConvFloat.cpp, so that its bits are the same; its sum stays in a register
// for that.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/HostConv.h"

#ifdef __x86_64__
#include "kernels/Elements.h"
#include <algorithm>
#include <cstring>

using namespace yarrow::kernels;

/// What is called is a part of the function, in the vectors of the host.
#define YARROW_WIDE                                                            \
  __attribute__((target("arch=x86-64-v4"), min_vector_width(512), flatten))

namespace {

/// Taps of an axis that lie within the input.
struct TapRange {
  uint32_t begin, end;
};
TapRange tapsWithin(int64_t first, uint32_t dilation, uint32_t taps,
                    uint32_t size) {
  auto begin = uint32_t(
      first < 0 ? std::min<int64_t>(taps, (-first + dilation - 1) / dilation)
                : 0);
  int64_t left = int64_t(size) - first; // of places from `first` on
  auto end = uint32_t(
      left <= 0 ? 0 : std::min<int64_t>(taps, (left - 1) / dilation + 1));
  return {begin, std::max(begin, end)};
}

class DepthwiseFloats {
public:
  DepthwiseFloats(const Conv2DFloatParams &p, const HostFloatConv &conv)
      : p(p), s(p.shape), conv(conv) {
    constexpr float kAll = __builtin_huge_valf();
    bool isRelu = p.act.act == Act::Relu || p.act.act == Act::Relu6;
    lowest = isRelu ? 0 : p.act.act == Act::Clip ? p.act.clipMin : -kAll;
    highest = p.act.act == Act::Relu6  ? 6
              : p.act.act == Act::Clip ? p.act.clipMax
                                       : kAll;
  }

  YARROW_WIDE void computeRow(uint32_t image, uint32_t row) const {
    int64_t top = int64_t(row) * s.strideH - s.padTop;
    TapRange ky = tapsWithin(top, s.dilationH, s.kernelH, s.inH);
    const float *input = conv.input + int64_t(image) * s.inH * s.inW * s.inC;
    float *out =
        conv.output + (int64_t(image) * s.outH + row) * s.outW * s.outC;
    for (uint32_t x = 0; x < s.outW; ++x, out += s.outC) {
      int64_t left = int64_t(x) * s.strideW - s.padLeft;
      TapRange kx = tapsWithin(left, s.dilationW, s.kernelW, s.inW);
      const float *from = input + (top * s.inW + left) * s.inC;
      uint32_t o = 0;
      for (; o + 32 <= s.outC; o += 32)
        computeChannels<32>(from + o, ky, kx, o, out + o);
      for (; o + 16 <= s.outC; o += 16)
        computeChannels<16>(from + o, ky, kx, o, out + o);
      for (; o + 4 <= s.outC; o += 4)
        computeChannels<4>(from + o, ky, kx, o, out + o);
      for (; o < s.outC; ++o)
        computeChannels<1>(from + o, ky, kx, o, out + o);
    }
  }

private:
  /// Of `from`, the input at the first tap, which may lie outside.
  template <uint32_t Count>
  __attribute__((always_inline)) void
  computeChannels(const float *from, TapRange ky, TapRange kx, uint32_t o,
                  float *out) const {
    typedef float Channels __attribute__((vector_size(Count * sizeof(float))));
    Channels sum, value, weight;
    std::memcpy(&sum, conv.bias + o, sizeof sum);
    int64_t line = int64_t(s.dilationH) * s.inW * s.inC,
            step = int64_t(s.dilationW) * s.inC;
    for (uint32_t y = ky.begin; y < ky.end; ++y)
      for (uint32_t x = kx.begin; x < kx.end; ++x) {
        std::memcpy(&value, from + y * line + x * step, sizeof value);
        std::memcpy(&weight,
                    conv.weights + (int64_t(y) * s.kernelW + x) * s.outC + o,
                    sizeof weight);
        sum += value * weight;
      }
    if (p.act.act != Act::None) {
      // Comparisons: NaN stays NaN.
      sum = sum < lowest ? Channels{} + lowest : sum;
      sum = sum > highest ? Channels{} + highest : sum;
    }
    sum = sum == sum ? sum : Channels{} + canonicalNaN(__builtin_nanf(""));
    std::memcpy(out, &sum, sizeof sum);
  }

  const Conv2DFloatParams &p;
  const Conv2DShape &s;
  const HostFloatConv &conv;
  float lowest, highest;
};

} // namespace

bool yarrow::kernels::convolveDepthwiseOnHost(const Conv2DFloatParams &p,
                                              const HostFloatConv &conv,
                                              uint32_t task,
                                              uint32_t taskCount) {
  static const bool isWide = __builtin_cpu_supports("x86-64-v4");
  const Conv2DShape &s = p.shape;
  bool areFloats = p.inType == DType::F32 && p.biasType == DType::F32 &&
                   p.outType == DType::F32;
  bool isLimit = p.act.act != Act::LeakyRelu && p.act.act != Act::PRelu;
  if (!isWide || !areFloats || !isLimit || s.outC != s.inC)
    return false;
  DepthwiseFloats floats(p, conv);
  Share share = shareOf(s.batch * s.outH, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row)
    floats.computeRow(row / s.outH, row % s.outH);
  return true;
}

#endif
