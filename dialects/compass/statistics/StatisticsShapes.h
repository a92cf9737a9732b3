//===- StatisticsShapes.h - Checks and shapes of layers -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Axes that go or stay, bins, segments:
// inferShapes of the family's operators, as functions of any op.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSSHAPES_H
#define YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSSHAPES_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

llvm::LogicalResult
inferMoments(mlir::Operation *op,
             llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult inferNormalizedMoments(
    mlir::Operation *op,
    llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult inferSufficientStatistics(
    mlir::Operation *op,
    llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferArgMinMax(mlir::Operation *op,
               llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferCumulate(mlir::Operation *op,
              llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferCount(mlir::Operation *op,
           llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferZeroFraction(mlir::Operation *op,
                  llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferSegmentReduce(mlir::Operation *op,
                   llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSSHAPES_H
