//===- ImageShapes.h - Shapes of sampling layers --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What inferShapes of each op calls: free functions, so that their files do not
// depend on the generated classes. Each checks the keys and constants that the
// operator's record cannot, reports all problems and appends the shapes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_IMAGE_IMAGESHAPES_H
#define YARROW_DIALECTS_COMPASS_IMAGE_IMAGESHAPES_H

#include "dialects/compass/LayerCheck.h"

namespace yarrow::compass {

llvm::LogicalResult inferCropAndResize(mlir::Operation *op,
                                       ResultShapes &shapes);
llvm::LogicalResult inferGridSample(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferAffineGrid(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferRoiAlign(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferMaxRoiPool(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferPyramidROIAlign(mlir::Operation *op,
                                         ResultShapes &shapes);
llvm::LogicalResult inferRgbToYuv(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferYuvToRgb(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_IMAGE_IMAGESHAPES_H
