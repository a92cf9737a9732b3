//===- Gemm.h - Fully connected and matrix product kernels ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Integer forms: docs/operators/conv.md, FullyConnected (the input's zero point
// is in the bias) and MatMul (both zero points are added here). Work is split
// by rows x column blocks (FullyConnected) and by rows of the result (MatMul).
//
// Kernels:
//   yk_fully_connected_int, yk_fully_connected_float
//     input [rows, inFeatures]; weights [outFeatures, inFeatures], of floats in
//     blocks [block][inFeatures][output] as in Conv.h; bias [outFeatures];
//     scale and shift [outFeatures] if perChannel; output [rows, outFeatures]
//   yk_matmul_int, yk_matmul_float
//     output [batch..., m, n]
//   yk_gemm_int, yk_gemm_float
//     output [m, n], c [rowsC, columnsC]: GemmParams below
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_GEMM_H
#define YARROW_KERNELS_CONV_GEMM_H

#include "kernels/Signature.h"
#include "kernels/conv/MatMulParams.h"

namespace yarrow::kernels {

struct FullyConnectedIntParams {
  uint32_t rows = 1, inFeatures = 1, outFeatures = 1;
  DType inType = DType::I8;     // I8 U8 I16 U16
  DType weightType = DType::I8; // I8 I16
  DType biasType = DType::I32;  // I32 I64; below 2^47 in magnitude
  Requant requant;
};
static_assert(sizeof(FullyConnectedIntParams) == 88);

struct FullyConnectedFloatParams {
  uint32_t rows = 1, inFeatures = 1, outFeatures = 1;
  DType inType = DType::F32;
  DType biasType = DType::F32;
  DType outType = DType::F32;
  FloatAct act;
};
static_assert(sizeof(FullyConnectedFloatParams) == 48);

/// Element (i, j) of C is c[i % rowsC][j % columnsC].
struct GemmAddend {
  DType type = DType::I8; // I8 U8 I16 U16, of floats F32 F16 BF16
  uint32_t rows = 1, columns = 1;
};

/// RQ(scaleProduct * ((A + zpA) @ (B + zpB)) + scaleC * (C + zpC))
/// (docs/operators/conv.md, Gemm): exact while it fits 64 bits, and saturated
/// beyond. Scales have any sign.
struct GemmIntParams {
  MatMulIntParams product; // no batch; requant is that of the result
  GemmAddend c;
  int32_t zpC = 0;
  int32_t scaleProduct = 1, scaleC = 1;
};
static_assert(sizeof(GemmIntParams) == 200);

/// alpha * A @ B + beta * C; without C its buffer is null.
struct GemmFloatParams {
  MatMulFloatParams product; // no batch
  GemmAddend c;
  float alpha = 1.0f, beta = 1.0f;
};
static_assert(sizeof(GemmFloatParams) == 128);

#define YARROW_KERNELS "kernels/conv/Gemm.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_GEMM_H
