//===- KeptRounding.h - Weights as they were rounded before -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rounding the weights of a network takes several forwards of it. Where the
// network is only quantized with other bits for some tensors, most layers have
// the same weights in the same steps, and what was found for them where all
// tensors had 16 bits is nearly as good: enough to compare choices with, before
// the one that is kept is rounded anew. (Weights that were rounded beside 8
// bits make up for the errors of these, which is harmful where there are 16.)
//
//   keepRounding({floatModule, *rounded, before}, *trial, options);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_KEPTROUNDING_H
#define YARROW_QUANTIZER_ROUNDING_KEPTROUNDING_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/options/QuantizerOptions.h"

namespace yarrow {

/// A network of which weights were rounded, and how it was quantized.
struct RoundedNetwork {
  mlir::ModuleOp floats, integers;
  const QuantizerOptions &options;
};

/// Gives the layers of \p to the weights and biases of \p from, where weights
/// have the same bits and steps in both; the others stay as they are.
void keepRounding(const RoundedNetwork &from, mlir::ModuleOp to,
                  const QuantizerOptions &options);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_KEPTROUNDING_H
