//===- DataMovement.h - Kernels that only move elements -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Transpose, Slice, Split, Reshape, Crop, Tile, Concat without requantization,
// SpaceToDepth, DepthToSpace, ... are strided copies; Pad is a kernel of its
// own as it writes elements that have no source. Element type does not matter,
// only its size. Work is split by elements of the outermost dimensions.
//
// Kernels: DataMovement.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_MOVEMENT_DATAMOVEMENT_H
#define YARROW_KERNELS_MOVEMENT_DATAMOVEMENT_H

#include "kernels/Params.h"
#include "kernels/Signature.h"
#include "kernels/movement/PadSource.h"

namespace yarrow::kernels {

/// dst[dstOffset + sum i_d * dstStride_d] = src[srcOffset + sum i_d *
/// srcStride_d] for all i_d < dims_d. Strides and offsets count elements; a
/// negative source stride reverses, a zero one repeats. Destinations must not
/// overlap.
struct CopyParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  uint32_t rank = 0;      // 0 copies one element
  uint32_t dims[kMaxRank] = {};
  int32_t srcStride[kMaxRank] = {};
  int32_t dstStride[kMaxRank] = {};
  int32_t srcOffset = 0, dstOffset = 0;
};
static_assert(sizeof(CopyParams) == 112);

/// Dense input of inDims, dense output of outDims; output index minus padBefore
/// is the input index. Reflect does not repeat the border element, Symmetric
/// does, Wrap goes on from the other end. A negative padBefore (or a small
/// outDims) crops.
struct PadParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  uint32_t rank = 0;
  PadMode mode = PadMode::Constant;
  uint32_t inDims[kMaxRank] = {};
  uint32_t outDims[kMaxRank] = {};
  int32_t padBefore[kMaxRank] = {};
  uint32_t fill[2] = {}; // Constant: the bits of the value, low word first
};
static_assert(sizeof(PadParams) == 116);

/// out[b, o, j, i] = in[b, o, index[b, j], i]: batch is the product of the
/// batch dimensions, outer that of the others before the axis, inner of those
/// after it. A negative index counts from the end; an index out of range gives
/// zero bytes.
struct GatherParams {
  uint32_t elemBytes = 1;
  uint32_t batch = 1, outer = 1, axisSize = 1, inner = 1;
  uint32_t indexCount = 1;      // per batch entry
  DType indexType = DType::I32; // I8 U8 I16 U16 I32
};
static_assert(sizeof(GatherParams) == 28);

constexpr uint32_t kMaxSplitOutputs = 16;

/// Input rows of inInner elements; output k receives the next inner[k] of each
/// row. Work is split by rows (if there is one row, by elements).
struct SplitParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  uint32_t outer = 1, inInner = 0;
  uint32_t outputCount = 0;
  uint32_t inner[kMaxSplitOutputs] = {};
};
static_assert(sizeof(SplitParams) == 80);
constexpr uint32_t variadicCount(const SplitParams &p) { return p.outputCount; }

#define YARROW_KERNELS "kernels/movement/DataMovement.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_MOVEMENT_DATAMOVEMENT_H
