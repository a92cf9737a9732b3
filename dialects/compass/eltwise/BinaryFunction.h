//===- BinaryFunction.h - Layers that are a function of two values --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The interface of the operators that kernels/arithmetic/BinaryFn.def computes,
// and what their records need: shapes and kernel follow from the function.
//
//   if (auto layer = dyn_cast<BinaryFunction>(op))
//     layer.binaryFunction() == kernels::BinaryOp::Add;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_BINARYFUNCTION_H
#define YARROW_DIALECTS_COMPASS_ELTWISE_BINARYFUNCTION_H

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/LayerProgram.h"
#include "kernels/arithmetic/Eltwise.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/compass/eltwise/BinaryInterface.h.inc"

namespace yarrow::compass {

/// The function that a word of IR text names ("ADD", "LESS_EQUAL"). The word is
/// verified.
kernels::BinaryOp binaryNamed(llvm::StringRef word);

/// Whether operands are requantized one by one: of sums and differences that
/// have a shift for each, besides that of the result.
bool hasApartOperands(mlir::Operation *op);

/// inferShapes of a BinaryFunction: operands that broadcast, and the number of
/// scales that bring them together.
llvm::LogicalResult inferBinary(mlir::Operation *op, ResultShapes &shapes);

/// buildProgram of a BinaryFunction. Emits an error where integers have no
/// form. Of a layer with one operand the function's second is what inverts it:
/// 0 to compare with, or all bits.
llvm::LogicalResult buildBinary(mlir::Operation *op, LayerProgram &program);
/// The same for one result of a layer that is several functions.
llvm::LogicalResult buildBinary(mlir::Operation *op, kernels::BinaryOp binary,
                                unsigned result, LayerProgram &program);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_BINARYFUNCTION_H
