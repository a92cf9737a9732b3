//===- Pool.h - Pooling kernels -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Maximum and average pooling over NHWC, of floats L1 and L2 as well (those of
// integers, and other windows: PoolMore.h). Integer form:
// docs/operators/pool.md, Pooling. Maximum pads with the smallest value of the
// type. The average pads with real 0 and derives its multiplier per window at
// run time, in float32, from scaleRatio / area with 8 bits (Numeric.h,
// averageScale). outH and outW include windows that extend beyond the image
// (ceil_mode). Work is split by output rows or, if there are fewer rows than
// tasks, by their channels.
//
// Kernels: yk_pool_int, yk_pool_float
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_POOL_POOL_H
#define YARROW_KERNELS_POOL_POOL_H

#include "kernels/Signature.h"
#include "kernels/pool/PoolParams.h"

namespace yarrow::kernels {

struct PoolIntParams {
  PoolShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16
  DType outType = DType::I8;
  int32_t inZp = 0;
  float scaleRatio = 1.0f; // float32(scale of output) / float32(scale of input)
  int32_t zp = 0, lo = -128, hi = 127;
  /// Avg: 1: the sum of the stored integers divided by the number of cells,
  /// ties away from 0 (TFLite's AVERAGE_POOL_2D). Scales and zero points are
  /// those of the input then, and padding does not count.
  uint32_t isHalfAway = 0;
};
static_assert(sizeof(PoolIntParams) == 96);

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
