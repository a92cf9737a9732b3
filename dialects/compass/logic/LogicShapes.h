//===- LogicShapes.h - Checks and shapes of layers ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Numbers of inputs, element types, broadcasting:
// inferShapes of the family's operators, as functions of any op.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LOGIC_LOGICSHAPES_H
#define YARROW_DIALECTS_COMPASS_LOGIC_LOGICSHAPES_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

llvm::LogicalResult inferBitwise(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferLogical(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferBitShift(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferWhere(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferTruthOfEach(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LOGIC_LOGICSHAPES_H
