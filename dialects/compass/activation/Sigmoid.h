//===- Sigmoid.h - Shares of one --------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The result of a sigmoid is a share of 1: its range is known, and it matters
// on which side of a threshold a value is.
//
//   if (isSigmoid(op))
//     return {0, 1};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ACTIVATION_SIGMOID_H
#define YARROW_DIALECTS_COMPASS_ACTIVATION_SIGMOID_H

#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"

namespace yarrow::compass {

/// Whether that is all that the layer computes.
inline bool isSigmoid(mlir::Operation *op) {
  return llvm::isa<ActivationOp>(op) && wordKey(op, keys::method) == "SIGMOID";
}

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ACTIVATION_SIGMOID_H
