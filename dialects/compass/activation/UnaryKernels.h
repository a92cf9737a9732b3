//===- UnaryKernels.h - Kernels of one-operand layers ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The two ways in which every layer of this family is computed: a table in
// integer IR, a function in float IR.
//
//   return isInteger ? buildLutKernel(op, op.getLutAttr(), rule, program)
//                    : buildFunctionKernel(op, program);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ACTIVATION_UNARYKERNELS_H
#define YARROW_DIALECTS_COMPASS_ACTIVATION_UNARYKERNELS_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/Tensors.h"

namespace yarrow::compass {

class ActivationOp;
class PowOp;

/// Which input value is entry 0 of a table.
enum class LutOrigin {
  RangeMin,        ///< smallest value of the input's range
  WidenedRangeMin, ///< the same, one less for [-127, 127] and [-32767, 32767]
  TypeMin,         ///< smallest value of the input's type
};

/// The table \p key of \p op: a power-of-two count of entries of the result's
/// type, no more than the input has values. Emits an error on anything else.
mlir::FailureOr<ConstantView> lutOf(mlir::Operation *op, TensorKey key);

/// yk_lut with the table \p key (docs/operators/activation.md, Activation).
mlir::LogicalResult buildLutKernel(mlir::Operation *op, TensorKey key,
                                   LutOrigin origin, LayerProgram &program);

/// yk_unary_float with unaryFunctionOf(op).
mlir::LogicalResult buildFunctionKernel(mlir::Operation *op,
                                        LayerProgram &program);

/// Activation CRELU: both signs, rectified, joined along an axis.
mlir::LogicalResult buildCRelu(ActivationOp op, bool isInteger,
                               LayerProgram &program);

/// An integer Pow of two tensors: a table of logarithms, a product, a table of
/// powers (docs/operators/activation.md, Pow).
mlir::LogicalResult buildPowOfTensors(PowOp op, LayerProgram &program);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ACTIVATION_UNARYKERNELS_H
