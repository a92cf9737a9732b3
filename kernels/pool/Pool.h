//===- Pool.h - Pooling kernels -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Maximum and average pooling over NHWC (L1 and L2 in float only). Integer
// form: spec, integer semantics 4.5. Maximum pads with the smallest value of
// the type. The average pads with real 0 and derives its multiplier per window
// at run time, in float32, from scaleRatio / area with 8 bits (Numeric.h,
// averageScale). Windows that stick out (ceil_mode) are told by outH and outW.
// Work is split by output rows.
//
// Kernels: yk_pool_int, yk_pool_float
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_POOL_POOL_H
#define YARROW_KERNELS_POOL_POOL_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

enum class PoolMethod : uint32_t { Avg, Max, L1, L2 };

struct PoolShape {
  uint32_t batch = 1, inH = 1, inW = 1, channels = 1;
  uint32_t outH = 1, outW = 1;
  uint32_t kernelH = 1, kernelW = 1;
  uint32_t strideH = 1, strideW = 1;
  uint32_t dilationH = 1, dilationW = 1;
  int32_t padTop = 0, padLeft = 0;
  PoolMethod method = PoolMethod::Avg;
  uint32_t countIncludePad = 0; // 1: divide by kernelH * kernelW always
};
static_assert(sizeof(PoolShape) == 64);

struct PoolIntParams {
  PoolShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16
  DType outType = DType::I8;
  int32_t inZp = 0;
  float scaleRatio = 1.0f; // float32(scale of output) / float32(scale of input)
  int32_t zp = 0, lo = -128, hi = 127;
};
static_assert(sizeof(PoolIntParams) == 92);

struct PoolFloatParams {
  PoolShape shape;
  DType inType = DType::F32;
  DType outType = DType::F32;
};
static_assert(sizeof(PoolFloatParams) == 72);

#define YARROW_KERNELS "kernels/pool/Pool.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_POOL_POOL_H
