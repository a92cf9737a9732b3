//===- InverseSqrt.h - Integer inverse square roots by table ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The table has 193 entries over [64, 256): 2^15 / sqrt(1 + i / 64). It is the
// same for every layer (quantizer/math/Lut.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_INVERSESQRT_H
#define YARROW_KERNELS_NORM_INVERSESQRT_H

#include "kernels/Math.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

/// About 2^31 / sqrt(v), v >= 0 (docs/operators/norm.md, LayerNorm;
/// calculate_inverse_sqrt of the Compass Optimizer): v is normalized to bit 30,
/// its exponent made even, and the table interpolated with 15 bits.
inline int64_t inverseSqrt(int64_t v, const int16_t *table) {
  // v = 0 is shifted 30 times as v = 1 is.
  int32_t shifts = v > 0 ? 30 - floorLog2(uint64_t(v)) : 30;
  shifts = shifts < 0 ? 0 : shifts;
  int64_t normal = v << shifts;
  int32_t exponent = 31 - shifts;
  if (exponent & 1)
    normal >>= 1;
  exponent = (exponent - 1) >> 1;
  normal >>= 7;
  int32_t entry = clamp<int32_t>(int32_t(normal >> 16) - 64, 0, 191);
  int64_t fraction = (normal >> 1) & 0x7fff;
  int64_t low = table[entry], step = low - table[entry + 1];
  return ((low << 16) - ((step * fraction) << 1)) >> exponent;
}

/// The float32 logarithm of a root of up to 31 bits, rounded up, as the
/// reference takes it: 2^20 + 1 has 21 bits, 2^24 + 2 has 24. From 16 on, what
/// exceeds a power of two by up to 5 units in the last place of a float has the
/// logarithm of the power. Below 15 it may be less than that.
inline int32_t ceilLog2(int32_t root) {
  uint32_t bits = __builtin_bit_cast(uint32_t, float(root));
  return int32_t(bits >> 23) - 127 + ((bits & 0x7fffff) > 5);
}

/// value / 2^shift is 2^31 / sqrt(v), value of 15 bits.
struct SmallInverseSqrt {
  int32_t value, shift;
};

/// Also for sums beyond 31 bits (docs/operators/norm.md, Normalization): those
/// are shifted right by an even number of bits first.
inline SmallInverseSqrt smallInverseSqrt(int64_t v, const int16_t *table) {
  int32_t excess = v >> 31 ? floorLog2(uint64_t(v)) - 30 : 0;
  excess += excess & 1;
  int64_t root = inverseSqrt(v >> excess, table);
  int32_t more = ceilLog2(int32_t(root)) - 15;
  more = more < 0 ? 0 : more;
  return {int32_t(clamp<int64_t>(root >> more, 0, 32767)), more - excess / 2};
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_INVERSESQRT_H
