//===- Unmoved.h - What moved values have been before -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where a tensor's numbers were computed, behind layers that only move them and
// so have no scale of their own.
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
