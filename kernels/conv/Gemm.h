//===- Gemm.h - Fully connected and matrix product kernels ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Integer form: spec, integer semantics 4.2 (FullyConnected: the input zero
// point is in the bias) and 4.9 (MatMul: both zero points are added here). Work
// is split by rows x column blocks (FullyConnected) and by rows of the result
// (MatMul).
//
// Kernels:
//   yk_fully_connected_int, yk_fully_connected_float
//     input [rows, inFeatures]; weights [outFeatures, inFeatures]; bias
//     [outFeatures] int32 (float: biasType); scale and shift [outFeatures] if
//     perChannel; output [rows, outFeatures]
//   yk_matmul_int, yk_matmul_float
//     output [batch..., m, n]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_GEMM_H
#define YARROW_KERNELS_CONV_GEMM_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

struct FullyConnectedIntParams {
  uint32_t rows = 1, inFeatures = 1, outFeatures = 1;
  DType inType = DType::I8;     // I8 U8 I16 U16
  DType weightType = DType::I8; // I8 I16
  int32_t weightZp = 0;
  Requant requant;
};
static_assert(sizeof(FullyConnectedIntParams) == 84);

struct FullyConnectedFloatParams {
  uint32_t rows = 1, inFeatures = 1, outFeatures = 1;
  DType inType = DType::F32;
  DType weightType = DType::F32;
  DType biasType = DType::F32;
  DType outType = DType::F32;
  FloatAct act;
};
static_assert(sizeof(FullyConnectedFloatParams) == 52);

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
static_assert(sizeof(MatMulIntParams) == 172);

struct MatMulFloatParams {
  MatMulShape shape;
  DType typeA = DType::F32, typeB = DType::F32, outType = DType::F32;
};
static_assert(sizeof(MatMulFloatParams) == 108);

#define YARROW_KERNELS "kernels/conv/Gemm.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_GEMM_H
