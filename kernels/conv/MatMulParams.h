//===- MatMulParams.h - Parameters of matrix products -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Apart from the kernels (Gemm.h), for the loop that they are made of.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_MATMULPARAMS_H
#define YARROW_KERNELS_CONV_MATMULPARAMS_H

#include "kernels/Params.h"

namespace yarrow::kernels {

/// A is [m, k], or [k, m] if transA; B is [k, n], or [n, k] if transB. The
/// batch dimensions are those of the result; strides count elements, 0
/// broadcasts.
struct MatMulShape {
  uint32_t m = 1, n = 1, k = 1;
  uint32_t transA = 0, transB = 0;
  uint32_t batchRank = 0;
  uint32_t batchDims[kMaxRank - 2] = {};
  uint32_t batchStrideA[kMaxRank - 2] = {};
  uint32_t batchStrideB[kMaxRank - 2] = {};
};
static_assert(sizeof(MatMulShape) == 96);

struct MatMulIntParams {
  MatMulShape shape;
  DType typeA = DType::I8, typeB = DType::I8; // I8 U8 I16 U16
  int32_t zpA = 0, zpB = 0;
  Requant requant; // per tensor, no PRELU
};
static_assert(sizeof(MatMulIntParams) == 176);

struct MatMulFloatParams {
  MatMulShape shape;
  DType typeA = DType::F32, typeB = DType::F32, outType = DType::F32;
};
static_assert(sizeof(MatMulFloatParams) == 108);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_MATMULPARAMS_H
