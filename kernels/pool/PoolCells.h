//===- PoolCells.h - The cells of pooling windows ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The loops around every kernel that pools windows of rows and columns: output
// pixels of a task, in strips or chunks of channels, and the cells of a window
// that are inside the image.
//
//   forEachChannelChunk(s, task, taskCount, [&](uint32_t out, uint32_t c,
//                                               uint32_t n) {
//     uint32_t cells = forEachCell(s, out, [&](int64_t cell) {
//       loadI32(type, input, cell + c, n, x); ... });
//   });
//
//   forEachWindow(s, task, taskCount, [&](const auto &w, Share channels) {
//     forEachStrip(channels.begin, channels.end, [&](uint32_t c, auto size) {
//       forEachCellOf(s, w, [&](int64_t cell) { ... cell + c ... }); });
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_POOL_POOLCELLS_H
#define YARROW_KERNELS_POOL_POOLCELLS_H

#include "kernels/Elements.h"
#include "kernels/pool/PoolParams.h"

namespace yarrow::kernels {

/// The cells of a window along one axis that lie in the image.
struct AxisCells {
  int32_t first;
  uint32_t count;
};
inline AxisCells cellsInside(int32_t start, uint32_t kernel, uint32_t dilation,
                             uint32_t size) {
  uint32_t before =
      start < 0 ? (uint32_t(-start) + dilation - 1) / dilation : 0;
  int32_t first = start + int32_t(before * dilation);
  uint32_t left = kernel > before ? kernel - before : 0;
  uint32_t inside = first < int32_t(size)
                        ? (size - uint32_t(first) + dilation - 1) / dilation
                        : 0;
  return {first, left < inside ? left : inside};
}

/// The cells of an output pixel.
struct PoolWindow {
  uint32_t out; ///< The pixel.
  uint32_t image;
  AxisCells rows, columns;
};
inline uint32_t rowCount(const PoolShape &, const PoolWindow &w) {
  return w.rows.count;
}
inline uint32_t columnCount(const PoolShape &, const PoolWindow &w) {
  return w.columns.count;
}

/// One that lies in the image: the numbers of its cells are constants.
struct WholeWindow : PoolWindow {};
inline uint32_t rowCount(const PoolShape &s, const WholeWindow &) {
  return s.kernelH;
}
inline uint32_t columnCount(const PoolShape &s, const WholeWindow &) {
  return s.kernelW;
}

template <typename Window>
uint32_t cellCount(const PoolShape &s, const Window &w) {
  return rowCount(s, w) * columnCount(s, w);
}

/// Calls fn(element, y, x) for the cells of a window in row-major order;
/// `element` is the index of the cell's channel 0.
template <typename Window, typename Fn>
inline void forEachPlacedCellOf(const PoolShape &s, const Window &w, Fn fn) {
  for (uint32_t ky = 0; ky < rowCount(s, w); ++ky)
    for (uint32_t kx = 0; kx < columnCount(s, w); ++kx) {
      uint32_t y = uint32_t(w.rows.first) + ky * s.dilationH;
      uint32_t x = uint32_t(w.columns.first) + kx * s.dilationW;
      int64_t row = int64_t(w.image) * s.inH + y;
      fn((row * s.inW + x) * s.channels, y, x);
    }
}
/// The same where the place does not matter.
template <typename Window, typename Fn>
inline void forEachCellOf(const PoolShape &s, const Window &w, Fn fn) {
  forEachPlacedCellOf(
      s, w, [&](int64_t element, uint32_t, uint32_t) { fn(element); });
}

inline AxisCells rowsOf(const PoolShape &s, uint32_t y) {
  return cellsInside(int32_t(y * s.strideH) - s.padTop, s.kernelH, s.dilationH,
                     s.inH);
}
inline AxisCells columnsOf(const PoolShape &s, uint32_t x) {
  return cellsInside(int32_t(x * s.strideW) - s.padLeft, s.kernelW, s.dilationW,
                     s.inW);
}

/// Part `part` of `parts` of the channels, whole strips of 32.
inline Share channelShare(const PoolShape &s, uint32_t part, uint32_t parts) {
  if (parts == 1)
    return {0, s.channels};
  Share strips = shareOf((s.channels + 31) / 32, part, parts);
  auto channel = [&](uint32_t strip) {
    return strip * 32 < s.channels ? strip * 32 : s.channels;
  };
  return {channel(strips.begin), channel(strips.end)};
}

/// Calls fn(window, channels) for the output pixels of the task's rows, with a
/// WholeWindow or a PoolWindow. Where there are fewer rows than tasks, as where
/// an image becomes one pixel, tasks share the channels of a row.
template <typename Fn>
inline void forEachWindow(const PoolShape &s, uint32_t task, uint32_t taskCount,
                          Fn fn) {
  uint32_t rowCount = s.batch * s.outH;
  uint32_t parts = rowCount < taskCount ? taskCount : 1;
  Share share = shareOf(rowCount * parts, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t row = i / parts;
    Share channels = channelShare(s, i % parts, parts);
    AxisCells rows = rowsOf(s, row % s.outH);
    for (uint32_t x = 0; x < s.outW; ++x) {
      PoolWindow w{row * s.outW + x, row / s.outH, rows, columnsOf(s, x)};
      if (w.rows.count == s.kernelH && w.columns.count == s.kernelW)
        fn(WholeWindow{w}, channels);
      else
        fn(w, channels);
    }
  }
}

/// Calls fn(element, y, x) for the cells of output pixel `out` and returns
/// their number.
template <typename Fn>
inline uint32_t forEachPlacedCell(const PoolShape &s, uint32_t out, Fn fn) {
  PoolWindow w{out, out / s.outW / s.outH, rowsOf(s, out / s.outW % s.outH),
               columnsOf(s, out % s.outW)};
  forEachPlacedCellOf(s, w, fn);
  return cellCount(s, w);
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
