//===- LeastValue.h - Bounds by the layers before ------------- -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   if (isNeverBelow(x, 0)) ... // max(x, 0) is x
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_CLEANUP_LEASTVALUE_H
#define YARROW_PASSES_CLEANUP_LEASTVALUE_H

#include "mlir/IR/Value.h"

namespace yarrow::cleanup {

/// Whether no element of \p value is less than \p bound, a stored value. Known
/// of integers by their type, of floats by the layers before; false where
/// nothing is known.
bool isNeverBelow(mlir::Value value, double bound);

} // namespace yarrow::cleanup

#endif // YARROW_PASSES_CLEANUP_LEASTVALUE_H
