//===- NormCheck.h - Weights and biases of normalisations -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What shape inference of the layers with weights and biases checks.
//
//   if (failed(checkAffine(op, channels, "channel"))) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMCHECK_H
#define YARROW_DIALECTS_COMPASS_NORM_NORMCHECK_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// Shape of the first operand.
llvm::ArrayRef<int64_t> shapeOfFirst(mlir::Operation *op);

/// weights, biases and, of an integer layer, scale and shift have \p count
/// elements, one per \p what; scale and shift may instead be one number each.
llvm::LogicalResult checkAffine(mlir::Operation *op, int64_t count,
                                llvm::StringRef what);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMCHECK_H
