//===- RecurrentFunctions.h - Activations of recurrent layers ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The functions that the key `activations` names, with their parameters.
//
//   auto f = recurrentFunctions(op); // of the gates, of the candidates, ...
//   if (failed(f)) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SEQUENCE_RECURRENTFUNCTIONS_H
#define YARROW_DIALECTS_COMPASS_SEQUENCE_RECURRENTFUNCTIONS_H

#include "kernels/activation/ActivationParams.h"
#include "mlir/IR/Operation.h"

namespace yarrow::compass {

struct RecurrentFunction {
  kernels::UnaryFn fn = kernels::UnaryFn::Identity;
  kernels::UnaryArgs args;
};

/// In the order of `activations`; SIGMOID and then TANH for the others without
/// the key: as many as \p count. Emits an error on parameters that do not fit.
mlir::FailureOr<llvm::SmallVector<RecurrentFunction>>
recurrentFunctions(mlir::Operation *op, unsigned count);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_SEQUENCE_RECURRENTFUNCTIONS_H
