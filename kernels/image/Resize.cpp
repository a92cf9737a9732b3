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

/// Input coordinate of output position i; the order of operations is the
/// reference's, as results are rounded at every step.
double coordinate(CoordMode mode, uint32_t i, uint32_t in, uint32_t out) {
  double x = double(i), n = double(in), o = double(out);
  switch (mode) {
  case CoordMode::HalfPixel:
    return (x + 0.5) * n / o - 0.5;
  case CoordMode::PytorchHalfPixel:
    return out > 1 ? (x + 0.5) * n / o - 0.5 : 0.0;
  case CoordMode::AlignCorners:
    return out > 1 ? x * (n - 1.0) / (o - 1.0) : 0.0;
  case CoordMode::TfHalfPixelForNn:
    return (x + 0.5) * n / o;
  case CoordMode::Asymmetric:
    return x * n / o;
  }
  return x;
}

uint32_t nearest(NearestMode mode, double v, uint32_t in, uint32_t out) {
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
    at = out < in ? math::ceil(v) : math::trunc(v);
    break;
  }
  return uint32_t(clamp<double>(at, 0.0, double(in - 1)));
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
  Between v = between(coordinate(s.coordMode, y, s.inH, s.outH), s.inH);
  Between h = between(coordinate(s.coordMode, x, s.inW, s.outW), s.inW);
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
  double vy = coordinate(s.coordMode, y, s.inH, s.outH);
  double vx = coordinate(s.coordMode, x, s.inW, s.outW);
  uint32_t row = nearest(s.nearestMode, vy, s.inH, s.outH);
  uint32_t column = nearest(s.nearestMode, vx, s.inW, s.outW);
  return (image + int64_t(row) * s.inW + column) * s.channels;
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
  bool isNearest = s.method == ResizeMethod::Nearest;
  double one = double(1 << p.weightShift);
  Share share = pixelShare(s, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out) {
    Corners c =
        isNearest ? Corners{{nearestElement(s, out)}, {}} : cornersOf(s, out);
    int32_t weight[4];
    for (uint32_t k = 0; k < 4; ++k)
      weight[k] = int32_t(math::floor(c.weight[k] * one + 0.5));
    forEachChunk(0, s.channels, [&](uint32_t i, uint32_t n) {
      int32_t x[kChunk];
      int64_t acc[kChunk] = {};
      for (uint32_t k = 0; k < (isNearest ? 1 : 4); ++k) {
        loadI32(p.inType, buffers.input(), c.element[k] + i, n, x);
        int64_t w = isNearest ? 1 : weight[k];
        for (uint32_t j = 0; j < n; ++j)
          acc[j] += w * x[j];
      }
      requantizeChunk(acc, n, 1, isNearest ? 0 : p.weightShift, range, x);
      storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + i, n,
               x);
    });
  }
}

YARROW_KERNEL(yk_resize_float, ResizeFloat) {
  const ResizeShape &s = p.shape;
  bool isNearest = s.method == ResizeMethod::Nearest;
  Share share = pixelShare(s, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out) {
    Corners c =
        isNearest ? Corners{{nearestElement(s, out)}, {}} : cornersOf(s, out);
    forEachChunk(0, s.channels, [&](uint32_t i, uint32_t n) {
      float x[kChunk], acc[kChunk] = {};
      for (uint32_t k = 0; k < (isNearest ? 1 : 4); ++k) {
        loadF32(p.inType, buffers.input(), c.element[k] + i, n, x);
        float w = isNearest ? 1.0f : float(c.weight[k]);
        for (uint32_t j = 0; j < n; ++j)
          acc[j] += w * x[j];
      }
      storeF32(p.outType, buffers.output(), int64_t(out) * s.channels + i, n,
               acc);
    });
  }
}
