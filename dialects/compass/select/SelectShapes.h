//===- SelectShapes.h - Shapes of layers that choose ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What inferShapes of each op calls: free functions, so that their files do not
// depend on the generated classes. Each checks the keys and constants that the
// operator's record cannot, reports all problems and appends the shapes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SELECT_SELECTSHAPES_H
#define YARROW_DIALECTS_COMPASS_SELECT_SELECTSHAPES_H

#include "dialects/compass/LayerCheck.h"

namespace yarrow::compass {

llvm::LogicalResult inferNMS(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferPostNMS1(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferFilterBoxes(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferRegionFuse(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferFilter(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferGetValidCount(mlir::Operation *op,
                                       ResultShapes &shapes);
llvm::LogicalResult inferTopK(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferInTopK(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferAccidentalHits(mlir::Operation *op,
                                        ResultShapes &shapes);
llvm::LogicalResult inferCTCGreedyDecoder(mlir::Operation *op,
                                          ResultShapes &shapes);
llvm::LogicalResult inferMultinomial(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_SELECT_SELECTSHAPES_H
