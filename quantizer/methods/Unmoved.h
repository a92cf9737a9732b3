//===- Unmoved.h - Values before they were moved ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds where a tensor's numbers were computed, before layers that only move
// them and so have no own scale.
//
//   mlir::Value made = unmoved(op->getOperand(0));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METHODS_UNMOVED_H
#define YARROW_QUANTIZER_METHODS_UNMOVED_H

#include "dialects/compass/Traits.h"
#include "mlir/IR/Operation.h"

namespace yarrow {

inline mlir::Value unmoved(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (!op->hasTrait<compass::trait::MovesOnly>() || op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return value;
}

} // namespace yarrow

#endif // YARROW_QUANTIZER_METHODS_UNMOVED_H
