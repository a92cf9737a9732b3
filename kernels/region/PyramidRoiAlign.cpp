//===- PyramidRoiAlign.cpp - Regions of feature pyramids ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/region/PyramidRoiAlign.h"
#include "kernels/Epilogue.h"
#include "kernels/Math.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Two pixels of an axis and their shares of a sample.
template <typename Weight> struct SamplePair {
  bool counts = false;
  uint32_t low = 0, high = 0;
  Weight lowShare = 0, highShare = 0;
};

/// One axis of a region in one level: places start + bin * i + step * (2 * j +
/// 1), or start + bin * i of crops.
template <typename Length> struct PyramidAxis {
  Length start = 0, bin = 0, step = 0;
  uint32_t samples = 0;
  uint32_t size = 1; ///< of the map
};

uint32_t sizeOf(const PyramidShape &s, uint32_t level, bool isRow) {
  return isRow ? s.heights[level] : s.widths[level];
}

template <typename Buffers>
const void *levelOf(const Buffers &buffers, uint32_t level) {
  switch (level) {
  case 0:
    return buffers.level0();
  case 1:
    return buffers.level1();
  case 2:
    return buffers.level2();
  default:
    return buffers.level3();
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

constexpr float kFarAway = 1 << 30;

bool axisOf(const PyramidRoiAlignFloatParams &p, float first, float last,
            uint32_t level, bool isRow, PyramidAxis<float> &axis) {
  const PyramidShape &s = p.shape;
  uint32_t bins = isRow ? s.rows : s.columns;
  axis.size = sizeOf(s, level, isRow);
  float end = float(axis.size - 1);
  float scale = s.normalized ? end : p.spatialScale[level];
  float half = s.halfPixel && !s.normalized ? 0.5f : 0.0f;
  float start = first * scale - half, stop = last * scale - half;
  if (!(start > -kFarAway && stop < kFarAway && start <= stop))
    return false;
  float length = stop - start;
  axis.start = start;
  if (s.normalized) {
    axis.bin = bins > 1 ? length / float(bins - 1) : 0;
    axis.samples = 1;
    return true;
  }
  if (!s.halfPixel && length < 1)
    length = 1;
  axis.bin = length / float(bins);
  axis.samples = isRow ? s.sampleRows : s.sampleColumns;
  if (axis.samples == 0) {
    double wanted = math::ceil(double(axis.bin));
    axis.samples = wanted < double(axis.size) ? uint32_t(wanted) : axis.size;
  }
  axis.step = axis.bin / float(2 * axis.samples);
  return true;
}

SamplePair<float> pairAt(const PyramidRoiAlignFloatParams &p,
                         const PyramidAxis<float> &axis, uint32_t bin,
                         uint32_t i) {
  float v = axis.start + float(bin) * axis.bin + float(2 * i + 1) * axis.step;
  bool counts = p.shape.normalized || (v >= -1 && v <= float(axis.size));
  v = clamp(v, 0.0f, float(axis.size - 1));
  uint32_t low = uint32_t(v);
  float share = v - float(low);
  return {counts, low, low + 1 < axis.size ? low + 1 : low, 1.0f - share,
          share};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// False for a region without height or width.
bool axisOf(const PyramidRoiAlignIntParams &p, int32_t first, int32_t last,
            uint32_t level, bool isRow, PyramidAxis<int64_t> &axis) {
  const PyramidShape &s = p.shape;
  int64_t bins = isRow ? s.rows : s.columns;
  axis.size = sizeOf(s, level, isRow);
  int64_t a = int64_t(first) + p.roiZp, b = int64_t(last) + p.roiZp;
  axis.samples = 1;
  if (s.normalized) {
    int64_t end = int64_t(axis.size) - 1;
    axis.start = a * end;
    axis.bin = bins > 1 ? (b - a) * end * 256 / (bins - 1) >> 8 : 0;
    return true;
  }
  int64_t one = int64_t(1) << p.spatialShift;
  int64_t half = s.halfPixel ? one / 2 : 0;
  auto corner = [&](int64_t q) {
    return int64_t(requantize(q, p.inputScale[level], p.inputShift[level], 0, 0,
                              65535)) -
           half;
  };
  int64_t start = corner(a), length = corner(b) - start;
  if (!s.halfPixel && length < one)
    length = one;
  axis.start = start;
  axis.bin = length / bins;
  int64_t wanted = isRow ? s.sampleRows : s.sampleColumns;
  if (wanted == 0)
    wanted = length > 0 ? (length + bins * one - 1) / (bins * one) : 0;
  axis.samples = uint32_t(wanted); // of lengths of 16 bits
  axis.step = wanted ? axis.bin / (2 * wanted) : 0;
  return length != 0;
}

SamplePair<int64_t> pairAt(const PyramidRoiAlignIntParams &p,
                           const PyramidAxis<int64_t> &axis, uint32_t bin,
                           uint32_t i) {
  int64_t v = axis.start + axis.bin * bin + axis.step * (2 * int64_t(i) + 1);
  int32_t shift = p.spatialShift;
  int64_t one = int64_t(1) << shift, last = int64_t(axis.size) - 1;
  if (p.shape.normalized) {
    v = clamp<int64_t>(v, 0, last * (one - 1));
    int64_t high = (v + one - 1) >> shift, share = v & 0x7fff;
    return {true, uint32_t(v >> shift), uint32_t(high < last ? high : last),
            one - share, share};
  }
  int64_t low = v >> shift, share = v - (low << shift);
  bool counts = low >= -1 && low <= int64_t(axis.size);
  return {counts, uint32_t(clamp<int64_t>(low, 0, last)),
          uint32_t(clamp<int64_t>(low + 1, 0, last)), one - share, share};
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

/// Calls fn(first elements of four pixels, pair of rows, pair of columns) for
/// the samples of a bin that count.
template <typename Params, typename Length, typename Fn>
void forEachSample(const Params &p, const PyramidAxis<Length> &rows,
                   uint32_t row, const PyramidAxis<Length> &columns,
                   uint32_t column, Fn fn) {
  for (uint32_t a = 0; a < rows.samples; ++a) {
    auto y = pairAt(p, rows, row, a);
    for (uint32_t b = 0; y.counts && b < columns.samples; ++b) {
      auto x = pairAt(p, columns, column, b);
      if (!x.counts)
        continue;
      auto element = [&](uint32_t i, uint32_t j) {
        return (int64_t(i) * columns.size + j) * p.shape.channels;
      };
      const int64_t at[4] = {element(y.low, x.low), element(y.low, x.high),
                             element(y.high, x.low), element(y.high, x.high)};
      fn(at, y, x);
    }
  }
}

} // namespace

YARROW_KERNEL(yk_pyramid_roi_align_float, PyramidRoiAlignFloat) {
  const PyramidShape &s = p.shape;
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    float roi[4];
    loadF32(p.roiType, buffers.rois(), int64_t(row / s.rows) * 4, 4, roi);
    float area = (roi[2] - roi[0]) * (roi[3] - roi[1]);
    uint32_t level = 0;
    for (float least : p.areas)
      level += area >= least;
    const void *map = levelOf(buffers, level);
    PyramidAxis<float> y, x;
    bool isThere = axisOf(p, roi[0], roi[2], level, true, y) &&
                   axisOf(p, roi[1], roi[3], level, false, x) && y.samples &&
                   x.samples;
    float count = isThere ? float(y.samples) * float(x.samples) : 1;
    for (uint32_t column = 0; column < s.columns; ++column) {
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        float acc[kChunk] = {}, scratch[kChunk];
        if (isThere)
          forEachSample(
              p, y, row % s.rows, x, column,
              [&](const int64_t (&at)[4], auto down, auto across) {
                const float weights[4] = {down.lowShare * across.lowShare,
                                          down.lowShare * across.highShare,
                                          down.highShare * across.lowShare,
                                          down.highShare * across.highShare};
                for (uint32_t k = 0; k < 4; ++k) {
                  const float *f = viewF32(p.type, map, at[k] + c, n, scratch);
                  for (uint32_t i = 0; i < n; ++i)
                    acc[i] += weights[k] * f[i];
                }
              });
        for (uint32_t i = 0; i < n; ++i)
          acc[i] /= count;
        storeF32(p.outType, buffers.output(), out + c, n, acc);
      });
    }
  }
}

YARROW_KERNEL(yk_pyramid_roi_align_int, PyramidRoiAlignInt) {
  const PyramidShape &s = p.shape;
  Requant range;
  range.zp = p.outZp, range.lo = p.lo, range.hi = p.hi;
  int32_t t = p.spatialShift;
  bool isAdaptive =
      !s.normalized && (s.sampleRows == 0 || s.sampleColumns == 0);
  Share share = shareOf(s.regions * s.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    int32_t roi[4];
    loadI32(p.roiType, buffers.rois(), int64_t(row / s.rows) * 4, 4, roi);
    int64_t area = (int64_t(roi[2]) - roi[0]) * (int64_t(roi[3]) - roi[1]);
    uint32_t level = 0;
    for (int32_t least : p.areas)
      level += area >= least;
    const void *map = levelOf(buffers, level);
    int32_t zp = p.zps[level];
    PyramidAxis<int64_t> y, x;
    bool isThere = axisOf(p, roi[0], roi[2], level, true, y);
    isThere &= axisOf(p, roi[1], roi[3], level, false, x);
    int64_t count = int64_t(y.samples) * x.samples;
    for (uint32_t column = 0; column < s.columns; ++column) {
      int64_t out = (int64_t(row) * s.columns + column) * s.channels;
      forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
        int64_t acc[kChunk] = {};
        int32_t f[kChunk];
        auto add = [&](int64_t at, int64_t weight) {
          loadI32(p.type, map, at + c, n, f);
          for (uint32_t i = 0; i < n; ++i)
            acc[i] += (int64_t(f[i]) + zp) * weight;
        };
        if (isThere)
          forEachSample(p, y, row % s.rows, x, column,
                        [&](const int64_t (&at)[4], auto down, auto across) {
                          if (s.normalized) {
                            // f00 << t, differences along both axes, and the
                            // mixed one.
                            int64_t dy = down.highShare, dx = across.highShare,
                                    both = dy * dx >> t, one = int64_t(1) << t;
                            add(at[0], one - dy - dx + both);
                            add(at[1], dx - both);
                            add(at[2], dy - both);
                            add(at[3], both);
                          } else {
                            add(at[0], down.lowShare * across.lowShare >> t);
                            add(at[1], down.lowShare * across.highShare >> t);
                            add(at[2], down.highShare * across.lowShare >> t);
                            add(at[3], down.highShare * across.highShare >> t);
                          }
                        });
        if (s.normalized) {
          for (uint32_t i = 0; i < n; ++i)
            f[i] = int32_t(clamp<int64_t>(acc[i] >> t, p.lo, p.hi));
        } else if (!isThere) {
          for (uint32_t i = 0; i < n; ++i)
            f[i] = 0;
        } else {
          int32_t scale = p.scale[level];
          for (uint32_t i = 0; isAdaptive && count && i < n; ++i) {
            int64_t scaled = wrapMul(acc[i], scale), whole = scaled / count;
            acc[i] = whole - (scaled < whole * count);
          }
          requantizeChunk(acc, n, isAdaptive ? 1 : scale, p.shift[level] + t,
                          range, f);
        }
        storeI32(p.outType, buffers.output(), out + c, n, f);
      });
    }
  }
}
