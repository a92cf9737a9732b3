//===- Resize.cpp - Image resize kernels ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/image/Resize.h"
#include "kernels/Epilogue.h"
#include "kernels/Math.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// One direction of the image.
struct Axis {
  CoordMode mode;
  uint32_t in, out;
  float given; ///< Ratio of the lengths if it is not theirs, else 0.

  double ratio() const {
    return given > 0 ? double(given) : double(out) / double(in);
  }
};
Axis rowsOf(const ResizeShape &s) {
  return {s.coordMode, s.inH, s.outH, s.ratioH};
}
Axis columnsOf(const ResizeShape &s) {
  return {s.coordMode, s.inW, s.outW, s.ratioW};
}

/// Input coordinate of output position i; the order of operations is the
/// reference's, as results are rounded at every step.
double coordinate(const Axis &axis, uint32_t i) {
  double x = double(i), n = double(axis.in), o = double(axis.out);
  // x times the input's length over the output's.
  auto back = [&](double v) {
    return axis.given > 0 ? v / double(axis.given) : v * n / o;
  };
  switch (axis.mode) {
  case CoordMode::HalfPixel:
    return back(x + 0.5) - 0.5;
  case CoordMode::HalfPixelSymmetric: {
    // What the output's length lost when it was rounded down is left out at
    // both ends.
    double kept = axis.given > 0 ? o / (double(axis.given) * n) : 1.0;
    return n / 2.0 * (1.0 - kept) + back(x + 0.5) - 0.5;
  }
  case CoordMode::PytorchHalfPixel:
    return axis.out > 1 ? back(x + 0.5) - 0.5 : 0.0;
  case CoordMode::AlignCorners:
    return axis.out > 1 ? x * (n - 1.0) / (o - 1.0) : 0.0;
  case CoordMode::TfHalfPixelForNn:
    return back(x + 0.5);
  case CoordMode::Asymmetric:
    return back(x);
  }
  return x;
}

uint32_t nearest(NearestMode mode, double v, const Axis &axis) {
  double at = 0;
  switch (mode) {
  case NearestMode::RoundPreferFloor:
    at = v == math::trunc(v) + 0.5 ? math::floor(v) : math::roundEven(v);
    break;
  case NearestMode::RoundPreferCeil:
    at = math::floor(v + 0.5);
    break;
  case NearestMode::Floor:
    at = math::floor(v);
    break;
  case NearestMode::Ceil:
    at = math::ceil(v);
    break;
  case NearestMode::Simple: // up by truncation, down by the next pixel
    at = axis.out < axis.in ? math::ceil(v) : math::trunc(v);
    break;
  }
  return uint32_t(clamp<double>(at, 0.0, double(axis.in - 1)));
}

/// The two input positions around a coordinate, and how far it is past the
/// first. Left of pixel 0 the fraction is negative, but both positions are
/// pixel 0.
struct Between {
  uint32_t low, high;
  double fraction;
};
Between between(double v, uint32_t in) {
  double low = clamp<double>(math::floor(v), 0.0, double(in - 1));
  double high = clamp<double>(math::ceil(v), 0.0, double(in - 1));
  return {uint32_t(low), uint32_t(high), v - low};
}

/// First elements of the four pixels around an output pixel, and their shares.
struct Corners {
  int64_t element[4];
  double weight[4];
};
Corners cornersOf(const ResizeShape &s, uint32_t out) {
  uint32_t x = out % s.outW, y = out / s.outW % s.outH;
  int64_t image = int64_t(out / s.outW / s.outH) * s.inH * s.inW;
  Between v = between(coordinate(rowsOf(s), y), s.inH);
  Between h = between(coordinate(columnsOf(s), x), s.inW);
  Corners c;
  for (uint32_t k = 0; k < 4; ++k) {
    uint32_t row = k & 2 ? v.high : v.low, column = k & 1 ? h.high : h.low;
    double wy = k & 2 ? v.fraction : 1 - v.fraction;
    double wx = k & 1 ? h.fraction : 1 - h.fraction;
    c.element[k] = (image + int64_t(row) * s.inW + column) * s.channels;
    c.weight[k] = wy * wx;
  }
  return c;
}

int64_t nearestElement(const ResizeShape &s, uint32_t out) {
  uint32_t x = out % s.outW, y = out / s.outW % s.outH;
  int64_t image = int64_t(out / s.outW / s.outH) * s.inH * s.inW;
  Axis rows = rowsOf(s), columns = columnsOf(s);
  uint32_t row = nearest(s.nearestMode, coordinate(rows, y), rows);
  uint32_t column = nearest(s.nearestMode, coordinate(columns, x), columns);
  return (image + int64_t(row) * s.inW + column) * s.channels;
}

/// The pixels within 1 / ratio of a place, one direction of antialiasing.
class Triangle {
public:
  Triangle(const Axis &axis, uint32_t i, bool excludeOutside)
      : length(axis.in), excludes(excludeOutside), place(coordinate(axis, i)) {
    double ratio = axis.ratio();
    slope = ratio < 1.0 ? ratio : 1.0;
    // A pixel at exactly 1 / slope has no weight.
    first = int32_t(math::ceil(place - 1.0 / slope));
    last = int32_t(math::floor(place + 1.0 / slope));
    double sum = 0;
    for (int32_t j = first; j <= last; ++j)
      sum += share(j);
    scale = sum > 0 ? 1.0 / sum : 0.0;
  }
  double weight(int32_t j) const { return share(j) * scale; }
  uint32_t pixel(int32_t j) const {
    return uint32_t(clamp<int32_t>(j, 0, int32_t(length) - 1));
  }

  int32_t first, last;

private:
  double share(int32_t j) const {
    bool isOutside = j < 0 || j >= int32_t(length);
    double v = 1.0 - math::abs(double(j) - place) * slope;
    return v < 0 || (isOutside && excludes) ? 0.0 : v;
  }

  uint32_t length;
  bool excludes;
  double place, slope, scale;
};

/// Calls term(first element of a pixel, its weight) for all that make the
/// output pixel \p out.
template <typename Term>
void forEachPixel(const ResizeShape &s, uint32_t out, Term term) {
  if (s.method == ResizeMethod::Nearest)
    return term(nearestElement(s, out), 1.0);
  if (!s.antialias) {
    Corners c = cornersOf(s, out);
    for (uint32_t k = 0; k < 4; ++k)
      term(c.element[k], c.weight[k]);
    return;
  }
  uint32_t x = out % s.outW, y = out / s.outW % s.outH;
  int64_t image = int64_t(out / s.outW / s.outH) * s.inH * s.inW;
  Triangle v(rowsOf(s), y, s.excludeOutside);
  Triangle h(columnsOf(s), x, s.excludeOutside);
  for (int32_t j = v.first; j <= v.last; ++j)
    for (int32_t i = h.first; i <= h.last; ++i)
      term((image + int64_t(v.pixel(j)) * s.inW + h.pixel(i)) * s.channels,
           v.weight(j) * h.weight(i));
}

/// Output pixels of the task's rows.
Share pixelShare(const ResizeShape &s, uint32_t task, uint32_t taskCount) {
  Share rows = shareOf(s.batch * s.outH, task, taskCount);
  return {rows.begin * s.outW, rows.end * s.outW};
}

} // namespace

YARROW_KERNEL(yk_resize_int, ResizeInt) {
  const ResizeShape &s = p.shape;
  Requant range;
  range.lo = p.lo;
  range.hi = p.hi;
  // A copied pixel has no weight that would be rounded.
  int32_t shift = s.method == ResizeMethod::Nearest ? 0 : p.weightShift;
  double one = double(1 << shift);
  Share share = pixelShare(s, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out)
    forEachChunk(0, s.channels, [&](uint32_t i, uint32_t n) {
      int32_t x[kChunk];
      // Weights add up to about 2^16 at most: below 2^48.
      int64_t acc[kChunk] = {};
      forEachPixel(s, out, [&](int64_t element, double weight) {
        int64_t w = int32_t(math::floor(weight * one + 0.5));
        loadI32(p.inType, buffers.input(), element + i, n, x);
        for (uint32_t j = 0; j < n; ++j)
          acc[j] += w * x[j];
      });
      requantizeChunk(acc, n, 1, shift, range, x);
      storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + i, n,
               x);
    });
}

YARROW_KERNEL(yk_resize_float, ResizeFloat) {
  const ResizeShape &s = p.shape;
  Share share = pixelShare(s, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out)
    forEachChunk(0, s.channels, [&](uint32_t i, uint32_t n) {
      float x[kChunk], acc[kChunk] = {};
      forEachPixel(s, out, [&](int64_t element, double weight) {
        float w = float(weight);
        loadF32(p.inType, buffers.input(), element + i, n, x);
        for (uint32_t j = 0; j < n; ++j)
          acc[j] += w * x[j];
      });
      storeF32(p.outType, buffers.output(), int64_t(out) * s.channels + i, n,
               acc);
    });
}
