//===- LayerAxes.h - The axes that a layer names --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto axes = axesKey(op, rank); // axis=[-1,1] of rank 4: 1, 3
//   if (failed(axes)) return failure();
//   permuteAxes(slice, {0, 2, 1}); // begin=[0,3,5] becomes [0,5,3]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERAXES_H
#define YARROW_DIALECTS_COMPASS_LAYERAXES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

namespace yarrow::compass {

/// The axes in the key `axis`, counted from the front and ascending. Emits an
/// error if there is none, one is out of range or one is named twice.
mlir::FailureOr<llvm::SmallVector<int64_t>> axesKey(mlir::Operation *op,
                                                    int64_t rank);

/// Whether \p op does the same to each place of its operands: the fact of its
/// record, unless a key says otherwise (a slope that varies along axes, CRELU).
bool isElementwise(mlir::Operation *op);

/// Whether \p op computes the same in any order of the axes, once its keys name
/// them anew (permuteAxes).
bool isFreeOfAxisOrder(mlir::Operation *op);

/// Rewrites the keys of \p op that name axes, or have a value for each, from
/// behind a transpose with \p perm to before it: axis i there is perm[i] here.
void permuteAxes(mlir::Operation *op, llvm::ArrayRef<int64_t> perm);

/// The entries of a list of one entry per axis, as permuteAxes orders them.
template <typename List>
List unpermuted(const List &list, llvm::ArrayRef<int64_t> perm) {
  List result(list);
  for (auto [i, from] : llvm::enumerate(perm))
    result[size_t(from)] = list[i];
  return result;
}

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERAXES_H
