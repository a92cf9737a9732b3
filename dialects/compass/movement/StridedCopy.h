//===- StridedCopy.h - Layers that are strided copies -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What most layers that move values come to: axes, each with its length and the
// elements between its steps on both sides (0 repeats, a negative one goes
// backwards).
//
//   // y = x.reshape(n, 3, w, c).transpose(0, 2, 1, 3)
//   appendCopy(op, program, permutedAxes({n, 3, w, c}, {0, 2, 1, 3}));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MOVEMENT_STRIDEDCOPY_H
#define YARROW_DIALECTS_COMPASS_MOVEMENT_STRIDEDCOPY_H

#include "dialects/compass/LayerProgram.h"
#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// One axis of a copy; strides count elements.
struct CopyAxis {
  int64_t length, fromStride, toStride;
};

/// What a copy reads and writes, and the first element that it reads.
struct CopyEnds {
  BufferBinding from = operand(0), to = result(0);
  int64_t fromOffset = 0;
};

/// Elements between neighbours of each axis of a dense tensor.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);

/// Into a dense tensor of shape \p shape, from elements \p fromStrides apart.
llvm::SmallVector<CopyAxis> axesInto(llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<int64_t> fromStrides);

/// From a dense tensor that is looked at as of shape \p view, into a dense one
/// whose axis i is the view's axis perm[i].
llvm::SmallVector<CopyAxis> permutedAxes(llvm::ArrayRef<int64_t> view,
                                         llvm::ArrayRef<int64_t> perm);

/// The same without axes of length 1, neighbours that lie in one piece on both
/// sides merged: the longest runs there are.
llvm::SmallVector<CopyAxis> mergedAxes(llvm::ArrayRef<CopyAxis> axes);

/// Whether one copy has so many axes after merging.
bool fitsOneCopy(llvm::ArrayRef<CopyAxis> axes);

/// Appends the copy; emits an error on \p op if it has too many axes.
mlir::LogicalResult appendCopy(mlir::Operation *op, LayerProgram &program,
                               llvm::ArrayRef<CopyAxis> axes,
                               const CopyEnds &ends = {});

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_MOVEMENT_STRIDEDCOPY_H
