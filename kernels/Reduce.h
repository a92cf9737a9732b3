//===- Reduce.h - Reduction kernels -----------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reductions over any set of axes. Integer form: spec, integer semantics 4.12.
// MIN and MAX copy a value, SUM and MEAN requantize sum(x + zp) (1/n is in the
// scale), VARIANCE requantizes the sum of squared differences from the rounded
// mean. Work is split by output elements.
//
// Kernels: yk_reduce_int (ReduceIntParams), yk_reduce_float (ReduceFloatParams)
// Buffers: 0 input; 1 output
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_H
#define YARROW_KERNELS_REDUCE_H

#include "kernels/Params.h"

namespace yarrow::kernels {

/// Variance is sum / n, UnbiasedVariance sum / (n - 1). L1, L2 and Prod have no
/// integer form here.
enum class ReduceOp : uint32_t {
  Sum,
  Mean,
  Min,
  Max,
  All,
  Any,
  L1,
  L2,
  Prod,
  Variance,
  UnbiasedVariance
};

struct ReduceShape {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t reducedMask = 0; // bit i: dimension i is reduced
};
static_assert(sizeof(ReduceShape) == 40);

struct ReduceIntParams {
  ReduceShape shape;
  ReduceOp op = ReduceOp::Sum;
  DType inType = DType::I8; // I8 U8 I16 U16 I32
  int32_t inZp = 0;
  Requant requant; // act None, per tensor; Min Max All Any read outType only
};
static_assert(sizeof(ReduceIntParams) == 112);

struct ReduceFloatParams {
  ReduceShape shape;
  ReduceOp op = ReduceOp::Sum;
  DType inType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(ReduceFloatParams) == 52);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_H
