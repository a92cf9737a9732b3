//===- NormGroups.h - Which values are normalised together ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From the axes of a tensor to the runs over which the kernels go
// (kernels/norm/NormShape.h):
//
//   // GroupNorm of [N, H, W, 6] in 3 groups: [N, H, W, 3, 2]
//   makeNormShape({{N}, {H, true}, {W, true}, {3, false, 2}, {2, true, 1}});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMGROUPS_H
#define YARROW_DIALECTS_COMPASS_NORM_NORMGROUPS_H

#include "dialects/compass/LayerProgram.h"
#include "kernels/norm/NormShape.h"

namespace yarrow::compass {

/// An axis of a tensor.
struct NormAxis {
  int64_t length;
  bool isReduced = false;
  int64_t affineStride = 0; ///< Weights from one index to the next.
};

/// At most kMaxRank axes of the tensor, outermost first; one that is cut into
/// groups and channels counts once.
kernels::NormShape makeNormShape(llvm::ArrayRef<NormAxis> axes);

/// The axes of the first operand, of which the key `axis` names those that are
/// normalised. With \p hasWeights there is a weight for each place along them.
/// Emits an error if there are too many.
mlir::FailureOr<kernels::NormShape> normShapeOf(mlir::Operation *op,
                                                bool hasWeights);

/// Emits an error on a tensor of more than kMaxRank axes.
mlir::LogicalResult checkNormRank(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMGROUPS_H
