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

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

llvm::LogicalResult inferMoments(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferNormalizedMoments(mlir::Operation *op,
                                           ResultShapes &shapes);
llvm::LogicalResult inferSufficientStatistics(mlir::Operation *op,
                                              ResultShapes &shapes);
llvm::LogicalResult inferArgMinMax(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferCumulate(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferCount(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferZeroFraction(mlir::Operation *op,
                                      ResultShapes &shapes);
llvm::LogicalResult inferSegmentReduce(mlir::Operation *op,
                                       ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSSHAPES_H
