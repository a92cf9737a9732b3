//===- Cumulate.h - Running sums and products, integer products -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Integer forms: docs/operators/statistics.md, Cumulate. Work is split by lines
// along the axis, and by outputs. Where the axis is the innermost one, a line
// is a chain of scalar steps (an addition each, a product about 20
// instructions); else the columns beside each other are lanes. The
// requantization is vectors always.
//
// Kernels: Cumulate.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_CUMULATE_H
#define YARROW_KERNELS_REDUCE_CUMULATE_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// y[k] = op of x[0 .. k] along `length`, without x[k] if exclusive, from the
/// other end if reverse.
struct CumulateShape {
  uint32_t outer = 1, length = 1, inner = 1;
  uint32_t exclusive = 0, reverse = 0;
};
static_assert(sizeof(CumulateShape) == 20);

/// RQ(sum of x + inZp). I8 to I16: exact up to 2^28 terms; sums of I32 are
/// limited to 2^46 in magnitude.
struct CumulateSumIntParams {
  CumulateShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16 I32
  int32_t inZp = 0;
  Requant requant; // act None, per tensor
};
static_assert(sizeof(CumulateSumIntParams) == 92);

/// A product that is halved, rounding down, until it fits 16 bits, after every
/// factor x + inZp: RQ(product, scale[k], shift[k] - halvings) at step k.
struct CumulateProductIntParams {
  CumulateShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inZp = 0;
  uint32_t isSigned = 1; // whether a factor may be negative: which 16 bits
  Requant requant;       // act None; scaleType is that of the buffer scale
};
static_assert(sizeof(CumulateProductIntParams) == 96);

struct CumulateFloatParams {
  CumulateShape shape;
  uint32_t isProduct = 0;
  DType inType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(CumulateFloatParams) == 32);

/// Some axes of a tensor, outermost first; those of length 1 may be left out.
struct StridedAxes {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t strides[kMaxRank] = {};
};
static_assert(sizeof(StridedAxes) == 68);

/// RQ(product, requant.scale, shift - halvings), as CumulateProductIntParams,
/// of the elements in the row-major order of `reduced`.
struct ReduceProductIntParams {
  StridedAxes kept, reduced;
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inZp = 0;
  uint32_t isSigned = 1;
  int32_t shift = 0; // any: factors add up to more than Requant has
  Requant requant;   // act None, per tensor, without its shift
};
static_assert(sizeof(ReduceProductIntParams) == 216);

#define YARROW_KERNELS "kernels/reduce/Cumulate.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_CUMULATE_H
