//===- ActivationOps.h - Operators on single values -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.activation, of the functions that integer IR holds as
// one table (exp, sqrt, sine ...), and of pow, abs, negative and sign.
//
//   kernels::UnaryArgs args;
//   auto fn = unaryFunctionOf(op, args); // Sigmoid of an activation, Exp ...
//   if (succeeded(fn)) y = kernels::unaryValue(*fn, x, args);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_H
#define YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_H

#include "dialects/compass/Compass.h"
#include "kernels/activation/Activation.h"

namespace yarrow::compass {
void registerActivationOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/activation/ActivationOps.h.inc"

namespace yarrow::compass {

/// The function of real numbers that a layer of this family computes, with its
/// parameters from the keys. Emits an error if a parameter is missing or the
/// layer is no such function (PRELU, CRELU, a Pow of two tensors).
mlir::FailureOr<kernels::UnaryFn> unaryFunctionOf(mlir::Operation *op,
                                                  kernels::UnaryArgs &args);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_H
