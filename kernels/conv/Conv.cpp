//===- Conv.cpp - Integer convolution kernels -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/Conv.h"
#include "kernels/Dot.h"
#include "kernels/WideKernel.h"
#include "kernels/conv/ConvLoop.h"
#include "kernels/conv/HostConv.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Adds the window of pixel `at` for output channels [o, o + n) of one group.
template <typename In, typename Weight>
void accumulateWindow(const Conv2DIntParams &p, const In *input,
                      const Weight *weights, const Pixel &at, uint32_t o,
                      uint32_t n, int64_t *acc) {
  const Conv2DShape &s = p.shape;
  uint32_t depth = s.inC / s.groups;
  uint32_t firstIn = o / (s.outC / s.groups) * depth;
  int64_t rowStride = int64_t(s.kernelH) * s.kernelW * depth;
  const Weight *w = weights + o * rowStride;
  Taps rows = tapsInside(at.top, s.dilationH, s.kernelH, s.inH);
  Taps cols = tapsInside(at.left, s.dilationW, s.kernelW, s.inW);
  // A window row is one run of memory unless dilation or groups interrupt it.
  bool dense = s.dilationW == 1 && s.groups == 1;
  for (uint32_t ky = rows.first; ky < rows.last; ++ky) {
    int64_t y = at.top + int32_t(ky * s.dilationH);
    const In *line =
        input + (int64_t(at.n) * s.inH + y) * s.inW * s.inC + firstIn;
    const Weight *wLine = w + int64_t(ky) * s.kernelW * depth;
    if (dense && cols.first < cols.last) {
      int64_t x = at.left + int32_t(cols.first);
      dotRows(line + x * s.inC, wLine + cols.first * depth, rowStride, n,
              (cols.last - cols.first) * depth, acc);
      continue;
    }
    for (uint32_t kx = cols.first; kx < cols.last; ++kx) {
      int64_t x = at.left + int32_t(kx * s.dilationW);
      dotRows(line + x * s.inC, wLine + kx * depth, rowStride, n, depth, acc);
    }
  }
  if (p.padValue == 0)
    return;
  // A padded cell contributes padValue times its weights.
  for (uint32_t ky = 0; ky < s.kernelH; ++ky)
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      if (ky >= rows.first && ky < rows.last && kx >= cols.first &&
          kx < cols.last)
        continue;
      const Weight *cell = w + (int64_t(ky) * s.kernelW + kx) * depth;
      for (uint32_t i = 0; i < n; ++i)
        acc[i] += p.padValue * sumOf(cell + i * rowStride, depth);
    }
}

/// Adds one tap of a depthwise window for channels [o, o + n): `x` is the tap's
/// input pixel or null if padded. Weights are [outC, kh, kw, 1], a tap apart.
template <typename In, typename Weight>
void accumulateTap(const Conv2DIntParams &p, const In *x, const Weight *w,
                   uint32_t o, uint32_t n, int64_t *acc) {
  uint32_t taps = p.shape.kernelH * p.shape.kernelW;
  uint32_t multiplier = p.shape.outC / p.shape.inC;
  const Weight *from = w + int64_t(o) * taps;
  if (!x) {
    for (uint32_t i = 0; i < n; ++i)
      acc[i] += int64_t(p.padValue) * from[int64_t(i) * taps];
  } else if (multiplier == 1) {
    for (uint32_t i = 0; i < n; ++i)
      acc[i] += int64_t(x[o + i]) * from[int64_t(i) * taps];
  } else {
    for (uint32_t i = 0; i < n; ++i)
      acc[i] += int64_t(x[(o + i) / multiplier]) * from[int64_t(i) * taps];
  }
}

template <typename In, typename Weight>
void accumulateDepthwise(const Conv2DIntParams &p, const In *input,
                         const Weight *weights, const Pixel &at, uint32_t o,
                         uint32_t n, int64_t *acc) {
  const Conv2DShape &s = p.shape;
  for (uint32_t ky = 0; ky < s.kernelH; ++ky)
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      int64_t y = at.top + int32_t(ky * s.dilationH);
      int64_t x = at.left + int32_t(kx * s.dilationW);
      bool inside = y >= 0 && y < s.inH && x >= 0 && x < s.inW;
      if (!inside && p.padValue == 0)
        continue;
      const In *cell =
          input + ((int64_t(at.n) * s.inH + y) * s.inW + x) * s.inC;
      accumulateTap(p, inside ? cell : nullptr, weights + ky * s.kernelW + kx,
                    o, n, acc);
    }
}

/// Adds what reaches output pixel `at` of a transposed convolution: the taps
/// whose input pixel lies on the stride grid.
template <typename In, typename Weight>
void accumulateTransposed(const Conv2DIntParams &p, const In *input,
                          const Weight *weights, const Pixel &at, uint32_t o,
                          uint32_t n, int64_t *acc) {
  const Conv2DShape &s = p.shape;
  uint32_t depth = s.inC / s.groups, perGroup = s.outC / s.groups;
  uint32_t firstIn = o / perGroup * depth;
  // Grouped weights are [outC / groups, kh, kw, inC]: a row holds all groups.
  uint32_t cellSize = s.inC;
  int64_t rowStride = int64_t(s.kernelH) * s.kernelW * cellSize;
  for (uint32_t ky = 0; ky < s.kernelH; ++ky)
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      int32_t y = int32_t(at.y) + s.padTop - int32_t(ky * s.dilationH);
      int32_t x = int32_t(at.x) + s.padLeft - int32_t(kx * s.dilationW);
      const Weight *w = weights + (o % perGroup) * rowStride +
                        (int64_t(ky) * s.kernelW + kx) * cellSize + firstIn;
      if (y >= 0 && x >= 0 && y % s.strideH == 0 && x % s.strideW == 0 &&
          y / s.strideH < s.inH && x / s.strideW < s.inW) {
        int64_t row = int64_t(at.n) * s.inH + y / s.strideH;
        const In *cell =
            input + (row * s.inW + x / s.strideW) * s.inC + firstIn;
        dotRows(cell, w, rowStride, n, depth, acc);
      } else if (p.inZp != 0) {
        // The bias holds inZp * sum(w) of the whole window; what no input
        // reaches is taken out again. Reached taps keep it: that is their zero
        // point.
        for (uint32_t i = 0; i < n; ++i)
          acc[i] -= p.inZp * sumOf(w + i * rowStride, depth);
      }
    }
}

#ifdef __x86_64__
template <typename Buffers>
HostConv hostConv(const Conv2DIntParams &p, const Buffers &buffers) {
  return {p,
          buffers.input(),
          buffers.weights(),
          buffers.bias(),
          buffers.scale(),
          buffers.shift(),
          buffers.slope(),
          buffers.output()};
}
#endif

} // namespace

YARROW_KERNEL(yk_conv2d_int, Conv2DInt) {
#ifdef __x86_64__
  if (convolveOnHost(hostConv(p, buffers), task, taskCount))
    return;
#endif
  auto window = [&](const Pixel &at, uint32_t o, uint32_t n, int64_t *acc) {
    withTypes(
        p.inType, p.weightType, buffers.input(), buffers.weights(),
        [&](auto *x, auto *w) { accumulateWindow(p, x, w, at, o, n, acc); });
  };
  forEachOutput(p, buffers, p.shape.outC / p.shape.groups, task, taskCount,
                window);
}

YARROW_KERNEL(yk_depthwise_conv2d_int, DepthwiseConv2DInt) {
#ifdef __x86_64__
  if (convolveDepthwiseOnHost(hostConv(p, buffers), task, taskCount))
    return;
#endif
  auto window = [&](const Pixel &at, uint32_t o, uint32_t n, int64_t *acc) {
    withTypes(
        p.inType, p.weightType, buffers.input(), buffers.weights(),
        [&](auto *x, auto *w) { accumulateDepthwise(p, x, w, at, o, n, acc); });
  };
  forEachOutput(p, buffers, p.shape.outC, task, taskCount, window);
}

YARROW_WIDE_KERNEL(yk_conv_transpose2d_int, ConvTranspose2DInt) {
  auto window = [&](const Pixel &at, uint32_t o, uint32_t n, int64_t *acc) {
    withTypes(p.inType, p.weightType, buffers.input(), buffers.weights(),
              [&](auto *x, auto *w) {
                accumulateTransposed(p, x, w, at, o, n, acc);
              });
  };
  forEachOutput(p, buffers, p.shape.outC / p.shape.groups, task, taskCount,
                window);
}
