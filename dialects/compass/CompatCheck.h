//===- CompatCheck.h - Whether stored integers have a meaning ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a layer of a model that was quantized before must say (Compat.h): what
// the integers of its weights mean, once or for each output channel, and
// nothing of multipliers, which nobody has chosen yet.
//
//   if (failed(verifyCompat(op))) ... // E0223 for all that is wrong
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_COMPATCHECK_H
#define YARROW_DIALECTS_COMPASS_COMPATCHECK_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// Emits every problem (LayerError.h). Layers of other modules pass.
llvm::LogicalResult verifyCompat(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_COMPATCHECK_H
