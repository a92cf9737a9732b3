//===- LayerAxes.h - The axes that a layer names --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto axes = axesKey(op, rank); // axis=[-1,1] of rank 4: 1, 3
//   if (failed(axes)) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERAXES_H
#define YARROW_DIALECTS_COMPASS_LAYERAXES_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// The axes in the key `axis`, counted from the front and ascending. Emits an
/// error if there is none, one is out of range or one is named twice.
mlir::FailureOr<llvm::SmallVector<int64_t>> axesKey(mlir::Operation *op,
                                                    int64_t rank);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERAXES_H
