//===- SampleTaps.h - The pixels around a place -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where a sample reads along one axis, for kernels in floats and in integers:
//
//   wholeIndex(-2, 5, SamplePadding::Reflection, /*alignCorners=*/false)  // 1
//   cubicWeights(0.5, w)   // of the pixels -1, 0, 1 and 2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_SAMPLETAPS_H
#define YARROW_KERNELS_IMAGE_SAMPLETAPS_H

#include "kernels/Math.h"
#include "kernels/image/GridSample.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

/// A pixel that counts as 0.
constexpr int32_t kOutside = -1;

/// Which of `size` pixels stands at `index`, |index| < 2^31 - 2^20.
inline int32_t wholeIndex(int32_t index, int32_t size, SamplePadding padding,
                          bool alignCorners) {
  if (index >= 0 && index < size)
    return index;
  switch (padding) {
  case SamplePadding::Zeros:
    return kOutside;
  case SamplePadding::Border:
    return index < 0 ? 0 : size - 1;
  case SamplePadding::Reflection:
    break;
  }
  // At the centres of the last pixels, or at their outer edges.
  int32_t period = alignCorners ? 2 * (size - 1) : 2 * size;
  if (period == 0)
    return 0;
  int32_t at = index % period;
  at = at < 0 ? at + period : at;
  return at < size ? at : alignCorners ? period - at : period - 1 - at;
}

/// A place, mirrored at the border of `size` pixels until it lies inside.
inline double reflected(double v, double size, bool alignCorners) {
  double first = alignCorners ? 0.0 : -0.5;
  double span = alignCorners ? size - 1 : size;
  if (span <= 0)
    return 0;
  double from = math::abs(v - first);
  double turns = math::floor(from / span);
  double rest = from - turns * span;
  bool isOdd = turns * 0.5 != math::floor(turns * 0.5);
  return clamp(isOdd ? span - rest + first : rest + first, 0.0, size - 1);
}

/// Weights of the pixels -1, 0, 1 and 2 at `t` in 0..1: cubic convolution with
/// a = -0.75.
inline void cubicWeights(double t, double (&w)[4]) {
  constexpr double a = -0.75;
  auto inner = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto outer = [](double x) {
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  };
  w[0] = outer(t + 1), w[1] = inner(t);
  w[2] = inner(1 - t), w[3] = outer(2 - t);
}

/// The pixels of one axis and their weights, floats or integers.
template <typename Weight> struct AxisTaps {
  int32_t index[4] = {0};
  Weight weight[4] = {1};
  uint32_t count = 1;
};

/// Calls fn(pixel, weight) for the pixels of an image that count, taps being
/// those of z, y, x.
template <typename Weight, typename Fn>
inline void forEachTap(const AxisTaps<Weight> (&taps)[3],
                       const uint32_t (&sizes)[3], Fn fn) {
  for (uint32_t z = 0; z < taps[0].count; ++z)
    for (uint32_t y = 0; y < taps[1].count; ++y) {
      int32_t plane = taps[0].index[z], row = taps[1].index[y];
      if (plane == kOutside || row == kOutside)
        continue;
      int64_t first = (int64_t(plane) * sizes[1] + row) * sizes[2];
      Weight weight = taps[0].weight[z] * taps[1].weight[y];
      for (uint32_t x = 0; x < taps[2].count; ++x)
        if (taps[2].index[x] != kOutside)
          fn(first + taps[2].index[x], Weight(weight * taps[2].weight[x]));
    }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_SAMPLETAPS_H
