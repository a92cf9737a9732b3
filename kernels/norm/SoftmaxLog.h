//===- SoftmaxLog.h - Logarithms of sums of powers of two -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXLOG_H
#define YARROW_KERNELS_NORM_SOFTMAXLOG_H

#include "kernels/Strips.h"

namespace yarrow::kernels {

/// What the sums of rows add to the shifts of their powers. They are at least
/// 2^pow2OutQ, of the greatest: not 0.
inline void logarithmsOf(const Strip<uint32_t> &sums, int32_t pow2OutQ,
                         int32_t adjustQ, Strip<int32_t> &less) {
  Strip<uint32_t> sum =
      __builtin_elementwise_min(sums, Strip<uint32_t>{} + uint32_t(INT32_MAX));
  // An exponent is that of the double, and above 2^30 * sqrt(2) counts half.
  auto bits = __builtin_bit_cast(Strip<uint64_t>,
                                 __builtin_convertvector(sum, Strip<double>));
  auto log2 = __builtin_convertvector(bits >> 52, Strip<int32_t>) - 1023;
  auto mantissa = sum << __builtin_convertvector(30 - log2, Strip<uint32_t>);
  less = (log2 - pow2OutQ) << adjustQ;
  if (adjustQ)
    less -= mantissa > 1518500250u; // true is -1
  // Half steps are rounded up.
  less = (less + adjustQ) >> adjustQ;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXLOG_H
