//===- Conv.h - Convolution kernels ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Two-dimensional convolution, grouped and depthwise included, and transposed
// convolution. Integer form: spec, integer semantics 4.2: acc = bias +
// sum x * (w + weightZp), where a padded x is padValue = -zp(input) because the
// IR's bias already contains zp * sum(w). Work is split by output rows.
//
// Kernels (buffer order is the same for all):
//   yk_conv2d_int, yk_conv2d_float: weights [outC, kh, kw, inC / groups]
//   yk_depthwise_conv2d_int, yk_depthwise_conv2d_float: weights
//     [outC, kh, kw, 1]; output channel o reads channel o / (outC / inC);
//     groups is not read
//   yk_conv_transpose2d_int, yk_conv_transpose2d_float: weights
//     [outC / groups, kh, kw, inC]
//   yk_conv2d_winograd_int: with_winograd=true, weights [outC, kh, 4, inC] of
//   F(2,3)
//     along the width; stride, dilation and groups are 1, kernelW is 4,
//     weightZp 0
// Parameters: Conv2DIntParams, Conv2DFloatParams.
// Buffers: 0 input NHWC; 1 weights; 2 bias [outC] int32 (float: biasType);
//   3 scale and 4 shift [outC] if requant.perChannel; 5 PRELU slope; 6 output
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_H
#define YARROW_KERNELS_CONV_H

#include "kernels/Params.h"

namespace yarrow::kernels {

/// Geometry. Padding after the last pixel follows from outH and outW. For the
/// transposed form padTop and padLeft are what is cropped from the full result.
struct Conv2DShape {
  uint32_t batch = 1, inH = 1, inW = 1, inC = 1;
  uint32_t outH = 1, outW = 1, outC = 1;
  uint32_t kernelH = 1, kernelW = 1;
  uint32_t strideH = 1, strideW = 1;
  uint32_t dilationH = 1, dilationW = 1;
  int32_t padTop = 0, padLeft = 0;
  uint32_t groups = 1;
};
static_assert(sizeof(Conv2DShape) == 64);

struct Conv2DIntParams {
  Conv2DShape shape;
  DType inType = DType::I8;     // I8 U8 I16 U16
  DType weightType = DType::I8; // I8 I16
  int32_t padValue = 0;         // -zp of the input (transposed form: unused)
  int32_t inZp = 0; // transposed form only: added to x, and its share
                    // inZp * sum(w) is taken out of the bias
  int32_t weightZp = 0;
  Requant requant;
};
static_assert(sizeof(Conv2DIntParams) == 144);

struct Conv2DFloatParams {
  Conv2DShape shape;
  DType inType = DType::F32; // F32 F16 BF16
  DType weightType = DType::F32;
  DType biasType = DType::F32;
  DType outType = DType::F32;
  FloatAct act;
};
static_assert(sizeof(Conv2DFloatParams) == 104);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_H
