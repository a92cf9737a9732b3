//===- Norm.h - Normalization kernels -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// BatchNorm (a scale and an offset per channel) and LayerNorm. Integer forms:
// spec, integer semantics 4.17 (BatchNorm) and 4.8 (LayerNorm): the inverse
// square root is a table of 193 int16 entries, the same for every layer.
// InstanceNorm and GroupNorm share the arithmetic: their affine parameters
// belong to a channel.
//
// Kernels:
//   yk_batch_norm_int, yk_batch_norm_float
//     weights and bias [channels]; scale and shift [channels] if perChannel
//   yk_layer_norm_int, yk_layer_norm_float
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
static_assert(sizeof(BatchNormIntParams) == 84);

struct BatchNormFloatParams {
  uint32_t outer = 1, channels = 1, inner = 1;
  DType inType = DType::F32, weightType = DType::F32, biasType = DType::F32;
  DType outType = DType::F32;
};
static_assert(sizeof(BatchNormFloatParams) == 28);

/// Tensor seen as [outer, reduced, groups, groupInner]: a mean and a variance
/// per (outer, group) over reduced x groupInner elements.
///   LayerNorm over trailing axes: outer = product of the others, groupInner =
///   product
///     of the axes, reduced = groups = 1.
///   GroupNorm NHWC: outer = N, reduced = H * W, groupInner = C / groups.
///   InstanceNorm NHWC: the same with groups = C, groupInner = 1.
/// Weight, bias, scale and shift of an element: its flat index modulo
/// affineCount, which is a multiple of groupInner (LayerNorm: equal; others:
/// C).
struct NormShape {
  uint32_t outer = 1, reduced = 1, groups = 1, groupInner = 1;
  uint32_t affineCount = 1;
};
static_assert(sizeof(NormShape) == 20);

struct LayerNormIntParams {
  NormShape shape;
  DType inType = DType::I8;     // I8 U8: 8-bit formula; I16 U16: 16-bit formula
  DType weightType = DType::I8; // I8 I16
  DType normType = DType::I8;   // whose range limits the normalized value: the
                                // output type of the layer
  int32_t varShift = 0;         // var_shift_value, 8-bit only
  int32_t normScale = 1, normShift = 0;
  Requant requant; // scale and shift per affine element if perChannel; act None
};
static_assert(sizeof(LayerNormIntParams) == 104);

struct LayerNormFloatParams {
  NormShape shape;
  DType inType = DType::F32, weightType = DType::F32, biasType = DType::F32;
  DType outType = DType::F32;
  float epsilon = 1e-5f;
};
static_assert(sizeof(LayerNormFloatParams) == 40);

#define YARROW_KERNELS "kernels/norm/Norm.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_NORM_H
