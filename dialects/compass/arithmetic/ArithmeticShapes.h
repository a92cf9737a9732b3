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

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

llvm::LogicalResult
inferDivMod(mlir::Operation *op,
            llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferMod(mlir::Operation *op,
         llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult inferSquaredDifference(
    mlir::Operation *op,
    llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferBiasAdd(mlir::Operation *op,
             llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferGemm(mlir::Operation *op,
          llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);
llvm::LogicalResult
inferFakeQuant(mlir::Operation *op,
               llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICSHAPES_H
