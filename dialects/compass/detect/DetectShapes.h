//===- DetectShapes.h - Shapes of layers that decode boxes ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What inferShapes of each op calls: free functions, so that their files do not
// depend on the generated classes. Each checks the keys and constants that the
// operator's record cannot, reports all problems and appends the shapes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_DETECT_DETECTSHAPES_H
#define YARROW_DIALECTS_COMPASS_DETECT_DETECTSHAPES_H

#include "dialects/compass/LayerCheck.h"

namespace yarrow::compass {

llvm::LogicalResult inferBoundingBox(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferDecodeBox(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferMultiboxTransformLoc(mlir::Operation *op,
                                              ResultShapes &shapes);
llvm::LogicalResult inferDetectionOutput(mlir::Operation *op,
                                         ResultShapes &shapes);
llvm::LogicalResult inferProposal(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferGenerateProposals(mlir::Operation *op,
                                           ResultShapes &shapes);
llvm::LogicalResult inferRefineDetDetection(mlir::Operation *op,
                                            ResultShapes &shapes);
llvm::LogicalResult inferRegion(mlir::Operation *op, ResultShapes &shapes);

// NnapiShapes.cpp
llvm::LogicalResult inferBoxTransform(mlir::Operation *op,
                                      ResultShapes &shapes);
llvm::LogicalResult inferLimitedNMS(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferBoxProposals(mlir::Operation *op,
                                      ResultShapes &shapes);
llvm::LogicalResult inferDetectionPostProcess(mlir::Operation *op,
                                              ResultShapes &shapes);
llvm::LogicalResult inferHeatmapMaxKeypoint(mlir::Operation *op,
                                            ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_DETECT_DETECTSHAPES_H
