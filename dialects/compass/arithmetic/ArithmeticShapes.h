//===- ArithmeticShapes.h - Checks and shapes of layers -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Numbers of scales, shapes of constants and matrices:
// inferShapes of the family's operators, as functions of any op.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICSHAPES_H
#define YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICSHAPES_H

#include "dialects/compass/LayerKeys.h"

namespace yarrow::compass {

llvm::LogicalResult inferDivMod(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferMod(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferSquaredDifference(mlir::Operation *op,
                                           ResultShapes &shapes);
llvm::LogicalResult inferBiasAdd(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferGemm(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferFakeQuant(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICSHAPES_H
