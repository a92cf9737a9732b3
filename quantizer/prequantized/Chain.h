//===- Chain.h - A layer and what is done before it is stored ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Models store what layers compute; clamps, and moves of the values, may lie
// between a layer and the tensor that is stored. Rounding a value commutes with
// both: the layer stores its result, clamps become bounds of the stored
// integers, and moves move these.
//
//   Conv -> a -> Reshape -> b -> Relu -> q     // q is stored
//   Conv -> q' -> Reshape -> q                 // so is q', with Relu's bounds
//
//   auto chain = chainOf(conv);
//   if (chain) ... chain->bounds, chain->last()->getResult(0) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_CHAIN_H
#define YARROW_QUANTIZER_PREQUANTIZED_CHAIN_H

#include "mlir/IR/Operation.h"

#include <limits>
#include <optional>

namespace yarrow {

/// What clamps leave of the real numbers.
struct RealBounds {
  double lo = -std::numeric_limits<double>::infinity(),
         hi = std::numeric_limits<double>::infinity();

  /// min(max(x, least), most), whichever of the bounds is the larger.
  void clamp(double least, double most);
};

/// The result of the last one is stored, those before are not, and nobody else
/// reads them.
struct Chain {
  mlir::Operation *layer;
  /// Clamps and moves of one operand, in their order.
  llvm::SmallVector<mlir::Operation *, 2> after = {};
  RealBounds bounds = {};

  mlir::Operation *last() const { return after.empty() ? layer : after.back(); }
};

/// nullopt if the layer's result is real and never stored, or something else is
/// done to it before.
std::optional<Chain> chainOf(mlir::Operation *op);

/// RELU, RELU6, CLIP as layers of their own, or another function of one value.
bool isActivation(mlir::Operation *op);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_CHAIN_H
