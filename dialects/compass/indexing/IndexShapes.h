//===- IndexShapes.h - Shapes of operators with indices -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Shape inference of the index family, on ops of any class. Constant indices
// are checked against the tensor that they are about. Where the length of a
// result depends on data it is taken from its declaration.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INDEXING_INDEXSHAPES_H
#define YARROW_DIALECTS_COMPASS_INDEXING_INDEXSHAPES_H

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/indexing/IndexBounds.h"

namespace yarrow::compass {

mlir::LogicalResult inferGather(mlir::Operation *op, ResultShapes &shapes);
/// What the key negative_indices of Gather says.
NegativeIndices negativeIndicesOf(mlir::Operation *gather);
mlir::LogicalResult inferGatherElements(mlir::Operation *op,
                                        ResultShapes &shapes);
mlir::LogicalResult inferGatherND(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferScatterElements(mlir::Operation *op,
                                         ResultShapes &shapes);
mlir::LogicalResult inferScatterND(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferSlotUpdate(mlir::Operation *op, ResultShapes &shapes);

mlir::LogicalResult inferCompress(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferUnique(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferNonZero(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferOneHot(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferShape(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferConstantOfShape(mlir::Operation *op,
                                         ResultShapes &shapes);
mlir::LogicalResult inferLshProjection(mlir::Operation *op,
                                       ResultShapes &shapes);

/// An error unless the type of a result holds the indices of an axis of
/// \p length.
mlir::LogicalResult checkIndexType(mlir::Operation *op, unsigned result,
                                   int64_t length);
/// The greatest number that a kernel writes into an integer tensor.
int32_t mostStored(const TensorInfo &info);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_INDEXING_INDEXSHAPES_H
