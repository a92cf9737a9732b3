//===- SampleStrips.h - Places of a grid, 32 at once ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// To find the pixels of a place takes longer than to read them, if there are
// few channels. So kernels find those of a strip of places (Strips.h) in
// registers, along one axis at a time:
//
//   Strip<int32_t> x = ...; // pixels, also beyond the image
//   elementsAlong(axis, padding, alignCorners, x);
//   // elements of them, kOutsideElement where one counts as 0
//
// and then read them: of many channels place by place, of few (kMostGathered) a
// channel of all places.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_SAMPLESTRIPS_H
#define YARROW_KERNELS_IMAGE_SAMPLESTRIPS_H

#include "kernels/FloatStrips.h"
#include "kernels/image/GridSample.h"

namespace yarrow::kernels {

/// Pixels of so few channels are gathered, a channel of 32 places at once.
constexpr uint32_t kMostGathered = kStrip - 1;

/// So far outside that the sum with another one, or with an element, is below
/// 0, too; elements are below 2^30.
constexpr int32_t kOutsideElement = INT32_MIN / 2;

/// An axis of an image, whose pixels are `step` elements apart.
struct SampleAxis {
  int32_t size, step;
};

/// As wholeIndex (SampleTaps.h), of strips, times the step; |index| < 2^31 -
/// 2^20.
inline void elementsAlong(const SampleAxis &axis, SamplePadding padding,
                          bool alignCorners, Strip<int32_t> &index) {
  int32_t size = axis.size;
  const Strip<int32_t> zero{};
  if (padding == SamplePadding::Zeros) {
    auto isInside =
        __builtin_convertvector(index, Strip<uint32_t>) < uint32_t(size);
    index = isInside ? index * axis.step : zero + kOutsideElement;
    return;
  }
  if (padding == SamplePadding::Reflection) {
    int32_t period = alignCorners ? 2 * (size - 1) : 2 * size;
    period = period > 0 ? period : 1;
    // A quotient in double is at most one off, and only where the division has
    // no remainder.
    auto turns = __builtin_convertvector(
        __builtin_convertvector(index, Strip<double>) * (1.0 / period),
        Strip<int32_t>);
    Strip<int32_t> at = index - turns * period;
    at += (at < 0) & period; // true is -1
    at -= (at >= period) & period;
    index = at < size ? at : (alignCorners ? period : period - 1) - at;
  } else {
    index = __builtin_elementwise_max(index, zero);
    index = __builtin_elementwise_min(index, zero + (size - 1));
  }
  index *= axis.step;
}

/// Calls fn(first place, how many, image) for strips of a task's places, each
/// of one image.
template <typename Fn>
inline void forEachPlaces(const GridSampleShape &s, uint32_t task,
                          uint32_t taskCount, Fn fn) {
  Share share = shareOf(s.batch * s.places, task, taskCount);
  for (uint32_t out = share.begin, n; out < share.end; out += n) {
    uint32_t image = out / s.places;
    uint32_t end = (image + 1) * s.places;
    n = (end < share.end ? end : share.end) - out;
    n = n < kStrip ? n : kStrip;
    fn(out, n, image);
  }
}

/// to = src[index] of the lanes of \p mask, \p other in the rest.
template <typename T, typename Mask, typename Vector>
inline void gatherWhere(const T *src, const Strip<int32_t> &index,
                        const Mask &mask, T other, Vector &to) {
  typedef int32_t Places __attribute__((ext_vector_type(kStrip)));
  typedef T Values __attribute__((ext_vector_type(kStrip)));
  typedef bool Lanes __attribute__((ext_vector_type(kStrip)));
  auto from = __builtin_bit_cast(
      Strip<T>, __builtin_masked_gather(__builtin_convertvector(mask, Lanes),
                                        __builtin_bit_cast(Places, index), src,
                                        Values(other)));
  to = __builtin_convertvector(from, Vector);
}

/// The same of floats of any type, with 0 in the rest.
template <typename Mask>
inline void gatherFloatsWhere(DType type, const void *src, int64_t first,
                              const Strip<int32_t> &index, const Mask &mask,
                              Strip<float> &to) {
  if (type == DType::F32)
    return gatherWhere(static_cast<const float *>(src) + first, index, mask,
                       0.0f, to);
  Strip<int32_t> halves;
  gatherWhere(static_cast<const int16_t *>(src) + first, index, mask,
              int16_t(0), halves);
  widenHalves(type, halves, to);
}

/// The axes y and x of an image.
inline SampleAxis rowsOf(const GridSampleShape &s) {
  return {int32_t(s.sizes[1]), int32_t(s.sizes[2] * s.channels)};
}
inline SampleAxis columnsOf(const GridSampleShape &s) {
  return {int32_t(s.sizes[2]), int32_t(s.channels)};
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_SAMPLESTRIPS_H
