//===- NormalizeShapes.h - Checks and shapes of layers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Axes, groups, lengths of weights and tables:
// inferShapes of the family's operators, as functions of any op.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORMALIZE_NORMALIZESHAPES_H
#define YARROW_DIALECTS_COMPASS_NORMALIZE_NORMALIZESHAPES_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

llvm::LogicalResult
inferGroupNorm(mlir::Operation *op,
               llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferInstanceNorm(mlir::Operation *op,
                  llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferRmsNorm(mlir::Operation *op,
             llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferMvn(mlir::Operation *op,
         llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferNormalization(mlir::Operation *op,
                   llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferLrn(mlir::Operation *op,
         llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferLogSoftmax(mlir::Operation *op,
                llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NORMALIZE_NORMALIZESHAPES_H
