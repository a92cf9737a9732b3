//===- ExactForm.h - Direct convolutions as exact Winograd layers ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An int8 convolution with a window of 3x3 and stride 1 can be computed with
// F(2x2,3x3) without any rounding: with the weights (2G) w (2G)^T, of 12 bits,
// every sum is four times that of the convolution, and winograd_output_shift=2
// takes it back. 16 products make 4 outputs, in place of 36, and every byte of
// the result stays the same. It is of use on machines whose Winograd mode takes
// weights of 12 bits; others compute the direct form of such a layer again.
//
//   if (machine.hasWinograd(isa::WinogradMode::F2x2_3x3, kExactWeightBits))
//     rewriteExactWinograd(module, [&](mlir::Operation *op) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_WINOGRAD_EXACTFORM_H
#define YARROW_PASSES_WINOGRAD_EXACTFORM_H

#include "mlir/IR/BuiltinOps.h"

namespace yarrow {

/// Bits of the exact form's weights, the sign included.
constexpr unsigned kExactWeightBits = 12;

/// Is \p op an integer convolution that has an exact form? Window 3x3, strides,
/// dilations and group 1, int8 weights, inputs of 8 bits, no Winograd yet.
bool isExactWinogradCandidate(mlir::Operation *op);

/// Rewrites the candidates of \p module that are \p wanted; returns how many.
unsigned
rewriteExactWinograd(mlir::ModuleOp module,
                     llvm::function_ref<bool(mlir::Operation *)> wanted);

} // namespace yarrow

#endif // YARROW_PASSES_WINOGRAD_EXACTFORM_H
