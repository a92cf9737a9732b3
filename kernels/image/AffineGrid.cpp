//===- AffineGrid.cpp - The places that an affine map samples -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/image/GridSample.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The coordinate of the i-th of n pixels in -1..1.
float centre(uint32_t i, uint32_t n, bool alignCorners) {
  if (n == 1)
    return 0;
  double at = 2.0 * double(i) / double(n - 1) - 1.0;
  return float(alignCorners ? at : at * double(n - 1) / double(n));
}

/// A row of a grid: its image, plane and row.
struct GridRow {
  uint32_t image, z, y;
};
GridRow rowOf(const AffineGridShape &s, uint32_t row) {
  return {row / s.sizes[1] / s.sizes[0], row / s.sizes[1] % s.sizes[0],
          row % s.sizes[1]};
}

} // namespace

YARROW_KERNEL(yk_affine_grid_float, AffineGridFloat) {
  const AffineGridShape &s = p.shape;
  uint32_t width = s.sizes[2];
  Share share = shareOf(s.batch * s.sizes[0] * s.sizes[1], task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    GridRow at = rowOf(s, row);
    float y = centre(at.y, s.sizes[1], s.alignCorners),
          z = centre(at.z, s.sizes[0], s.alignCorners);
    float theta[12] = {};
    uint32_t columns = s.axes + 1;
    loadF32(p.type, buffers.theta(), int64_t(at.image) * s.axes * columns,
            s.axes * columns, theta);
    forEachChunk(0, width, [&](uint32_t first, uint32_t n) {
      float places[kChunk], x[kChunk];
      for (uint32_t i = 0; i < n; ++i)
        x[i] = centre(first + i, width, s.alignCorners);
      for (uint32_t k = 0; k < s.axes; ++k) {
        const float *t = theta + k * columns;
        for (uint32_t i = 0; i < n; ++i) {
          float v = t[0] * x[i] + t[1] * y;
          places[i] = s.axes == 3 ? v + t[2] * z + t[3] : v + t[2];
        }
        int64_t to = (int64_t(row) * width + first) * s.axes + k;
        for (uint32_t i = 0; i < n; ++i)
          storeF32(p.outType, buffers.output(), to + int64_t(i) * s.axes, 1,
                   places + i);
      }
    });
  }
}

YARROW_KERNEL(yk_affine_grid_int, AffineGridInt) {
  const AffineGridShape &s = p.shape;
  uint32_t width = s.sizes[2];
  Share share = shareOf(s.batch * s.sizes[0] * s.sizes[1], task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    GridRow at = rowOf(s, row);
    int64_t y = loadOneI32(p.tableTypes[1], buffers.rows(), at.y);
    int64_t z =
        s.axes == 3 ? loadOneI32(p.tableTypes[0], buffers.slices(), at.z) : 0;
    int32_t theta[12] = {};
    uint32_t columns = s.axes + 1;
    loadI32(p.type, buffers.theta(), int64_t(at.image) * s.axes * columns,
            s.axes * columns, theta);
    forEachChunk(0, width, [&](uint32_t first, uint32_t n) {
      int32_t x[kChunk], places[kChunk];
      int64_t acc[kChunk];
      loadI32(p.tableTypes[2], buffers.columns(), first, n, x);
      for (uint32_t k = 0; k < s.axes; ++k) {
        const int32_t *t = theta + k * columns;
        uint64_t rest = uint64_t(wrapMul(t[1], y)) +
                        uint64_t(s.axes == 3 ? wrapMul(t[2], z) : 0) +
                        (uint64_t(int64_t(t[s.axes])) << p.fractionBits);
        for (uint32_t i = 0; i < n; ++i)
          acc[i] = saturateToI32(int64_t(uint64_t(wrapMul(t[0], x[i])) + rest));
        requantizeChunk(acc, n, p.requant.scale, p.requant.shift, p.requant,
                        places);
        storeI32Strided(p.requant.outType, buffers.output(),
                        (int64_t(row) * width + first) * s.axes + k, n, places,
                        s.axes);
      }
    });
  }
}
