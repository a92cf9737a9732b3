//===- EltwiseShapes.h - Checks and shapes of layers ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Numbers of scales and shapes of constants: inferShapes of the family's
// operators, as functions of any op.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISESHAPES_H
#define YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISESHAPES_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

llvm::LogicalResult inferDivMod(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferSquaredDifference(mlir::Operation *op,
                                           ResultShapes &shapes);
llvm::LogicalResult inferBiasAdd(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISESHAPES_H
