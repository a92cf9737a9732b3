//===- RoiAlign.cpp - Bilinear samples of regions -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/indexing/Indices.h"
#include "kernels/region/Region.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// One axis of a region: where it begins, what a bin and a sample step over.
template <typename Length> struct RoiAxis {
  Length start, bin, step;
  uint32_t samples;
};

/// A pixel, the next one, and their shares of a sample.
template <typename Weight> struct SamplePair {
  uint32_t low, high;
  Weight lowShare, highShare;
};

/// Calls fn(element, weight) for the corners of all samples of a bin of an
/// image.
template <typename Rows, typename Columns, typename Fn>
void forEachSample(const MapShape &s, int64_t image, Rows rows,
                   uint32_t rowCount, Columns columns, uint32_t columnCount,
                   Fn fn) {
  for (uint32_t a = 0; a < rowCount; ++a) {
    auto y = rows(a);
    for (uint32_t b = 0; b < columnCount; ++b) {
      auto x = columns(b);
      int64_t low = (image * s.height + y.low) * s.width,
              high = (image * s.height + y.high) * s.width;
      fn((low + x.low) * s.channels, y.lowShare, x.lowShare);
      fn((low + x.high) * s.channels, y.lowShare, x.highShare);
      fn((high + x.low) * s.channels, y.highShare, x.lowShare);
      fn((high + x.high) * s.channels, y.highShare, x.highShare);
    }
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// False for a region that is none.
bool axisOf(const RoiAlignFloatParams &p, float first, float last, bool isRow,
            RoiAxis<float> &axis) {
  constexpr float kFarAway = 1 << 30;
  const MapShape &s = p.shape.region;
  float scale = p.spatialScale[isRow ? 0 : 1];
  float half = p.shape.halfPixel ? 0.5f : 0.0f;
  float start = first * scale - half, end = last * scale - half;
  if (!(start > -kFarAway && end < kFarAway && start <= end))
    return false;
  float length = end - start;
  if (!p.shape.halfPixel && length < 1)
    length = 1;
  uint32_t bins = isRow ? s.rows : s.columns;
  axis.start = start;
  axis.bin = length / float(bins);
  axis.samples = isRow ? p.shape.sampleRows : p.shape.sampleColumns;
  if (axis.samples == 0) {
    uint32_t most = isRow ? s.height : s.width;
    double wanted = math::ceil(double(axis.bin));
    axis.samples = wanted < double(most) ? uint32_t(wanted) : most;
  }
  axis.step = axis.bin / float(axis.samples);
  return true;
}

SamplePair<float> pairAt(const RoiAxis<float> &axis, uint32_t bin, uint32_t i,
                         uint32_t size) {
  float v = axis.start + float(bin) * axis.bin + (float(i) + 0.5f) * axis.step;
  v = clamp(v, 0.0f, float(size - 1));
  uint32_t low = uint32_t(v);
  float share = v - float(low);
  return {low, low + 1 < size ? low + 1 : low, 1.0f - share, share};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

constexpr int64_t kFirstCorner = -(int64_t(1) << 30);

/// x * scale / 2^shift towards zero.
int64_t truncatedScale(int64_t x, int32_t scale, int32_t shift) {
  return wrapMul(x, scale) / (int64_t(1) << shift);
}

/// False for a region that is none, or ends beyond the map.
bool axisOf(const RoiAlignIntParams &p, int32_t first, int32_t last, bool isRow,
            RoiAxis<int64_t> &axis) {
  const MapShape &s = p.shape.region;
  uint32_t k = isRow ? 0 : 1;
  int64_t one = int64_t(1) << p.spatialShift;
  int64_t half = p.shape.halfPixel ? one / 2 : 0;
  // At most 32 + 16 bits, then those of the spatial scale: below 2^63.
  auto corner = [&](int32_t q) {
    return clamp<int64_t>(
               truncatedScale(int64_t(q) + p.roiZp, p.roiScale, p.roiShift),
               INT32_MIN, INT32_MAX) *
               p.spatialScale[k] -
           half;
  };
  int64_t start = corner(first), end = corner(last);
  int64_t size = isRow ? s.height : s.width;
  if (start < kFirstCorner || end < start || end > size * one)
    return false;
  int64_t length = end - start;
  if (!p.shape.halfPixel && length < one)
    length = one;
  uint32_t bins = isRow ? s.rows : s.columns;
  axis.start = start;
  axis.samples = isRow ? p.shape.sampleRows : p.shape.sampleColumns;
  // A float32 product, as in the reference.
  double scaled = float(math::fromI64(length * p.binScale[k]));
  axis.bin = p.binScale[k]
                 ? int64_t(scaled / math::fromI64(int64_t(1) << p.binShift[k]))
                 : length / bins;
  if (axis.samples == 0) {
    int64_t pixels = int64_t(bins) * one;
    int64_t wanted = (length + pixels - 1) / pixels;
    axis.samples = uint32_t(wanted < size ? wanted : size);
    axis.step = axis.samples ? axis.bin / (2 * int64_t(axis.samples)) : 0;
  } else {
    axis.step = truncatedScale(axis.bin, p.gridScale[k], p.gridShift[k]);
  }
  return true;
}

SamplePair<int64_t> pairAt(const RoiAxis<int64_t> &axis, uint32_t bin,
                           uint32_t i, uint32_t size, int32_t shift) {
  int64_t v = axis.start + axis.bin * bin + axis.step * (2 * int64_t(i) + 1);
  int64_t last = int64_t(size - 1) << shift;
  v = clamp<int64_t>(v, 0, last);
  int64_t low = v >> shift, share = v - (low << shift);
  return {uint32_t(low), uint32_t(v < last ? low + 1 : low),
          (int64_t(1) << shift) - share, share};
}

} // namespace

YARROW_KERNEL(yk_roi_align_float, RoiAlignFloat) {
  const MapShape &s = p.shape.region;
  bool isMax = p.shape.method == RoiMethod::Max;
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    float roi[5];
    loadF32(p.roiType, buffers.rois(), int64_t(row / s.rows) * 5, 5, roi);
    int32_t image = truncatedIndex(roi[0]);
    RoiAxis<float> y, x;
    bool isThere = image >= 0 && uint32_t(image) < s.batch &&
                   axisOf(p, roi[1], roi[3], true, y) &&
                   axisOf(p, roi[2], roi[4], false, x) && y.samples &&
                   x.samples;
    for (uint32_t column = 0; column < s.columns; ++column) {
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        float acc[kChunk], scratch[kChunk];
        for (uint32_t i = 0; i < n; ++i)
          acc[i] = isThere && isMax ? -float(math::kInfinity) : 0.0f;
        if (isThere)
          forEachSample(
              s, image,
              [&](uint32_t a) { return pairAt(y, row % s.rows, a, s.height); },
              y.samples,
              [&](uint32_t b) { return pairAt(x, column, b, s.width); },
              x.samples,
              [&](int64_t element, float down, float across) {
                const float *f =
                    viewF32(p.type, buffers.input(), element + c, n, scratch);
                float w = down * across;
                if (isMax)
                  for (uint32_t i = 0; i < n; ++i)
                    acc[i] =
                        w * f[i] > acc[i] || f[i] != f[i] ? w * f[i] : acc[i];
                else
                  for (uint32_t i = 0; i < n; ++i)
                    acc[i] += w * f[i];
              });
        float count =
            isThere && !isMax ? float(y.samples) * float(x.samples) : 1;
        for (uint32_t i = 0; i < n; ++i)
          acc[i] /= count;
        storeF32(p.outType, buffers.output(), out + c, n, acc);
      });
    }
  }
}

YARROW_KERNEL(yk_roi_align_int, RoiAlignInt) {
  const MapShape &s = p.shape.region;
  bool isMax = p.shape.method == RoiMethod::Max;
  Requant range;
  range.zp = p.outZp, range.lo = p.lo, range.hi = p.hi;
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    int32_t roi[5];
    loadI32(p.roiType, buffers.rois(), int64_t(row / s.rows) * 5, 5, roi);
    // Regions have the scale 1, for this is a number of images.
    int64_t image = int64_t(roi[0]) + p.roiZp;
    RoiAxis<int64_t> y, x;
    bool isThere =
        image >= 0 && image < s.batch && axisOf(p, roi[1], roi[3], true, y) &&
        axisOf(p, roi[2], roi[4], false, x) && y.samples && x.samples;
    bool isAdaptive = p.shape.sampleRows == 0 || p.shape.sampleColumns == 0;
    for (uint32_t column = 0; column < s.columns; ++column) {
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        int64_t acc[kChunk];
        int32_t f[kChunk];
        for (uint32_t i = 0; i < n; ++i)
          acc[i] = isThere && isMax ? INT32_MIN : 0;
        if (isThere)
          forEachSample(
              s, image,
              [&](uint32_t a) {
                return pairAt(y, row % s.rows, a, s.height, p.spatialShift);
              },
              y.samples,
              [&](uint32_t b) {
                return pairAt(x, column, b, s.width, p.spatialShift);
              },
              x.samples,
              [&](int64_t element, int64_t down, int64_t across) {
                loadI32(p.type, buffers.input(), element + c, n, f);
                int32_t w = int32_t(down * across >> p.spatialShift);
                // Below 2^(17 + 15).
                for (uint32_t i = 0; i < n; ++i) {
                  int64_t product = int64_t(f[i] + p.inZp) * w;
                  int64_t greater = product > acc[i] ? product : acc[i];
                  acc[i] = isMax ? greater : acc[i] + product;
                }
              });
        int32_t scale = p.scale;
        if (isThere && isAdaptive && !isMax) {
          int64_t count = int64_t(y.samples) * x.samples;
          for (uint32_t i = 0; i < n; ++i) {
            int64_t scaled = wrapMul(acc[i], scale), whole = scaled / count;
            acc[i] = whole - (scaled < whole * count);
          }
          scale = 1;
        }
        requantizeChunk(acc, n, scale, p.shift + p.spatialShift, range, f);
        storeI32(p.type, buffers.output(), out + c, n, f);
      });
    }
  }
}
