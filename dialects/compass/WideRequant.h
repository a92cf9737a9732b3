//===- WideRequant.h - More forms of requantization -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Requantization as in TFLite and XNNPACK, which the Compass tool chain does
// not have: layers whose record has the key requant_rounding take multipliers
// of 31 bits, and round as the key says. Kernels multiply in 64 bits, so code
// that builds these layers gives the largest sum, and layers that can overflow
// are rejected.
//
//   if (failed(buildRequant(op, out, p.requant)) ||
//       failed(checkSums(op, p.requant, terms * mostMagnitude(in))))
//     return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_WIDEREQUANT_H
#define YARROW_DIALECTS_COMPASS_WIDEREQUANT_H

#include "dialects/compass/Tensors.h"
#include "kernels/Params.h"
#include "mlir/IR/Operation.h"

namespace yarrow::compass {

/// The greatest multiplier that the keys of the layer may hold: 65535, or 2^31
/// - 1 where requant_rounding applies.
int64_t mostMultiplier(mlir::Operation *op);

/// Whether the layer has a multiplier of more than 16 bits where those of the
/// Compass tool chain have 16.
bool hasWideMultiplier(mlir::Operation *op);
/// Whether requant_rounding says another rounding than half to even.
bool hasOwnRounding(mlir::Operation *op);

/// What requant_rounding says. Emits an error on a layer which does not round
/// that way: shifts to the left, activations that round by themselves.
mlir::FailureOr<kernels::Rounding> roundingOf(mlir::Operation *op,
                                              kernels::Act act);

/// The greatest |x + zp| of a tensor's type.
uint64_t mostMagnitude(const TensorInfo &tensor);
/// Emits an error if \p scale times values of up to \p most in magnitude may
/// exceed 2^62, which with the rounding's 2^61 int64 holds.
mlir::LogicalResult checkProduct(mlir::Operation *op, int64_t scale,
                                 uint64_t most);
/// The same of the sums that a layer requantizes, if its multipliers have more
/// than 16 bits. Rounding::Double saturates its sums to 32 bits instead.
mlir::LogicalResult checkSums(mlir::Operation *op, const kernels::Requant &r,
                              uint64_t mostSum);
/// The same of a layer whose \p weights have one row for each sum.
mlir::LogicalResult checkWeightedSums(mlir::Operation *op,
                                      const kernels::Requant &r,
                                      const ConstantView &weights);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_WIDEREQUANT_H
