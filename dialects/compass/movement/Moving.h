//===- Moving.h - What operators that move values share ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checks for the C++ files of this family.
//
//   if (failed(checkSameElement(op, in, out)))
//     return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MOVEMENT_MOVING_H
#define YARROW_DIALECTS_COMPASS_MOVEMENT_MOVING_H

#include "dialects/compass/LayerKeys.h"
#include "mlir/IR/Operation.h"
#include "support/diagnostics/Operators.h"

namespace yarrow::compass {

/// Values keep their bits, so the element types must be the same.
inline mlir::LogicalResult checkSameElement(mlir::Operation *op,
                                            const TensorInfo &in,
                                            const TensorInfo &out) {
  if (in.storedType() != out.storedType())
    return layerError(op, diag::OpElementType, "layer_top_type",
                      "the layer moves values, so it cannot change their type")
        .found(dtypeName(out.storedType()))
        .expected(dtypeName(in.storedType()));
  return mlir::success();
}

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_MOVEMENT_MOVING_H
