//===- Norm.h - BatchNorm -------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// BatchNorm: a scale and an offset per channel. Integer form:
// docs/operators/norm.md, BatchNorm.
//
// Kernels:
//   yk_batch_norm_int, yk_batch_norm_float
//     weights and bias [channels]; scale and shift [channels] if perChannel
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_NORM_H
#define YARROW_KERNELS_NORM_NORM_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// Tensor seen as [outer, channels, inner]; inner is 1 for the last axis.
struct BatchNormIntParams {
  uint32_t outer = 1, channels = 1, inner = 1;
  DType inType = DType::I8;      // I8 U8 I16 U16
  DType weightType = DType::I16; // I8 I16
  DType biasType = DType::I32;
  Requant requant; // acc = x * w + b; the zero point is in b
};
static_assert(sizeof(BatchNormIntParams) == 88);

struct BatchNormFloatParams {
  uint32_t outer = 1, channels = 1, inner = 1;
  DType inType = DType::F32, weightType = DType::F32, biasType = DType::F32;
  DType outType = DType::F32;
};
static_assert(sizeof(BatchNormFloatParams) == 28);

#define YARROW_KERNELS "kernels/norm/Norm.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_NORM_H
