//===- Fold.h - Windows added up to what they were cut out of -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels: Fold.def. Work is split by elements of the output. Each input that
// is inside the image is loaded once and added to a chunk of sums, along the
// innermost axis of windows: a load, a widening, an add and a store of 32 bits
// for each vector of inputs, strided if windows are not neighbours. Only the
// chunk is kept.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REARRANGE_FOLD_H
#define YARROW_KERNELS_REARRANGE_FOLD_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// One axis of an image: cell k of window w is at w * stride + k * dilation -
/// pad, or is dropped if that is outside. image + 2 * pad < 2^30, and windows
/// with their pads are no longer than that.
struct FoldAxis {
  uint32_t image = 1, kernel = 1, windows = 1, stride = 1, dilation = 1;
  uint32_t pad = 0;
};

constexpr uint32_t kFoldAxes = 3;

/// Input [outer, cells of the kernel, windows], output [outer, image]; the axes
/// of cells, windows and image are those of `axes`, outermost first.
struct FoldShape {
  uint32_t outer = 1;
  FoldAxis axes[kFoldAxes];
};
static_assert(sizeof(FoldShape) == 76);

/// Sums of q + inZp, requantized without an activation. `most` inputs make an
/// output, fewer than 2^28 (a TEC's memory holds no more), each less than 2^9,
/// and 2^17 if it has 16 bits, so that no sum reaches 2^45, as Requant asks;
/// few enough are added in 32 bits.
struct FoldIntParams {
  FoldShape shape;
  uint32_t most = 1;
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inZp = 0;
  Requant requant;
};
static_assert(sizeof(FoldIntParams) == 152);

/// Sums are F32, in the order of cells, whatever the types.
struct FoldFloatParams {
  FoldShape shape;
  DType inType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(FoldFloatParams) == 84);

#define YARROW_KERNELS "kernels/rearrange/Fold.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REARRANGE_FOLD_H
