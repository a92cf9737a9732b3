//===- StateCheck.h - Whether the ends of a state fit -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the verifier requires of an Input that is a state (States.h). It looks
// only at keys.
//
//   if (failed(verifyState(input))) ... // E0311 was emitted
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_GRAPH_STATECHECK_H
#define YARROW_DIALECTS_COMPASS_GRAPH_STATECHECK_H

#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// Of an input that is a state: whether it has the type of its output, which no
/// other state has, and first values that it can hold. While a graph is being
/// built there is no output yet; then that is not asked.
llvm::LogicalResult verifyState(mlir::Operation *input);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_GRAPH_STATECHECK_H
