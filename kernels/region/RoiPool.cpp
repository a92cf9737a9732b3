//===- RoiPool.cpp - The largest values of regions ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Math.h"
#include "kernels/indexing/Indices.h"
#include "kernels/region/Region.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The pixels [begin, end) of a bin along one axis.
struct BinRange {
  int32_t begin = 0, end = 0;
};

/// Bin `i` of `bins` over the pixels from `first` to `last`, of `size` there
/// are. Corners have 32 bits: i * length below 2^49.
BinRange binOf(int64_t first, int64_t last, uint32_t i, uint32_t bins,
               uint32_t size) {
  int64_t length = last - first + 1 > 1 ? last - first + 1 : 1;
  auto pixel = [&](int64_t at) {
    return int32_t(clamp<int64_t>(at + first, 0, size));
  };
  return {pixel(int64_t(i) * length / bins),
          pixel((int64_t(i + 1) * length + bins - 1) / bins)};
}

/// A corner in pixels; false if it is no number.
bool cornerOf(float coordinate, float scale, int64_t &corner) {
  float v = coordinate * scale;
  corner = truncatedIndex(float(math::floor(double(v) + 0.5)));
  return v == v;
}

int64_t cornerOf(int32_t coordinate, int32_t zp, int32_t scale) {
  return clamp<int64_t>((wrapMul(int64_t(coordinate) + zp, scale) + 32768) >>
                            16,
                        INT32_MIN, INT32_MAX);
}

/// Calls fn(element of the first channel) for the pixels of a bin.
template <typename Fn>
void forEachPixel(const MapShape &s, int64_t image, BinRange rows,
                  BinRange columns, Fn fn) {
  for (int32_t y = rows.begin; y < rows.end; ++y)
    for (int32_t x = columns.begin; x < columns.end; ++x)
      fn(((image * s.height + y) * s.width + x) * s.channels);
}

} // namespace

YARROW_KERNEL(yk_roi_pool_float, RoiPoolFloat) {
  const MapShape &s = p.shape;
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    float roi[5];
    loadF32(p.roiType, buffers.rois(), int64_t(row / s.rows) * 5, 5, roi);
    int32_t image = truncatedIndex(roi[0]);
    int64_t corners[4];
    bool isThere = image >= 0 && uint32_t(image) < s.batch;
    for (uint32_t k = 0; k < 4; ++k)
      isThere &= cornerOf(roi[1 + k], p.spatialScale[k % 2], corners[k]);
    for (uint32_t column = 0; column < s.columns; ++column) {
      BinRange rows, columns;
      if (isThere) {
        rows = binOf(corners[0], corners[2], row % s.rows, s.rows, s.height);
        columns = binOf(corners[1], corners[3], column, s.columns, s.width);
      }
      bool isEmpty = rows.begin >= rows.end || columns.begin >= columns.end;
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        float most[kChunk], scratch[kChunk];
        for (uint32_t i = 0; i < n; ++i)
          most[i] = isEmpty ? 0.0f : -float(math::kInfinity);
        forEachPixel(s, image, rows, columns, [&](int64_t element) {
          const float *x =
              viewF32(p.type, buffers.input(), element + c, n, scratch);
          for (uint32_t i = 0; i < n; ++i)
            most[i] = x[i] > most[i] || x[i] != x[i] ? x[i] : most[i];
        });
        storeF32(p.outType, buffers.output(), out + c, n, most);
      });
    }
  }
}

YARROW_KERNEL(yk_roi_pool_int, RoiPoolInt) {
  const MapShape &s = p.shape;
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    int32_t roi[5];
    loadI32(p.roiType, buffers.rois(), int64_t(row / s.rows) * 5, 5, roi);
    int64_t image = int64_t(roi[0]) + p.roiZp, corners[4];
    bool isThere = image >= 0 && image < s.batch;
    for (uint32_t k = 0; k < 4; ++k)
      corners[k] = cornerOf(roi[1 + k], p.roiZp, p.spatialScale[k % 2]);
    for (uint32_t column = 0; column < s.columns; ++column) {
      BinRange rows, columns;
      if (isThere) {
        rows = binOf(corners[0], corners[2], row % s.rows, s.rows, s.height);
        columns = binOf(corners[1], corners[3], column, s.columns, s.width);
      }
      bool isEmpty = rows.begin >= rows.end || columns.begin >= columns.end;
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        int32_t most[kChunk], x[kChunk];
        for (uint32_t i = 0; i < n; ++i)
          most[i] = isEmpty ? 0 : INT32_MIN;
        forEachPixel(s, image, rows, columns, [&](int64_t element) {
          loadI32(p.type, buffers.input(), element + c, n, x);
          for (uint32_t i = 0; i < n; ++i)
            most[i] = x[i] > most[i] ? x[i] : most[i];
        });
        storeI32(p.type, buffers.output(), out + c, n, most);
      });
    }
  }
}
