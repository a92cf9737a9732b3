//===- Morphology.h - Extremes of windows and filters -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Dilation, max(x + w) over a window, and erosion, min(x - w) with the filter
// mirrored in rows and columns. Cells of the padding take no part. Weights are
// [channels, kh, kw], one filter for each channel.
//
// Integer form (docs/operators/conv.md, Dilation):
//   RQ(max((x + zp) * scaleInput + w * scaleWeights)), each within 33 bits;
// a window without a cell gives the end of the range that no cell can reach.
// Sums are computed in 64 bits. Work is split by output rows
// (kernels/registry/Work.def).
//
// Kernels: yk_morphology_int, yk_morphology_float
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_MORPHOLOGY_H
#define YARROW_KERNELS_CONV_MORPHOLOGY_H

#include "kernels/Signature.h"
#include "kernels/pool/PoolParams.h"

namespace yarrow::kernels {

struct MorphologyIntParams {
  PoolShape shape; // its method is not read
  uint32_t isErosion = 0;
  DType inType = DType::I8, weightType = DType::I8;
  int32_t inZp = 0;
  int32_t scaleInput = 1, scaleWeights = 1; // 0 .. 65535
  Requant requant;                          // per tensor, act None
};
static_assert(sizeof(MorphologyIntParams) == 152);

struct MorphologyFloatParams {
  PoolShape shape;
  uint32_t isErosion = 0;
  DType inType = DType::F32, weightType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(MorphologyFloatParams) == 80);

#define YARROW_KERNELS "kernels/conv/Morphology.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_MORPHOLOGY_H
