//===- CropAndResize.cpp - Regions of images in one size ------------------===//
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

/// Two pixels of an axis, and how far between them a crop reads.
template <typename Weight> struct CropPlace {
  bool isOutside = true;
  int32_t low = 0, high = 0;
  Weight weight = 0;
};

int32_t nearPixel(int64_t at, uint32_t size) {
  return int32_t(clamp<int64_t>(at, 0, int64_t(size) - 1));
}

CropPlace<float> placeOf(float first, float last, uint32_t i, uint32_t count,
                         uint32_t size, bool nearest) {
  float end = float(size - 1);
  float v = count > 1 ? first * end +
                            float(i) * ((last - first) * end / float(count - 1))
                      : 0.5f * (first + last) * end;
  CropPlace<float> place;
  if (!(v >= 0 && v <= end)) // NaN, too
    return place;
  place.isOutside = false;
  double low = math::floor(double(v) + (nearest ? 0.5 : 0));
  place.low = nearPixel(int64_t(int32_t(low)), size);
  place.high = nearPixel(int64_t(place.low) + 1, size);
  place.weight = nearest ? 0 : float(double(v) - low);
  return place;
}

CropPlace<int64_t> placeOf(const CropAndResizeIntParams &p, int64_t first,
                           int64_t last, uint32_t i, uint32_t count,
                           uint32_t size) {
  int64_t end = int64_t(size) - 1;
  int64_t step =
      count > 1 ? wrapMul((last - first) * end, 256) / int64_t(count - 1) >> 8
                : 0;
  int64_t v = int64_t(uint64_t(first * end) + uint64_t(wrapMul(i, step)));
  int64_t scaled = wrapMul(v, p.scale), pixel = scaled >> p.shift;
  CropPlace<int64_t> place;
  if (v < 0 || pixel < 0 || pixel > end)
    return place;
  place.isOutside = false;
  int64_t half = p.shift ? int64_t(1) << (p.shift - 1) : 0;
  place.low = nearPixel(p.nearest ? (scaled + half) >> p.shift : pixel, size);
  place.high = nearPixel(pixel + 1, size);
  // Below 2^(16 + 31).
  place.weight = v - (pixel << p.shift) / p.scale;
  return place;
}

/// The four corners of a pixel: first elements.
struct Corners {
  int64_t topLeft, topRight, bottomLeft, bottomRight;
};
template <typename Weight>
Corners cornersOf(const MapShape &s, int64_t image, const CropPlace<Weight> &y,
                  const CropPlace<Weight> &x) {
  auto element = [&](int32_t row, int32_t column) {
    return ((image * s.height + row) * s.width + column) * s.channels;
  };
  return {element(y.low, x.low), element(y.low, x.high), element(y.high, x.low),
          element(y.high, x.high)};
}

} // namespace

YARROW_KERNEL(yk_crop_and_resize_float, CropAndResizeFloat) {
  const MapShape &s = p.shape;
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    uint32_t region = row / s.rows;
    float box[4];
    loadF32(p.boxType, buffers.boxes(), int64_t(region) * 4, 4, box);
    int64_t image = loadIndex(p.indexType, buffers.indices(), region);
    bool isThere = image >= 0 && image < s.batch;
    CropPlace<float> y =
        placeOf(box[0], box[2], row % s.rows, s.rows, s.height, p.nearest);
    for (uint32_t column = 0; column < s.columns; ++column) {
      CropPlace<float> x =
          placeOf(box[1], box[3], column, s.columns, s.width, p.nearest);
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      bool isInside = isThere && !y.isOutside && !x.isOutside;
      Corners at = cornersOf(s, isInside ? image : 0, y, x);
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        float a[kChunk], b[kChunk], top[kChunk];
        if (!isInside) {
          for (uint32_t i = 0; i < n; ++i)
            a[i] = p.extrapolation;
          return storeF32(p.outType, buffers.output(), out + c, n, a);
        }
        loadF32(p.type, buffers.input(), at.topLeft + c, n, top);
        if (!p.nearest) {
          loadF32(p.type, buffers.input(), at.topRight + c, n, b);
          for (uint32_t i = 0; i < n; ++i)
            top[i] += (b[i] - top[i]) * x.weight;
          loadF32(p.type, buffers.input(), at.bottomLeft + c, n, a);
          loadF32(p.type, buffers.input(), at.bottomRight + c, n, b);
          for (uint32_t i = 0; i < n; ++i) {
            float bottom = a[i] + (b[i] - a[i]) * x.weight;
            top[i] += (bottom - top[i]) * y.weight;
          }
        }
        storeF32(p.outType, buffers.output(), out + c, n, top);
      });
    }
  }
}

YARROW_KERNEL(yk_crop_and_resize_int, CropAndResizeInt) {
  const MapShape &s = p.shape;
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    uint32_t region = row / s.rows;
    int32_t box[4];
    loadI32(p.boxType, buffers.boxes(), int64_t(region) * 4, 4, box);
    int64_t image = loadIndex(p.indexType, buffers.indices(), region);
    bool isThere = image >= 0 && image < s.batch;
    CropPlace<int64_t> y =
        placeOf(p, box[0], box[2], row % s.rows, s.rows, s.height);
    for (uint32_t column = 0; column < s.columns; ++column) {
      CropPlace<int64_t> x =
          placeOf(p, box[1], box[3], column, s.columns, s.width);
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      bool isInside = isThere && !y.isOutside && !x.isOutside;
      Corners at = cornersOf(s, isInside ? image : 0, y, x);
      // Differences of 17 bits, weights that are about 1 after the shift: below
      // 2^(17 + 32).
      int64_t weightX = wrapMul(x.weight, p.scale),
              weightY = wrapMul(y.weight, p.scale);
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        int32_t a[kChunk], b[kChunk], top[kChunk];
        if (!isInside) {
          for (uint32_t i = 0; i < n; ++i)
            a[i] = p.extrapolation;
          return storeI32(p.type, buffers.output(), out + c, n, a);
        }
        loadI32(p.type, buffers.input(), at.topLeft + c, n, top);
        if (!p.nearest) {
          auto between = [&](int64_t from, int64_t to, int64_t weight) {
            return from + (wrapMul(to - from, weight) >> p.shift);
          };
          int64_t upper[kChunk];
          loadI32(p.type, buffers.input(), at.topRight + c, n, b);
          for (uint32_t i = 0; i < n; ++i)
            upper[i] = between(top[i], b[i], weightX);
          loadI32(p.type, buffers.input(), at.bottomLeft + c, n, a);
          loadI32(p.type, buffers.input(), at.bottomRight + c, n, b);
          for (uint32_t i = 0; i < n; ++i) {
            int64_t lower = between(a[i], b[i], weightX);
            top[i] = int32_t(
                clamp<int64_t>(between(upper[i], lower, weightY), p.lo, p.hi));
          }
        }
        storeI32(p.type, buffers.output(), out + c, n, top);
      });
    }
  }
}
