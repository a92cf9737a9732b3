//===- Moments.h - Means, variances and their sums --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The integer forms of Moments and SufficientStatistics
// (docs/operators/statistics.md); in floats, reductions compute them. Values
// are read twice. Work is split by outputs.
//
// Kernels: Moments.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_MOMENTS_H
#define YARROW_KERNELS_NORM_MOMENTS_H

#include "kernels/Signature.h"
#include "kernels/reduce/ReduceParams.h"

namespace yarrow::kernels {

/// v = q * inScale >> inShift, |v| < 2^20; mean = RNE(sum v / n) unclipped,
/// stored within its type; V = floor(sum (v - mean)^2 / n);
///   8 bits: variance = RQ(V)
///   isWide: of both halves of V apart, RNE(h * scale / 2^(shift - 16)) +
///           RNE(l * scale / 2^shift), each limited to 32 bits
struct MomentsIntParams {
  ReduceShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inScale = 1, inShift = 0;
  DType meanType = DType::I8;
  int32_t meanLo = -128, meanHi = 127;
  uint32_t isWide = 0;
  Requant variance; // act None, per tensor
};
static_assert(sizeof(MomentsIntParams) == 132);

/// sum = clip(trunc(clip(sum d, int32) * scale / 2^shift) - zp)
/// squareSum = clip(floor(S * scale / 2^shift) - zp), S the sum of d^2 whose
/// upper and lower halves are limited to 32 bits each. Shifts are 0 or more.
struct DifferenceSumsIntParams {
  ReduceShape shape;
  Requant sum, squareSum; // act None, per tensor
};
static_assert(sizeof(DifferenceSumsIntParams) == 168);

#define YARROW_KERNELS "kernels/norm/Moments.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_MOMENTS_H
