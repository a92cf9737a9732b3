//===- ConvLoop.h - The loop around every integer convolution -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Integer convolutions differ in what they add to an accumulator; the rest is
// here: the output pixels of a task, blocks of output channels, bias and
// epilogue.
//
//   forEachOutput(p, buffers, outC, task, taskCount,
//                 [&](const Pixel &at, uint32_t o, uint32_t n, int64_t *acc) {
//                   ... acc[i] += ... for output channel o + i ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_CONVLOOP_H
#define YARROW_KERNELS_CONV_CONVLOOP_H

#include "kernels/Epilogue.h"
#include "kernels/conv/ConvParams.h"

namespace yarrow::kernels {

/// One output pixel: where its window starts in the input.
struct Pixel {
  uint32_t n, y, x;
  int32_t top, left;
};

inline Pixel pixelAt(const Conv2DShape &s, uint32_t index) {
  Pixel p;
  p.x = index % s.outW;
  p.y = index / s.outW % s.outH;
  p.n = index / s.outW / s.outH;
  p.top = int32_t(p.y * s.strideH) - s.padTop;
  p.left = int32_t(p.x * s.strideW) - s.padLeft;
  return p;
}

/// The taps of a window along one axis that fall inside the image: [first,
/// last).
struct Taps {
  uint32_t first = 0, last = 0;
};
inline Taps tapsInside(int32_t start, uint32_t dilation, uint32_t kernel,
                       uint32_t size) {
  Taps t;
  while (t.first < kernel && start + int32_t(t.first * dilation) < 0)
    ++t.first;
  t.last = t.first;
  while (t.last < kernel && start + int32_t(t.last * dilation) < int32_t(size))
    ++t.last;
  return t;
}

/// sum of n values.
template <typename T> inline int64_t sumOf(const T *p, uint32_t n) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < n; ++i)
    sum += p[i];
  return sum;
}

/// Runs `accumulate` for every output pixel and channel block of the task's
/// rows.
template <typename Buffers, typename Accumulate>
inline void forEachOutput(const Conv2DIntParams &p, const Buffers &buffers,
                          uint32_t channels, uint32_t task, uint32_t taskCount,
                          Accumulate accumulate) {
  const Conv2DShape &s = p.shape;
  IntEpilogue epilogue(p.requant, buffers.scale(), buffers.shift(),
                       buffers.slope());
  Share share = shareOf(s.batch * s.outH, task, taskCount);
  // A block of channels stays within its group.
  uint32_t blocks = (channels + kChunk - 1) / kChunk;
  for (uint32_t pixel = share.begin * s.outW; pixel < share.end * s.outW;
       ++pixel) {
    Pixel at = pixelAt(s, pixel);
    for (uint32_t group = 0; group < s.outC / channels; ++group)
      for (uint32_t block = 0; block < blocks; ++block) {
        uint32_t o = group * channels + block * kChunk;
        uint32_t end = (group + 1) * channels;
        uint32_t n = end - o < kChunk ? end - o : kChunk;
        int64_t acc[kChunk];
        loadBias(p.biasType, buffers.bias(), o, n, acc);
        accumulate(at, o, n, acc);
        epilogue.store(acc, n, o, int64_t(pixel) * s.outC + o,
                       buffers.output());
      }
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_CONVLOOP_H
