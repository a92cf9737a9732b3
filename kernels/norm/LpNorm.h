//===- LpNorm.h - Division by a norm ----------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Normalization L1 and L2. Integer forms: docs/operators/norm.md,
// Normalization. Each value is read twice. Work is split as that of
// LayerNorm.h.
//
// Kernels: LpNorm.def; the table of L2 is that of inverse square roots.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LPNORM_H
#define YARROW_KERNELS_NORM_LPNORM_H

#include "kernels/Signature.h"
#include "kernels/norm/NormShape.h"

namespace yarrow::kernels {

/// x = q + zp.
///   L1: S = sum |x|, y = RQ(trunc(x * scale / S), 1, shift); S = 0 gives 0,
///       and a negative shift divides S by 2^-shift first
///   L2: (r, e) = smallInverseSqrt(sum x^2),
///       v = clip(clip(x * scale, int32) >> preShift, int16),
///       y = RQ(v * r, 1, shift + 31 - preShift - e)
struct LpNormIntParams {
  NormShape shape;
  uint32_t order = 2;       // 1 2
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inZp = 0;
  int32_t scale = 1, shift = 0; // 0 .. 65535, -32 .. 62
  int32_t preShift = 0;         // L2: 0 .. 62
  Requant requant;              // scale 1 and shift 0; act None
};
static_assert(sizeof(LpNormIntParams) == 212);

/// y = x / max(sum |x|^order, epsilon)^(1 / order). Sums are double.
struct LpNormFloatParams {
  NormShape shape;
  uint32_t order = 2; // 1 2
  DType inType = DType::F32, outType = DType::F32;
  float epsilon = 0;
};
static_assert(sizeof(LpNormFloatParams) == 140);

#define YARROW_KERNELS "kernels/norm/LpNorm.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LPNORM_H
