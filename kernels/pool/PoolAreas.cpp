//===- PoolAreas.cpp - Pooling over areas of any size ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/Numeric.h"
#include "kernels/pool/PoolMore.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// One output pixel's area: cells [first, last) of each axis.
struct Area {
  uint32_t out; ///< The pixel.
  int64_t volume;
  int32_t firstD, lastD, firstH, lastH, firstW, lastW;

  uint32_t cells() const {
    return uint32_t(lastD - firstD) * uint32_t(lastH - firstH) *
           uint32_t(lastW - firstW);
  }
};

/// Calls fn(area) for the pixels of the task's rows.
template <typename Fn>
void forEachArea(const PoolAreas &s, const void *bounds, uint32_t task,
                 uint32_t taskCount, Fn fn) {
  const int32_t *planes = static_cast<const int32_t *>(bounds);
  const int32_t *rows = planes + 2 * s.outD, *columns = rows + 2 * s.outH;
  Share share = shareOf(s.batch * s.outD * s.outH, task, taskCount);
  for (uint32_t out = share.begin * s.outW; out < share.end * s.outW; ++out) {
    uint32_t x = out % s.outW, row = out / s.outW;
    uint32_t y = row % s.outH, plane = row / s.outH;
    uint32_t z = plane % s.outD;
    fn(Area{out, int64_t(plane / s.outD) * s.inD, planes[2 * z],
            planes[2 * z + 1], rows[2 * y], rows[2 * y + 1], columns[2 * x],
            columns[2 * x + 1]});
  }
}

/// Calls fn(element) for the cells of the area; `element` is the index of the
/// cell's channel 0.
template <typename Fn>
void forEachCellOf(const PoolAreas &s, const Area &a, Fn fn) {
  for (int32_t z = a.firstD; z < a.lastD; ++z)
    for (int32_t y = a.firstH; y < a.lastH; ++y)
      for (int32_t x = a.firstW; x < a.lastW; ++x)
        fn((((a.volume + z) * s.inH + y) * s.inW + x) * s.channels);
}

} // namespace

YARROW_KERNEL(yk_pool_areas_int, PoolAreasInt) {
  const PoolAreas &s = p.shape;
  bool isMax = s.method == PoolMethod::Max;
  forEachArea(s, buffers.bounds(), task, taskCount, [&](const Area &area) {
    ScaleShift scale = averageScale(1.0f, area.cells());
    RoundShift round = makeRoundShift(scale.shift);
    forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
      int32_t x[kChunk], y[kChunk];
      // PoolAreasIntParams bounds the sum to 32 bits.
      for (uint32_t i = 0; i < n; ++i)
        y[i] = isMax ? INT32_MIN : 0;
      forEachCellOf(s, area, [&](int64_t cell) {
        loadI32(p.type, buffers.input(), cell + c, n, x);
        if (isMax) {
          for (uint32_t i = 0; i < n; ++i)
            y[i] = y[i] > x[i] ? y[i] : x[i];
        } else {
          for (uint32_t i = 0; i < n; ++i)
            y[i] += x[i];
        }
      });
      for (uint32_t i = 0; i < n && !isMax; ++i)
        y[i] = int32_t(clamp<int64_t>(
            roundShiftHalfEven(int64_t(y[i]) * scale.scale, round), p.lo,
            p.hi));
      storeI32(p.type, buffers.output(), int64_t(area.out) * s.channels + c, n,
               y);
    });
  });
}

YARROW_KERNEL(yk_pool_areas_float, PoolAreasFloat) {
  const PoolAreas &s = p.shape;
  bool isMax = s.method == PoolMethod::Max;
  forEachArea(s, buffers.bounds(), task, taskCount, [&](const Area &area) {
    forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
      float x[kChunk], y[kChunk];
      for (uint32_t i = 0; i < n; ++i)
        y[i] = isMax ? -__builtin_huge_valf() : 0.0f;
      forEachCellOf(s, area, [&](int64_t cell) {
        loadF32(p.inType, buffers.input(), cell + c, n, x);
        if (isMax) {
          for (uint32_t i = 0; i < n; ++i)
            y[i] = y[i] > x[i] || y[i] != y[i] ? y[i] : x[i];
        } else {
          for (uint32_t i = 0; i < n; ++i)
            y[i] += x[i];
        }
      });
      float divisor = isMax ? 1.0f : float(area.cells());
      for (uint32_t i = 0; i < n; ++i)
        y[i] /= divisor;
      storeF32(p.outType, buffers.output(), int64_t(area.out) * s.channels + c,
               n, y);
    });
  });
}
