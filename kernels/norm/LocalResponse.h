//===- LocalResponse.h - Local response normalization -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// LRN: each value is divided by a power of the squares in its neighbourhood.
// Integer form: docs/operators/norm.md, LRN. A value is read once for each cell
// of the neighbourhood. Work is split by places.
//
// Kernels: LocalResponse.def; the table is the power, over 16 unsigned bits.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LOCALRESPONSE_H
#define YARROW_KERNELS_NORM_LOCALRESPONSE_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// A tensor [batch, height, width, channels] and neighbourhoods of size
/// channels, size / 2 of them before a value; or, withinChannel, of size rows
/// and columns, (size - 1) / 2 before it.
struct LocalResponseShape {
  uint32_t batch = 1, height = 1, width = 1, channels = 1;
  uint32_t size = 1;
  uint32_t withinChannel = 0;
};
static_assert(sizeof(LocalResponseShape) == 24);

/// x = q + zp, S = sum of x^2 over the neighbourhood; v = T[RQ(S, sumScale,
/// sumShift) to 0 .. 65535], y = RQ(x * v). With an even size within channels S
/// is 0 in the last row and column.
struct LocalResponseIntParams {
  LocalResponseShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inZp = 0;
  int32_t sumScale = 1, sumShift = 0;
  uint32_t log2TableSize = 8;
  Requant requant; // per tensor, act None
};
static_assert(sizeof(LocalResponseIntParams) == 108);

/// y = x / (bias + alpha * S / n)^beta; n = size of channels, or the cells of
/// the neighbourhood that are inside.
struct LocalResponseFloatParams {
  LocalResponseShape shape; // size is odd withinChannel
  DType inType = DType::F32, outType = DType::F32;
  float alpha = 1, beta = 0.5f, bias = 1;
};
static_assert(sizeof(LocalResponseFloatParams) == 44);

#define YARROW_KERNELS "kernels/norm/LocalResponse.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LOCALRESPONSE_H
