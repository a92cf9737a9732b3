//===- PoolCells.h - The cells of pooling windows ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The loops around every kernel that pools windows of rows and columns: output
// pixels of a task in chunks of channels, and the cells of a window that lie in
// the image.
//
//   forEachChannelChunk(s, task, taskCount, [&](uint32_t out, uint32_t c,
//                                               uint32_t n) {
//     uint32_t cells = forEachCell(s, out, [&](int64_t cell) {
//       loadI32(type, input, cell + c, n, x); ... });
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_POOL_POOLCELLS_H
#define YARROW_KERNELS_POOL_POOLCELLS_H

#include "kernels/Elements.h"
#include "kernels/pool/PoolParams.h"

namespace yarrow::kernels {

/// Calls fn(element, y, x) for the cells of output pixel `out` that lie in the
/// image, in row-major order; `element` is the index of the cell's channel 0.
/// Returns their number.
template <typename Fn>
inline uint32_t forEachPlacedCell(const PoolShape &s, uint32_t out, Fn fn) {
  int32_t left = int32_t(out % s.outW * s.strideW) - s.padLeft;
  int32_t top = int32_t(out / s.outW % s.outH * s.strideH) - s.padTop;
  int64_t image = int64_t(out / s.outW / s.outH) * s.inH * s.inW;
  uint32_t cells = 0;
  for (uint32_t ky = 0; ky < s.kernelH; ++ky) {
    int64_t y = top + int64_t(ky) * s.dilationH;
    if (y < 0 || y >= s.inH)
      continue;
    for (uint32_t kx = 0; kx < s.kernelW; ++kx) {
      int64_t x = left + int64_t(kx) * s.dilationW;
      if (x < 0 || x >= s.inW)
        continue;
      fn((image + y * s.inW + x) * s.channels, uint32_t(y), uint32_t(x));
      ++cells;
    }
  }
  return cells;
}

/// The same where the place does not matter.
template <typename Fn>
inline uint32_t forEachCell(const PoolShape &s, uint32_t out, Fn fn) {
  return forEachPlacedCell(
      s, out, [&](int64_t element, uint32_t, uint32_t) { fn(element); });
}

/// Calls fn(outPixel, firstChannel, n) for the task's rows in channel chunks.
template <typename Fn>
inline void forEachChannelChunk(const PoolShape &s, uint32_t task,
                                uint32_t taskCount, Fn fn) {
  Share share = shareOf(s.batch * s.outH, task, taskCount);
  for (uint32_t out = share.begin * s.outW; out < share.end * s.outW; ++out)
    forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) { fn(out, c, n); });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_POOL_POOLCELLS_H
