//===- Rotary.h - Rotary position embedding ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of each pair (a, b) of a head's first `rotated` values: a * cos - b * sin and
// a * sin + b * cos; the other values are kept. Cosine and sine come from the
// row of the position, zeros if there is no such row. Integer form
// (docs/operators/sequence.md, RotaryEmbedding): products in float32, rounded
// half to even. Work is split by heads of steps.
//
// Kernels:
//   yk_rotary_float, yk_rotary_int
//     vectors run along pairs (kernels/registry/Work.def)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SEQUENCE_ROTARY_H
#define YARROW_KERNELS_SEQUENCE_ROTARY_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

struct RotaryShape {
  uint32_t batch = 1, heads = 1, steps = 1, size = 2;
  // Elements from one batch entry, head or step to the next.
  uint32_t batchStride = 2, headStride = 2, stepStride = 2;
  uint32_t rotated = 2;     // even, at most size
  uint32_t interleaved = 0; // 1: neighbours are a pair; 0: of both halves
  uint32_t cacheRows = 1, cacheWidth = 1;
  uint32_t cacheBatchStride = 0; // 0: one cache for all
  uint32_t hasPositions = 0;     // else row = step
  DType positionType = DType::I32;
};
static_assert(sizeof(RotaryShape) == 56);

struct RotaryFloatParams {
  RotaryShape shape;
  DType inType = DType::F32, cosType = DType::F32, sinType = DType::F32,
        outType = DType::F32;
};
static_assert(sizeof(RotaryFloatParams) == 72);

/// Without zero points.
struct RotaryIntParams {
  RotaryShape shape;
  DType inType = DType::I8, cosType = DType::I8, sinType = DType::I8,
        outType = DType::I8;
  float cosFactor = 1, sinFactor = 1, keptFactor = 1;
  int32_t lo = -128, hi = 127;
};
static_assert(sizeof(RotaryIntParams) == 92);

#define YARROW_KERNELS "kernels/sequence/Rotary.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SEQUENCE_ROTARY_H
