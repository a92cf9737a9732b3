//===- Remainder.h - Remainders of divisions --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exact, as IEEE 754 and C define them, without a C library (kernels/Math.h
// says why):
//
//   truncRemainder(-7.0, 3.0)   // -1, the sign of the dividend
//   floorRemainder(-7.0, 3.0)   //  2, the sign of the divisor
//
// Those of integers: IntegerFn.h.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ARITHMETIC_REMAINDER_H
#define YARROW_KERNELS_ARITHMETIC_REMAINDER_H

#include "kernels/Math.h"

namespace yarrow::kernels {

/// a - b * trunc(a / b) of two floats held as doubles, with the sign of \p a;
/// NaN if \p b is 0 or \p a infinite.
///
/// 24 bits of the quotient at a time: both operands have 24 bits, so the
/// product of the divisor and those of the quotient has 48, and the difference
/// is exact. Floats are at most 277 binades apart: at most 12 turns.
inline double truncRemainder(double a, double b) {
  constexpr int32_t kBits = 23, kExponentBias = 1023, kMantissa = 52;
  double rest = math::abs(a), divisor = math::abs(b);
  if (!(divisor > 0) || !(rest < math::kInfinity))
    return math::kNaN;
  if (divisor == math::kInfinity)
    return a;
  while (rest >= divisor) {
    int32_t apart = int32_t(math::bitsOf(rest) >> kMantissa) -
                    int32_t(math::bitsOf(divisor) >> kMantissa);
    int32_t power = apart > kBits ? apart - kBits : 0;
    double step =
        divisor * math::fromBits(uint64_t(power + kExponentBias) << kMantissa);
    // Below 2^24, and never rounded up to the next integer: rest is a multiple
    // of the last bit of step, so a quotient lies 2^-24 from one or on it.
    rest -= double(int32_t(rest / step)) * step;
  }
  return math::copySign(rest, a);
}

/// a - b * floor(a / b), with the sign of \p b.
inline double floorRemainder(double a, double b) {
  double rest = truncRemainder(a, b);
  if (rest == 0)
    return math::copySign(rest, b);
  return (rest < 0) == (b < 0) ? rest : rest + b; // NaN stays NaN
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ARITHMETIC_REMAINDER_H
