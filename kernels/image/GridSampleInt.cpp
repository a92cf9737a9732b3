//===- GridSampleInt.cpp - Sampling images in integers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/image/GridSampleIntStrips.h"
#include "kernels/image/SampleTaps.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// A place along one axis: a pixel, and how far beyond it.
struct Cell {
  int32_t index, fraction;
};

/// The cell in fixed point of 16 bits; `axis` counts z, y, x.
Cell computedCell(const GridSampleIntParams &p, int32_t q, uint32_t axis) {
  int32_t bits = p.fractionBits[axis];
  int64_t half = int64_t(1) << (bits - 1);
  auto limited = [](int64_t x) { return clamp<int64_t>(x, -32768, 32767); };
  int64_t v =
      limited((wrapMul(int64_t(q) + p.gridZp, p.scale[axis]) >> p.shift[axis]) +
              (int64_t(p.shape.sizes[axis]) - 1) * half);
  if (p.shape.method == SampleMethod::Nearest)
    v = limited(v + half);
  int64_t index = v >> bits;
  return {int32_t(index), int32_t(v - (index << bits))};
}

/// Tables of a broken file hold more than a pixel, for which there are no
/// weights.
int32_t limitedFraction(int32_t fraction, int32_t bits) {
  int32_t pixel = int32_t(1) << bits;
  return fraction < pixel ? fraction : pixel;
}

int32_t pixelAt(const GridSampleShape &s, int32_t index, uint32_t axis) {
  return wholeIndex(index, int32_t(s.sizes[axis]), s.padding, s.alignCorners);
}

constexpr int32_t kCubicBits = 14;

/// Both neighbours without weights, or those of BICUBIC with them.
AxisTaps<int64_t> tapsOf(const GridSampleIntParams &p, Cell cell,
                         uint32_t axis) {
  const GridSampleShape &s = p.shape;
  AxisTaps<int64_t> taps;
  int32_t first = cell.index;
  if (s.method == SampleMethod::Bicubic) {
    double weights[4];
    cubicWeights(double(cell.fraction) / double(1 << p.fractionBits[axis]),
                 weights);
    for (uint32_t k = 0; k < 4; ++k)
      taps.weight[k] =
          int32_t(math::roundEven(weights[k] * double(1 << kCubicBits)));
    taps.count = 4;
    --first;
  } else {
    taps.count = s.method == SampleMethod::Nearest ? 1 : 2;
  }
  for (uint32_t k = 0; k < taps.count; ++k)
    taps.index[k] = pixelAt(s, first + int32_t(k), axis);
  return taps;
}

/// a[i] += (b[i] - a[i]) * fraction >> bits. Differences have 33 bits at most.
void interpolate(int32_t *a, const int32_t *b, uint32_t n, Cell cell,
                 int32_t bits) {
  int64_t fraction = cell.fraction;
  for (uint32_t i = 0; i < n; ++i)
    a[i] += int32_t(((int64_t(b[i]) - a[i]) * fraction) >> bits);
}

/// The pixels of one image, at some of their channels.
struct Pixels {
  const GridSampleIntParams &p;
  const void *input;
  int64_t first; ///< element of the first pixel's first channel in hand
  uint32_t n;

  void load(int32_t z, int32_t y, int32_t x, int32_t *to) const {
    if (z == kOutside || y == kOutside || x == kOutside) {
      for (uint32_t i = 0; i < n; ++i)
        to[i] = -p.zp;
      return;
    }
    const GridSampleShape &s = p.shape;
    int64_t pixel = (int64_t(z) * s.sizes[1] + y) * s.sizes[2] + x;
    loadI32(p.type, input, first + pixel * s.channels, n, to);
  }
};

/// Along x, then y, then z; the last stays in `out`.
void interpolateAll(const Pixels &pixels, const AxisTaps<int64_t> (&taps)[3],
                    const Cell (&cells)[3], int32_t *out) {
  const GridSampleIntParams &p = pixels.p;
  int32_t row[kChunk], right[kChunk], plane[kChunk];
  for (uint32_t z = 0; z < taps[0].count; ++z) {
    int32_t *to = z == 0 ? out : plane;
    for (uint32_t y = 0; y < taps[1].count; ++y) {
      int32_t *at = y == 0 ? to : row;
      pixels.load(taps[0].index[z], taps[1].index[y], taps[2].index[0], at);
      if (taps[2].count > 1) {
        pixels.load(taps[0].index[z], taps[1].index[y], taps[2].index[1],
                    right);
        interpolate(at, right, pixels.n, cells[2], p.fractionBits[2]);
      }
      if (y > 0)
        interpolate(to, row, pixels.n, cells[1], p.fractionBits[1]);
    }
    if (z > 0)
      interpolate(out, plane, pixels.n, cells[0], p.fractionBits[0]);
  }
}

} // namespace

YARROW_KERNEL(yk_grid_sample_int, GridSampleInt) {
  if (areStripPlaces(p))
    return sampleStrips(p, buffers, task, taskCount);
  const GridSampleShape &s = p.shape;
  Requant range;
  range.zp = p.zp, range.lo = p.lo, range.hi = p.hi;
  Share share = shareOf(s.batch * s.places, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out) {
    AxisTaps<int64_t> taps[3];
    Cell cells[3] = {};
    for (uint32_t k = 0; k < s.axes; ++k) { // x, y (, z)
      uint32_t axis = 2 - k;
      int32_t q =
          loadOneI32(p.gridType, buffers.grid(), int64_t(out) * s.axes + k);
      if (p.tables) {
        uint32_t entry = uint32_t(q - lowestOf(p.gridType));
        const void *fractions =
            k == 0 ? buffers.fractionsX() : buffers.fractionsY();
        cells[axis] = {
            loadOneI32(DType::I16, k == 0 ? buffers.cellsX() : buffers.cellsY(),
                       entry),
            fractions
                ? limitedFraction(loadOneI32(DType::U16, fractions, entry),
                                  p.fractionBits[axis])
                : 0};
      } else {
        cells[axis] = computedCell(p, q, axis);
      }
      taps[axis] = tapsOf(p, cells[axis], axis);
    }
    int64_t image =
        int64_t(out / s.places) * s.sizes[0] * s.sizes[1] * s.sizes[2];
    forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
      int32_t y[kChunk];
      int64_t first = image * s.channels + c;
      if (s.method == SampleMethod::Bicubic) {
        int64_t acc[kChunk] = {};
        forEachTap(taps, s.sizes, [&](int64_t pixel, int64_t weight) {
          loadI32(p.type, buffers.input(), first + pixel * s.channels, n, y);
          for (uint32_t i = 0; i < n; ++i)
            acc[i] += weight * (int64_t(y[i]) + p.zp);
        });
        requantizeChunk(acc, n, 1, kCubicBits * int32_t(s.axes), range, y);
      } else {
        interpolateAll({p, buffers.input(), first, n}, taps, cells, y);
        for (uint32_t i = 0; i < n; ++i)
          y[i] = clamp(y[i], p.lo, p.hi);
      }
      storeI32(p.type, buffers.output(), int64_t(out) * s.channels + c, n, y);
    });
  }
}
