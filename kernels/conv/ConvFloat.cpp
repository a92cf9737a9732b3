//===- ConvFloat.cpp - Float convolution kernels --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tile of pixels of one row meets a block of output channels (FloatTile.h).
// The products of an output form a block for each tap, or for each kTileTerms
// channels of it; of few channels, one for each row of taps, which lie side by
// side in input and weights.
//
//===----------------------------------------------------------------------===//
#include "kernels/WideKernel.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/FloatRows.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Channels from which on a tap is a block of its own.
constexpr uint32_t kDeepTap = 32;

/// Where the taps of output pixels lie along one axis: for output i of those
/// that are `step` apart at base + i * inStep, if `isThere`.
struct TapPlaces {
  bool isThere = true;
  int32_t base, inStep;
};

/// Of tap k for the outputs from `first` on. Transposed: the input that reaches
/// them lies on the stride's grid, or there is none.
TapPlaces placesOf(bool isTransposed, uint32_t first, uint32_t k,
                   uint32_t stride, uint32_t dilation, int32_t pad) {
  int32_t reach = int32_t(k * dilation);
  if (!isTransposed)
    return {true, int32_t(first * stride) - pad + reach, int32_t(stride)};
  int32_t at = int32_t(first) + pad - reach;
  // Towards zero only where the rest is none.
  return {at % int32_t(stride) == 0, at / int32_t(stride), 1};
}

/// Those of `count` places that are within an axis of `size`.
struct Inside {
  uint32_t begin, end;
};
Inside insideOf(const TapPlaces &places, uint32_t count, uint32_t size) {
  if (!places.isThere || places.base >= int32_t(size))
    return {0, 0};
  auto step = uint32_t(places.inStep);
  uint32_t begin =
      places.base < 0 ? (uint32_t(-places.base) + step - 1) / step : 0;
  uint32_t end =
      (size - 1 + uint32_t(-places.base)) / step + 1; // modulo 2^32, too
  begin = begin < count ? begin : count;
  end = end < count ? end : count;
  return {begin, end < begin ? begin : end};
}

/// One task's part of a convolution.
template <typename Buffers> class Convolution {
public:
  Convolution(const Conv2DFloatParams &p, const Buffers &buffers,
              bool isTransposed)
      : p(p), s(p.shape), buffers(buffers), isTransposed(isTransposed),
        depth(s.inC / s.groups), perGroup(s.outC / s.groups),
        terms(s.kernelH * s.kernelW * depth),
        hasRows(!isTransposed && s.groups == 1 && s.dilationW == 1 &&
                depth < kDeepTap && s.kernelW * depth <= kTileTerms),
        epilogue(p.act, p.outType, buffers.slope()) {}

  /// Output row y of image n.
  void computeRow(uint32_t n, uint32_t y) {
    image = n, row = y;
    step = isTransposed ? s.strideW : 1;
    for (group = 0; group < s.groups; ++group)
      forEachStrip(0, perGroup, [&](uint32_t c, auto size) {
        column = c, width = tileWidth(size.count);
        for (uint32_t phase = 0; phase < step && phase < s.outW; ++phase) {
          uint32_t count = (s.outW - phase + step - 1) / step;
          for (uint32_t i = 0; i < count; i += kTileRows)
            computeTile(phase + i * step,
                        count - i < kTileRows ? count - i : kTileRows, size);
        }
      });
  }

private:
  /// Of `size` columns.
  template <typename Size>
  void computeTile(uint32_t x, uint32_t pixels, Size size) {
    float sums[kTileRows * kTileColumns];
    for (uint32_t i = 0; i < pixels * kTileColumns; ++i)
      sums[i] = 0;
    for (uint32_t ky = 0; ky < s.kernelH; ++ky) {
      TapPlaces y =
          placesOf(isTransposed, row, ky, s.strideH, s.dilationH, s.padTop);
      if (!y.isThere || y.base < 0 || y.base >= int32_t(s.inH))
        continue;
      if (hasRows)
        addTapRow(x, pixels, ky, uint32_t(y.base), sums);
      else
        addTaps(x, pixels, ky, uint32_t(y.base), sums);
    }
    uint32_t o = group * perGroup + column;
    int64_t pixel = (int64_t(image) * s.outH + row) * s.outW + x;
    storeTile(sums, pixels, size, p.biasType, buffers.bias(), o, epilogue,
              pixel * s.outC + o, int64_t(step) * s.outC, buffers.output());
  }

  TapPlaces placesOfTap(uint32_t x, uint32_t kx) const {
    return placesOf(isTransposed, x, kx, s.strideW, s.dilationW, s.padLeft);
  }

  /// The taps of a row one by one.
  void addTaps(uint32_t x, uint32_t pixels, uint32_t ky, uint32_t y,
               float *sums) {
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      TapPlaces places = placesOfTap(x, kx);
      Inside in = insideOf(places, pixels, s.inW);
      if (in.begin < in.end)
        addRun(y, places, in, (ky * s.kernelW + kx) * depth, depth, sums);
    }
  }

  /// All taps of a row at once where they are inside; a pixel at the border has
  /// those that are.
  void addTapRow(uint32_t x, uint32_t pixels, uint32_t ky, uint32_t y,
                 float *sums) {
    TapPlaces places = placesOfTap(x, 0);
    uint32_t term = ky * s.kernelW * depth;
    Inside in = insideOf(places, pixels, s.inW);
    Inside last = insideOf(placesOfTap(x, s.kernelW - 1), pixels, s.inW);
    uint32_t end = last.end < in.begin ? in.begin : last.end;
    if (in.begin < end)
      addRun(y, places, {in.begin, end}, term, s.kernelW * depth, sums);
    for (uint32_t i = 0; i < pixels; ++i) {
      if (i == in.begin && i < end)
        i = end;
      if (i == pixels)
        break;
      int32_t at = places.base + int32_t(i) * places.inStep;
      // No tap where a window lies in the padding alone: end <= begin.
      int32_t end = at + int32_t(s.kernelW) < int32_t(s.inW)
                        ? int32_t(s.kernelW)
                        : int32_t(s.inW) - at;
      int32_t begin = at < 0 ? -at : 0;
      if (begin < end)
        addRun(y, {true, places.base + begin, places.inStep}, {i, i + 1},
               term + uint32_t(begin) * depth, uint32_t(end - begin) * depth,
               sums);
    }
  }

  /// Terms from `term` on, which are as many neighbours of the input, for the
  /// pixels of a tile that are inside.
  void addRun(uint32_t y, const TapPlaces &places, Inside in, uint32_t term,
              uint32_t count, float *sums) {
    int64_t pixel = (int64_t(image) * s.inH + y) * s.inW + places.base +
                    int64_t(in.begin) * places.inStep;
    int64_t block = int64_t(group) * packedColumns(perGroup) + column;
    FloatRows rows{p.inType, buffers.input(), pixel * s.inC + group * depth,
                   int64_t(places.inStep) * s.inC, in.end - in.begin};
    const float *weights = static_cast<const float *>(buffers.weights());
    addRunOfProducts(width, rows,
                     {weights + block * terms + int64_t(term) * width, width},
                     count, sums + in.begin * kTileColumns);
  }

  const Conv2DFloatParams &p;
  const Conv2DShape &s;
  const Buffers &buffers;
  const bool isTransposed;
  const uint32_t depth, perGroup, terms;
  const bool hasRows;
  FloatEpilogue epilogue;
  /// What is computed now.
  uint32_t image = 0, row = 0, step = 1, group = 0, column = 0, width = 0;
};

template <typename Buffers>
void convolve(const Conv2DFloatParams &p, const Buffers &buffers, uint32_t task,
              uint32_t taskCount, bool isTransposed) {
  Convolution<Buffers> convolution(p, buffers, isTransposed);
  Share share = shareOf(p.shape.batch * p.shape.outH, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row)
    convolution.computeRow(row / p.shape.outH, row % p.shape.outH);
}

} // namespace

YARROW_WIDE_KERNEL(yk_conv2d_float, Conv2DFloat) {
  convolve(p, buffers, task, taskCount, /*isTransposed=*/false);
}

YARROW_WIDE_KERNEL(yk_conv_transpose2d_float, ConvTranspose2DFloat) {
  convolve(p, buffers, task, taskCount, /*isTransposed=*/true);
}
