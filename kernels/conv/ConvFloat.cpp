//===- ConvFloat.cpp - Float convolution kernels --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Dot.h"
#include "kernels/Epilogue.h"
#include "kernels/conv/Conv.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Adds n products of elements of any float type.
void addProducts(FloatDot &dot, const Conv2DFloatParams &p, const void *input,
                 int64_t x, const void *weights, int64_t w, uint32_t n) {
  float xScratch[kChunk], wScratch[kChunk];
  forEachChunk(0, n, [&](uint32_t i, uint32_t count) {
    dot.add(viewF32(p.inType, input, x + i, count, xScratch),
            viewF32(p.weightType, weights, w + i, count, wScratch), count);
  });
}

/// The input pixel that tap (ky, kx) of output pixel (y, x) reads, or -1.
/// Transposed: the pixel that reaches it, if it lies on the stride grid.
int64_t tapPixel(const Conv2DShape &s, bool transposed, uint32_t y, uint32_t x,
                 uint32_t ky, uint32_t kx) {
  int32_t dy = int32_t(ky * s.dilationH), dx = int32_t(kx * s.dilationW);
  int32_t iy, ix;
  if (transposed) {
    iy = int32_t(y) + s.padTop - dy;
    ix = int32_t(x) + s.padLeft - dx;
    if (iy < 0 || ix < 0 || iy % s.strideH != 0 || ix % s.strideW != 0)
      return -1;
    iy /= int32_t(s.strideH);
    ix /= int32_t(s.strideW);
  } else {
    iy = int32_t(y * s.strideH) - s.padTop + dy;
    ix = int32_t(x * s.strideW) - s.padLeft + dx;
  }
  if (iy < 0 || ix < 0 || iy >= int32_t(s.inH) || ix >= int32_t(s.inW))
    return -1;
  return int64_t(iy) * s.inW + ix;
}

float biasOf(const Conv2DFloatParams &p, const void *bias, uint32_t o) {
  float b;
  loadF32(p.biasType, bias, o, 1, &b);
  return b;
}

/// Calls value(n, y, x, o) for each output element of the task's rows and
/// stores.
template <typename Buffers, typename Value>
void forEachOutput(const Conv2DFloatParams &p, const Buffers &buffers,
                   uint32_t task, uint32_t taskCount, Value value) {
  const Conv2DShape &s = p.shape;
  FloatEpilogue epilogue(p.act, p.outType, buffers.slope());
  Share share = shareOf(s.batch * s.outH, task, taskCount);
  for (uint32_t pixel = share.begin * s.outW; pixel < share.end * s.outW;
       ++pixel) {
    uint32_t x = pixel % s.outW, y = pixel / s.outW % s.outH;
    uint32_t n = pixel / s.outW / s.outH;
    forEachChunk(0, s.outC, [&](uint32_t o, uint32_t count) {
      float acc[kChunk];
      for (uint32_t i = 0; i < count; ++i)
        acc[i] = value(n, y, x, o + i);
      epilogue.store(acc, count, int64_t(pixel) * s.outC + o, buffers.output());
    });
  }
}

/// The inner product of one output channel's window.
template <typename Buffers>
float windowOf(const Conv2DFloatParams &p, const Buffers &buffers,
               bool transposed, uint32_t n, uint32_t y, uint32_t x,
               uint32_t o) {
  const Conv2DShape &s = p.shape;
  uint32_t depth = s.inC / s.groups, perGroup = s.outC / s.groups;
  uint32_t cellSize = transposed ? s.inC : depth;
  uint32_t firstIn = o / perGroup * depth;
  int64_t row = transposed ? o % perGroup : o;
  // Taps that lie side by side in input and weights are one run.
  bool dense = !transposed && s.groups == 1 && s.dilationW == 1;
  FloatDot dot;
  for (uint32_t ky = 0; ky < s.kernelH; ++ky)
    for (uint32_t kx = 0, taps; kx < s.kernelW; kx += taps) {
      taps = 1;
      int64_t pixel = tapPixel(s, transposed, y, x, ky, kx);
      if (pixel < 0)
        continue;
      while (dense && kx + taps < s.kernelW &&
             tapPixel(s, false, y, x, ky, kx + taps) >= 0)
        ++taps;
      int64_t cell = (row * s.kernelH + ky) * s.kernelW + kx;
      int64_t in = (int64_t(n) * s.inH * s.inW + pixel) * s.inC + firstIn;
      addProducts(dot, p, buffers.input(), in, buffers.weights(),
                  cell * cellSize + (transposed ? firstIn : 0), taps * depth);
    }
  return dot.sum() + biasOf(p, buffers.bias(), o);
}

template <typename Buffers>
void convolve(const Conv2DFloatParams &p, const Buffers &buffers, uint32_t task,
              uint32_t taskCount, bool transposed) {
  auto value = [&](uint32_t n, uint32_t y, uint32_t x, uint32_t o) {
    return windowOf(p, buffers, transposed, n, y, x, o);
  };
  forEachOutput(p, buffers, task, taskCount, value);
}

} // namespace

YARROW_KERNEL(yk_conv2d_float, Conv2DFloat) {
  convolve(p, buffers, task, taskCount, /*transposed=*/false);
}

YARROW_KERNEL(yk_conv_transpose2d_float, ConvTranspose2DFloat) {
  convolve(p, buffers, task, taskCount, /*transposed=*/true);
}

YARROW_KERNEL(yk_depthwise_conv2d_float, DepthwiseConv2DFloat) {
  const Conv2DShape &s = p.shape;
  uint32_t multiplier = s.outC / s.inC, taps = s.kernelH * s.kernelW;
  FloatEpilogue epilogue(p.act, p.outType, buffers.slope());
  Share share = shareOf(s.batch * s.outH, task, taskCount);
  for (uint32_t pixel = share.begin * s.outW; pixel < share.end * s.outW;
       ++pixel) {
    uint32_t x = pixel % s.outW, y = pixel / s.outW % s.outH;
    int64_t image = int64_t(pixel / s.outW / s.outH) * s.inH * s.inW;
    forEachChunk(0, s.outC, [&](uint32_t o, uint32_t count) {
      float acc[kChunk], cell[kChunk], weight[kChunk];
      loadF32(p.biasType, buffers.bias(), o, count, acc);
      for (uint32_t tap = 0; tap < taps; ++tap) {
        int64_t in = tapPixel(s, false, y, x, tap / s.kernelW, tap % s.kernelW);
        if (in < 0)
          continue;
        int64_t first = (image + in) * s.inC;
        if (multiplier == 1) {
          loadF32(p.inType, buffers.input(), first + o, count, cell);
        } else {
          for (uint32_t i = 0; i < count; ++i)
            loadF32(p.inType, buffers.input(), first + (o + i) / multiplier, 1,
                    cell + i);
        }
        loadF32(p.weightType, buffers.weights(), int64_t(o) * taps + tap, count,
                weight, taps);
        for (uint32_t i = 0; i < count; ++i)
          acc[i] += cell[i] * weight[i];
      }
      epilogue.store(acc, count, int64_t(pixel) * s.outC + o, buffers.output());
    });
  }
}
