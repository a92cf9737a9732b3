//===- FloatStrips.h - Strips of any float type -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Floats of 32 and 16 bits as strips of float (Strips.h), converted in
// registers: TECs have no instruction for halves, and another loop with the
// stack in between would take as long as the conversion.
//
//   Strip<float> x;
//   loadFloats(DType::F16, input, i, size, x);
//   storeFloats(DType::F16, x * 2, size, output, i);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_FLOATSTRIPS_H
#define YARROW_KERNELS_FLOATSTRIPS_H

#include "kernels/Strips.h"

namespace yarrow::kernels {

/// Calls fn(i, size) as forEachStrip does, but with half a strip and a quarter
/// of one for what is left at the end: few channels take no more time than
/// their part of a strip.
template <typename Fn>
inline void forEachFittingStrip(uint32_t begin, uint32_t end, Fn fn) {
  constexpr uint32_t kHalf = kStrip / 2, kQuarter = kStrip / 4;
  uint32_t rest = (end - begin) % kStrip, i = begin;
  for (; i < end - rest; i += kStrip)
    fn(i, WholeStrip());
  if (rest & kHalf)
    fn(i, Whole<kHalf>()), i += kHalf;
  if (rest & kQuarter)
    fn(i, Whole<kQuarter>()), i += kQuarter;
  if (rest % kQuarter)
    fn(i, PartOf<kQuarter>{rest % kQuarter});
}

// Of vectors of any number of lanes:

/// The same number in all lanes, and the same zero, which a sum with 0 is not.
template <typename Floats> inline void fillFloats(float x, Floats &to) {
  to = x - Floats{};
}

/// Halves of either type, with their sign in the upper bits, as floats.
template <typename Words, typename Floats>
inline void widenHalves(DType type, const Words &halves, Floats &to) {
  if (type == DType::F16)
    halvesToFloats(halves, to);
  else
    to = __builtin_bit_cast(Floats, halves << 16);
}

/// to = src[index ...] of a float type.
template <typename Size, typename Floats>
inline void loadFloats(DType type, const void *src, int64_t index, Size size,
                       Floats &to) {
  if (type == DType::F32)
    return loadStrip<float>(src, index, size, to);
  Like<int32_t, Floats> halves;
  loadStrip<int16_t>(src, index, size, halves);
  widenHalves(type, halves, to);
}

/// The same of an operand with a stride of 1 or, one element for all, of 0.
template <typename Size, typename Floats>
inline void loadFloats(DType type, const void *src, int64_t index,
                       int32_t stride, Size size, Floats &to) {
  if (stride != 0)
    return loadFloats(type, src, index, size, to);
  float one;
  loadF32(type, src, index, 1, &one);
  fillFloats(one, to);
}

/// to = src[index + place] of each lane.
inline void gatherFloats(DType type, const void *src, int64_t index,
                         const Strip<int32_t> &places, Strip<float> &to) {
  if (type == DType::F32)
    return gatherStrip(static_cast<const float *>(src) + index, places, to);
  Strip<int32_t> halves;
  gatherStrip(static_cast<const int16_t *>(src) + index, places, halves);
  widenHalves(type, halves, to);
}

/// dst[index ...] = v rounded to a float type, NaN as storeF32 has it.
template <typename Size, typename Floats>
inline void storeFloats(DType type, const Floats &v, Size size, void *dst,
                        int64_t index) {
  if (type == DType::F32) {
    Floats nan, to;
    fillFloats(canonicalNaN(__builtin_nanf("")), nan);
    to = v == v ? v : nan;
    return storeStrip<float>(to, size, dst, index);
  }
  Like<int32_t, Floats> halves;
  if (type == DType::F16)
    floatsToHalves(v, halves);
  else
    floatsToBfloats(v, halves);
  storeStrip<uint16_t>(halves, size, dst, index);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_FLOATSTRIPS_H
