//===- NormShapes.h - Checks and shapes of layers -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Axes, groups, lengths of weights and tables:
// inferShapes of the family's operators, as functions of any op.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMSHAPES_H
#define YARROW_DIALECTS_COMPASS_NORM_NORMSHAPES_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

llvm::LogicalResult inferGroupNorm(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferInstanceNorm(mlir::Operation *op,
                                      ResultShapes &shapes);
llvm::LogicalResult inferRmsNorm(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferMvn(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferNormalization(mlir::Operation *op,
                                       ResultShapes &shapes);
llvm::LogicalResult inferLrn(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferLogSoftmax(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMSHAPES_H
