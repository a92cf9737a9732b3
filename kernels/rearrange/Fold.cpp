//===- Fold.cpp - Windows added up to what they were cut out of -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/rearrange/Fold.h"
#include "kernels/Epilogue.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The values [begin, end) of a loop.
struct Turns {
  int32_t begin, end;
};

int32_t floorDiv(int32_t a, int32_t b) { return (a >= 0 ? a : a - b + 1) / b; }

/// Which i of [0, count) have base + i * step in [0, n). Places are in 32 bits,
/// for which FoldAxis has a bound: a TEC divides 64 bits in software.
Turns turnsInside(int32_t base, int32_t step, int32_t n, int32_t count) {
  int32_t begin = -floorDiv(base, step), end = floorDiv(n - 1 - base, step) + 1;
  return {begin < 0 ? 0 : begin, end > count ? count : end};
}

/// The window whose cell `cell` is place `at` of the axis, -1 if none.
int32_t windowOf(const FoldAxis &axis, uint32_t at, uint32_t cell) {
  int32_t from = int32_t(at + axis.pad - cell * axis.dilation);
  int32_t window = from / int32_t(axis.stride);
  bool isOne = from >= 0 && window * int32_t(axis.stride) == from &&
               window < int32_t(axis.windows);
  return isOne ? window : -1;
}

/// Outputs of one row of the image, from column x on.
struct Chunk {
  uint32_t row, x, count;
  int64_t element(const FoldShape &s) const {
    return int64_t(row) * s.axes[2].image + x;
  }
};

/// Neighbouring inputs, from element `source` on, that belong to the sums at,
/// at + step, ... of a chunk.
struct Inputs {
  int64_t source;
  uint32_t count, at, step;
};

/// Calls add(inputs) for all that belong to a chunk.
template <typename Add>
void forEachRunOf(const FoldShape &s, const Chunk &chunk, Add add) {
  const FoldAxis &az = s.axes[0], &ay = s.axes[1], &ax = s.axes[2];
  uint32_t y = chunk.row % ay.image, z = chunk.row / ay.image % az.image;
  int64_t outer = chunk.row / ay.image / az.image;
  for (uint32_t kz = 0; kz < az.kernel; ++kz) {
    int32_t wz = windowOf(az, z, kz);
    for (uint32_t ky = 0; wz >= 0 && ky < ay.kernel; ++ky) {
      int32_t wy = windowOf(ay, y, ky);
      if (wy < 0)
        continue;
      int64_t cell = ((outer * az.kernel + kz) * ay.kernel + ky) * ax.kernel;
      // Of cell kx, window 0 is at kx * dilation - pad - x of the chunk, and
      // the last one no further right than `span`.
      int32_t first = -int32_t(ax.pad + chunk.x);
      int32_t span = int32_t((ax.windows - 1) * ax.stride);
      Turns cells =
          turnsInside(first + span, int32_t(ax.dilation),
                      int32_t(chunk.count) + span, int32_t(ax.kernel));
      for (int32_t kx = cells.begin; kx < cells.end; ++kx) {
        int32_t at = first + kx * int32_t(ax.dilation);
        Turns windows = turnsInside(at, int32_t(ax.stride),
                                    int32_t(chunk.count), int32_t(ax.windows));
        if (windows.begin >= windows.end)
          continue;
        int64_t source =
            (((cell + kx) * az.windows + wz) * ay.windows + wy) * ax.windows +
            windows.begin;
        add(Inputs{source, uint32_t(windows.end - windows.begin),
                   uint32_t(at) + uint32_t(windows.begin) * ax.stride,
                   ax.stride});
      }
    }
  }
}

/// Adds values, each with zp, to sums that lie `step` apart.
template <typename Sum, typename Value>
void addRun(Sum *sums, uint32_t step, const Value *values, uint32_t n,
            Sum zp = 0) {
  if (step == 1) {
    for (uint32_t i = 0; i < n; ++i)
      sums[i] += Sum(values[i]) + zp;
    return;
  }
  for (uint32_t i = 0; i < n; ++i)
    sums[i * step] += Sum(values[i]) + zp;
}

/// Calls fn(chunk) for the chunks of this task's outputs.
template <typename Fn>
void forEachOutput(const FoldShape &s, uint32_t task, uint32_t taskCount,
                   Fn fn) {
  uint32_t width = s.axes[2].image;
  uint32_t rows = s.outer * s.axes[0].image * s.axes[1].image;
  Share share = shareOf(rows * width, task, taskCount);
  for (uint32_t at = share.begin, n = 0; at < share.end; at += n) {
    uint32_t column = at % width, left = share.end - at;
    n = width - column < left ? width - column : left;
    n = n < kChunk ? n : kChunk;
    fn(Chunk{at / width, column, n});
  }
}

/// The sums of a chunk of outputs.
template <typename T, typename Sum>
void sumUp(const FoldIntParams &p, const Chunk &chunk, const void *input,
           Sum *sums) {
  for (uint32_t i = 0; i < chunk.count; ++i)
    sums[i] = 0;
  forEachRunOf(p.shape, chunk, [&](Inputs in) {
    addRun(sums + in.at, in.step, static_cast<const T *>(input) + in.source,
           in.count, Sum(p.inZp));
  });
}

template <typename T>
void foldInt(const FoldIntParams &p, FoldIntBuffers buffers, uint32_t task,
             uint32_t taskCount) {
  IntEpilogue epilogue(p.requant);
  constexpr uint32_t kInputBits = sizeof(T) == 1 ? 9 : 17;
  bool isNarrow = p.most < 1u << (31 - kInputBits);
  // What requantizeSmallChunk takes.
  bool isSmall = p.most < 1u << (25 - kInputBits) &&
                 int64_t(p.most << kInputBits) * p.requant.scale < 1 << 25 &&
                 p.requant.shift >= 0;
  forEachOutput(p.shape, task, taskCount, [&](Chunk chunk) {
    int64_t wide[kChunk], element = chunk.element(p.shape);
    int32_t sums[kChunk];
    if (isNarrow)
      sumUp<T>(p, chunk, buffers.input(), sums);
    else
      sumUp<T>(p, chunk, buffers.input(), wide);
    if (isSmall) {
      const Requant &r = p.requant;
      requantizeSmallChunk(sums, chunk.count, r.scale, r.shift, r.zp, r.lo,
                           r.hi);
      storeI32(r.outType, buffers.output(), element, chunk.count, sums);
      return;
    }
    for (uint32_t i = 0; isNarrow && i < chunk.count; ++i)
      wide[i] = sums[i];
    epilogue.store(wide, chunk.count, 0, element, buffers.output());
  });
}

} // namespace

YARROW_KERNEL(yk_fold_int, FoldInt) {
  switch (p.inType) {
  case DType::I8:
    return foldInt<int8_t>(p, buffers, task, taskCount);
  case DType::U8:
    return foldInt<uint8_t>(p, buffers, task, taskCount);
  case DType::I16:
    return foldInt<int16_t>(p, buffers, task, taskCount);
  default:
    return foldInt<uint16_t>(p, buffers, task, taskCount);
  }
}

YARROW_KERNEL(yk_fold_float, FoldFloat) {
  forEachOutput(p.shape, task, taskCount, [&](Chunk chunk) {
    float sums[kChunk], values[kChunk];
    for (uint32_t i = 0; i < chunk.count; ++i)
      sums[i] = 0;
    forEachRunOf(p.shape, chunk, [&](Inputs in) {
      addRun(sums + in.at, in.step,
             viewF32(p.inType, buffers.input(), in.source, in.count, values),
             in.count);
    });
    storeF32(p.outType, buffers.output(), chunk.element(p.shape), chunk.count,
             sums);
  });
}
