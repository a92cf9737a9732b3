//===- Numeric.h - Scales computed at run time ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// support/Numeric.h has rounding and requantization; this adds the one scale
// that a kernel computes while it runs, with the formula that the quantizer
// uses at build time (quantizer/math/QuantParams.h;
// get_scale_approximation_params of the Compass Optimizer).
//
//   // 228 / 2^11
//   ScaleShift s = approximateScale(1.0f / 9.0f, /*multiplierBits=*/8);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NUMERIC_H
#define YARROW_KERNELS_NUMERIC_H

#include "kernels/Math.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

struct ScaleShift {
  int32_t scale = 1, shift = 0;
};

/// scale / 2^shift ~ ratio with scale < 2^min(multiplierBits, 15); float32
/// logarithm as the reference has it. shift <= 31; it is negative for large
/// ratios.
inline ScaleShift approximateScale(float ratio, int32_t multiplierBits) {
  int32_t bits = multiplierBits < 15 ? multiplierBits : 15;
  float most = float((1 << bits) - 1);
  // Rounding the logarithm to float may reach the next integer, as in the
  // reference.
  float log2Most = float(math::log2(double(most / ratio)));
  double shift = math::floor(log2Most < 31.0f ? log2Most : 31.0f);
  shift = shift < -31.0 ? -31.0 : shift;
  // 2^shift by its exponent bits.
  double power = math::fromBits(uint64_t(int32_t(shift) + 1023) << 52);
  return {int32_t(math::floor(double(ratio) * power + 0.5)), int32_t(shift)};
}

/// The scale of an average over `area` cells: float32 (ratio / area), 8 bits. A
/// scale of exactly 2^shift is left as it is, which the reference reduces to 1
/// and 0 with the same result.
inline ScaleShift averageScale(float scaleRatio, uint32_t area) {
  return approximateScale(scaleRatio / float(area), 8);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NUMERIC_H
