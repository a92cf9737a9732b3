//===- DepthwiseFloat.cpp - Float depthwise convolution kernel ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Some neighbouring pixels of an output row meet a strip of channels, so that a
// tap's weights are loaded once for all of them and sums stay in registers. An
// output begins with its bias and adds its taps one after the other, those in
// the padding left out.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatEpilogue.h"
#include "kernels/WideKernel.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/HostConv.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Pixels that go together: as many strips of sums, and the input's, the
/// weights' and the products', fill a TEC's vector registers.
constexpr uint32_t kPixels = 4;

/// Columns of halves that are converted once for all taps of a row.
constexpr uint32_t kKeptColumns = 16;

/// One task's part.
class Depthwise {
public:
  template <typename Buffers>
  Depthwise(const Conv2DFloatParams &p, const Buffers &buffers)
      : p(p), s(p.shape), input(buffers.input()), weights(buffers.weights()),
        bias(buffers.bias()), output(buffers.output()),
        multiplier(s.outC / s.inC), reach((s.kernelW - 1) * s.dilationW + 1),
        isKept(p.inType != DType::F32 &&
               (kPixels - 1) * s.strideW + reach <= kKeptColumns),
        epilogue(p.act, p.outType, buffers.slope()) {}

  /// Output row y of image n.
  void computeRow(uint32_t n, uint32_t y) {
    image = n, row = y;
    // Places of other channels are found for whole strips.
    if (multiplier != 1)
      return forEachStrip(0, s.outC, [&](uint32_t o, auto size) {
        channel = o;
        findPlaces(size.count);
        computeStrip(size);
      });
    forEachFittingStrip(0, s.outC, [&](uint32_t o, auto size) {
      channel = o;
      computeStrip(size);
    });
  }

private:
  template <typename Size> void computeStrip(Size size) {
    for (uint32_t x = 0; x < s.outW;) {
      if (x + kPixels <= s.outW && areInside(x)) {
        computeTile<kPixels>(x, size);
        x += kPixels;
      } else {
        computeTile<1>(x, size);
        ++x;
      }
    }
  }

  int32_t leftOf(uint32_t x) const {
    return int32_t(x * s.strideW) - s.padLeft;
  }
  /// Whether all taps of kPixels outputs have a column.
  bool areInside(uint32_t x) const {
    return leftOf(x) >= 0 &&
           leftOf(x + kPixels - 1) + int32_t(reach) <= int32_t(s.inW);
  }

  /// The input channels of a strip whose last lane is `count` - 1.
  void findPlaces(uint32_t count) {
    auto last = Strip<int32_t>{} + int32_t(count - 1);
    auto lanes = __builtin_elementwise_min(kLanes, last) + int32_t(channel);
    places = lanes / int32_t(multiplier);
  }

  /// The input under the strip in column x of a row, whose first element is
  /// `first`.
  template <typename Size>
  void load(int64_t first, int32_t x, Size size,
            Fitting<float, Size> &to) const {
    int64_t pixel = first + int64_t(x) * s.inC;
    if constexpr (Size::lanes == kStrip)
      if (multiplier != 1)
        return gatherFloats(p.inType, input, pixel, places, to);
    loadFloats(p.inType, input, pixel + channel, size, to);
  }

  template <uint32_t Pixels, typename Size>
  void computeTile(uint32_t x, Size size) {
    Fitting<float, Size> sums[Pixels];
    loadFloats(p.biasType, bias, channel, size, sums[0]);
#pragma clang loop unroll(full)
    for (uint32_t i = 1; i < Pixels; ++i)
      sums[i] = sums[0];
    for (uint32_t ky = 0; ky < s.kernelH; ++ky) {
      int32_t y = int32_t(row * s.strideH + ky * s.dilationH) - s.padTop;
      if (y < 0 || y >= int32_t(s.inH))
        continue;
      int64_t first = (int64_t(image) * s.inH + y) * s.inW * s.inC;
      if (Pixels > 1 && isKept)
        addKeptRow<Pixels>(first, x, ky, size, sums);
      else
        addRow<Pixels>(first, x, ky, size, sums);
    }
    int64_t pixel = (int64_t(image) * s.outH + row) * s.outW + x;
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < Pixels; ++i)
      epilogue.store(sums[i], size, (pixel + i) * s.outC + channel, output);
  }

  template <typename Size>
  void loadWeights(uint32_t ky, uint32_t kx, Size size,
                   Fitting<float, Size> &to) const {
    int64_t tap = int64_t(ky) * s.kernelW + kx;
    loadStrip<float>(weights, tap * s.outC + channel, size, to);
  }

  /// The taps of a row of the window.
  template <uint32_t Pixels, typename Size>
  void addRow(int64_t first, uint32_t x, uint32_t ky, Size size,
              Fitting<float, Size> *sums) const {
    // All taps at once need more registers than there are.
#pragma clang loop unroll(disable)
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      int32_t column = leftOf(x) + int32_t(kx * s.dilationW);
      if (Pixels == 1 && (column < 0 || column >= int32_t(s.inW)))
        continue;
      Fitting<float, Size> w, in;
      loadWeights(ky, kx, size, w);
#pragma clang loop unroll(full)
      for (uint32_t i = 0; i < Pixels; ++i) {
        load(first, column + int32_t(i * s.strideW), size, in);
        sums[i] += in * w;
      }
    }
  }

  /// The same of columns that are converted first.
  template <uint32_t Pixels, typename Size>
  void addKeptRow(int64_t first, uint32_t x, uint32_t ky, Size size,
                  Fitting<float, Size> *sums) const {
    Fitting<float, Size> kept[kKeptColumns], w;
    uint32_t columns = (Pixels - 1) * s.strideW + reach;
    for (uint32_t i = 0; i < columns; ++i)
      load(first, leftOf(x) + int32_t(i), size, kept[i]);
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      loadWeights(ky, kx, size, w);
#pragma clang loop unroll(full)
      for (uint32_t i = 0; i < Pixels; ++i)
        sums[i] += kept[i * s.strideW + kx * s.dilationW] * w;
    }
  }

  const Conv2DFloatParams &p;
  const Conv2DShape &s;
  const void *input, *weights, *bias;
  void *output;
  const uint32_t multiplier;
  const uint32_t reach; ///< Columns under a window.
  const bool isKept;
  FloatEpilogue epilogue;
  /// What is computed now.
  uint32_t image = 0, row = 0, channel = 0;
  Strip<int32_t> places;
};

} // namespace

YARROW_WIDE_KERNEL(yk_depthwise_conv2d_float, DepthwiseConv2DFloat) {
#ifdef __x86_64__
  HostFloatConv conv{static_cast<const float *>(buffers.input()),
                     static_cast<const float *>(buffers.weights()),
                     static_cast<const float *>(buffers.bias()),
                     static_cast<float *>(buffers.output())};
  if (convolveDepthwiseOnHost(p, conv, task, taskCount))
    return;
#endif
  Depthwise depthwise(p, buffers);
  Share share = shareOf(p.shape.batch * p.shape.outH, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row)
    depthwise.computeRow(row / p.shape.outH, row % p.shape.outH);
}
