//===- PoolShapes.h - Shapes of pooling and its inverse -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Shape inference of the layers that pool windows, on ops of any class. Ranks
// and key ranges are verified before (Verify.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLSHAPES_H
#define YARROW_DIALECTS_COMPASS_POOL_POOLSHAPES_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

mlir::LogicalResult inferPooling(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferPooling3D(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferAdaptivePool(mlir::Operation *op,
                                      ResultShapes &shapes);
mlir::LogicalResult inferMaxPoolingWithArgMax(mlir::Operation *op,
                                              ResultShapes &shapes);
/// MaxUnpool and UpsampleByIndex.
/// How many places of a result of \p shape an index of Unpool tells apart.
int64_t placesOf(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);
mlir::LogicalResult inferUnpool(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferFractionalPool(mlir::Operation *op,
                                        ResultShapes &shapes);

/// Refuses an integer layer whose result has another type than its input, whose
/// scale it has as well; \p what computes it.
mlir::LogicalResult checkKeepsType(mlir::Operation *op, llvm::StringRef what);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLSHAPES_H
