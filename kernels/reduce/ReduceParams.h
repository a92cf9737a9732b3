//===- ReduceParams.h - Parameters of reductions ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Apart from the kernels (Reduce.h), for the loops that they are made of.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_REDUCEPARAMS_H
#define YARROW_KERNELS_REDUCE_REDUCEPARAMS_H

#include "kernels/Params.h"

namespace yarrow::kernels {

/// Variance is sum / n, UnbiasedVariance sum / (n - 1). The integer form of
/// Prod is yk_reduce_product_int (Cumulate.h), that of L1 and L2
/// yk_reduce_norm_int.
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
static_assert(sizeof(ReduceIntParams) == 116);

/// L1 and L2. S = sum of |x + zp| or of (x + zp)^2, limited to 32 bits; d = the
/// bits by which the largest S of the whole output exceeds 16; with S' = S >>
/// d:
///   L1: RQ(S', scale, shift - d);  L2: T[RQ(S', scale, shift - d) to 0 ..
///   65535]
/// Every task needs all of the input to know d.
struct ReduceNormIntParams {
  ReduceShape shape;
  ReduceOp op = ReduceOp::L1; // L1 L2
  DType inType = DType::I8;   // I8 U8 I16 U16
  int32_t inZp = 0;
  DType tableType = DType::U8; // L2: also the output's type
  uint32_t log2TableSize = 8;
  Requant requant; // per tensor, act None
};
static_assert(sizeof(ReduceNormIntParams) == 124);

struct ReduceFloatParams {
  ReduceShape shape;
  ReduceOp op = ReduceOp::Sum;
  DType inType = DType::F32;
  DType outType = DType::F32; // All and Any: any integer type, too
};
static_assert(sizeof(ReduceFloatParams) == 52);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_REDUCEPARAMS_H
