//===- ResizePlaces.h - Which pixels a resized image is made of -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The place of a result's pixel in the input, along one axis. The kernels ask
// for each pixel; the compiler asks once for all pixels, and lets the engines
// compute the same sums.
//
//   ResizeAxis rows = rowsOf(shape);
//   Between b = between(coordinate(rows, y), rows.in);
//   // rows b.low and b.high, with the weights 1 - b.fraction and b.fraction
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_RESIZEPLACES_H
#define YARROW_KERNELS_IMAGE_RESIZEPLACES_H

#include "kernels/Math.h"
#include "kernels/image/ResizeShape.h"

namespace yarrow::kernels {

/// One direction of the image.
struct ResizeAxis {
  CoordMode mode;
  uint32_t in, out;
  float given; ///< Ratio of the lengths if it is not theirs, else 0.

  double ratio() const {
    return given > 0 ? double(given) : double(out) / double(in);
  }
};
inline ResizeAxis rowsOf(const ResizeShape &s) {
  return {s.coordMode, s.inH, s.outH, s.ratioH};
}
inline ResizeAxis columnsOf(const ResizeShape &s) {
  return {s.coordMode, s.inW, s.outW, s.ratioW};
}

/// Input coordinate of output position i; the order of operations is the
/// reference's, as results are rounded at every step.
inline double coordinate(const ResizeAxis &axis, uint32_t i) {
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

inline uint32_t nearest(NearestMode mode, double v, const ResizeAxis &axis) {
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
inline Between between(double v, uint32_t in) {
  double low = clamp<double>(math::floor(v), 0.0, double(in - 1));
  double high = clamp<double>(math::ceil(v), 0.0, double(in - 1));
  return {uint32_t(low), uint32_t(high), v - low};
}

/// A weight as an integer: times \p one, a power of two.
inline int32_t integerWeight(double weight, double one) {
  return int32_t(math::floor(weight * one + 0.5));
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_RESIZEPLACES_H
