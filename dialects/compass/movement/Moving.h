//===- Moving.h - What operators that move values share ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks for the C++ files of this family.
//
//   if (failed(checkOneToOne(op)) || failed(checkSameElement(op, in, out)))
//     return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MOVEMENT_MOVING_H
#define YARROW_DIALECTS_COMPASS_MOVEMENT_MOVING_H

#include "dialects/compass/Tensors.h"
#include "mlir/IR/Operation.h"

namespace yarrow::compass {

inline mlir::LogicalResult checkOneToOne(mlir::Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return op->emitOpError("has one input and one output, found ")
           << op->getNumOperands() << " and " << op->getNumResults();
  return mlir::success();
}

/// Values keep their bits, so the element types must be the same.
inline mlir::LogicalResult checkSameElement(mlir::Operation *op,
                                            const TensorInfo &in,
                                            const TensorInfo &out) {
  if (in.dtype != out.dtype)
    return op->emitOpError("moves ")
           << dtypeName(in.dtype) << " values into a result of "
           << dtypeName(out.dtype);
  return mlir::success();
}

inline int64_t product(llvm::ArrayRef<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims)
    n *= d;
  return n;
}

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_MOVEMENT_MOVING_H
