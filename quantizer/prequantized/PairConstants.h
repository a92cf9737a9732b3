//===- PairConstants.h - Multipliers right for all pairs --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums and products of two tensors with three scales. Of 8-bit operands there
// are 65,536 pairs: constants are tried with all of them, against exact
// arithmetic rounded once, half to even, or against the sums of XNNPACK.
//
//   PairConstants c = sumConstants({sa, za, ...}, {sb, zb, ...}, out, +1);
//   if (c.numInexact == 0) ... proven
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_PAIRCONSTANTS_H
#define YARROW_QUANTIZER_PREQUANTIZED_PAIRCONSTANTS_H

#include "support/Numeric.h"

namespace yarrow {

/// An operand or a result: real = step * (q - zero), q from lo to hi.
struct PairSide {
  double step = 1; ///< A float32.
  int64_t zero = 0, lo = -128, hi = 127;
};

struct PairConstants {
  /// y = clip(round((a * (qa - za) + b * (qb - zb)) / 2^shift) + zy); of a
  /// product, a multiplies the product and b is 1. At most 31 bits.
  int64_t a = 0, b = 0;
  int32_t shift = 0;
  Rounding rounding = Rounding::HalfEven; ///< Or HalfUp.
  /// Pairs for which that is not the integer nearest to the real result; -1 if
  /// the operands have too many values to try.
  int64_t numInexact = -1;
};

/// \p sign is 1 for a sum, -1 for a difference. Constants of 15 bits if those
/// are exact, else of 31. a = 0 if there are none: the scales lie too far
/// apart.
PairConstants sumConstants(const PairSide &a, const PairSide &b,
                           const PairSide &result, int sign);
/// The sums of 8-bit tensors of one type as XNNPACK computes them, which TFLite
/// runs: multipliers of 21 bits, ties upwards. Others of 15 bits if those give
/// the same for all pairs. a = 0 where XNNPACK takes no such scales: ratios to
/// the result's outside [2^-10, 2^8).
PairConstants xnnpackSumConstants(const PairSide &a, const PairSide &b,
                                  const PairSide &result, int sign);
PairConstants productConstants(const PairSide &a, const PairSide &b,
                               const PairSide &result);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_PAIRCONSTANTS_H
