//===- RearrangeShapes.h - Shapes of operators that rearrange -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Shape inference of the rearrange family, on ops of any class. Ranks and key
// ranges are verified before (Verify.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGESHAPES_H
#define YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGESHAPES_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

mlir::LogicalResult inferTile(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferRepeat(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferReverseSequence(mlir::Operation *op,
                                         ResultShapes &shapes);
mlir::LogicalResult inferMeshgrid(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferOverlapAdd(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferCol2Im(mlir::Operation *op, ResultShapes &shapes);
/// The sizes in a constant input, or nothing.
std::optional<llvm::SmallVector<int64_t>> constantSizes(mlir::Operation *op,
                                                        unsigned i);

mlir::LogicalResult inferBatchToSpace(mlir::Operation *op,
                                      ResultShapes &shapes);
mlir::LogicalResult inferBatchToSpaceND(mlir::Operation *op,
                                        ResultShapes &shapes);
mlir::LogicalResult inferSpaceToBatch(mlir::Operation *op,
                                      ResultShapes &shapes);
mlir::LogicalResult inferSpaceToDepth(mlir::Operation *op,
                                      ResultShapes &shapes);
mlir::LogicalResult inferDepthToSpace(mlir::Operation *op,
                                      ResultShapes &shapes);
mlir::LogicalResult inferDataStride(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferChannelShuffle(mlir::Operation *op,
                                        ResultShapes &shapes);
mlir::LogicalResult inferCrop(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_REARRANGE_REARRANGESHAPES_H
