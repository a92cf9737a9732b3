//===- Folding.h - Layers that copy their operand -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the folders of the operators that move values share. No bit of a tensor
// changes, in float or in integer IR.
//
//   Value x = copiedOperand(op); // of a Transpose with perm=[0,1,2]; or null
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_FOLDING_H
#define YARROW_DIALECTS_COMPASS_FOLDING_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// The operand whose values, in their order and with their type, are the result
/// of \p op; null if it may be anything else.
mlir::Value copiedOperand(mlir::Operation *op);

/// fold of a layer whose result may be a copy (copiedOperand). A result that
/// the network returns stays: its tensor has the name that the user knows.
llvm::LogicalResult
foldCopy(mlir::Operation *op,
         llvm::SmallVectorImpl<mlir::OpFoldResult> &results);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_FOLDING_H
