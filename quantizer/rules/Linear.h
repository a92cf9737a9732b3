//===- Linear.h - Weights, bias and requantization of a linear layer ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What convolutions, fully connected layers, BatchNorm and the affine part of
// LayerNorm have in common: acc = sum(x * w) + b per output channel, brought to
// the output's scale (spec: integer semantics 4.2).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_LINEAR_H
#define YARROW_QUANTIZER_RULES_LINEAR_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

struct LinearLayer {
  LinearParams input, output;
  unsigned weightBits = 8;
  /// Channels that may have scales of their own even per tensor.
  unsigned groups = 1;
  bool unifyShifts = true;
  /// Padding and the input's zero point are folded into the bias.
  bool absorbInputZp = true;
  /// Per-tensor scale and shift are written as tensors all the same.
  bool alwaysTensors = false;
};

/// Sets weights, biases, scale and shift. Output channels are the first axis of
/// the weights.
bool quantizeLinear(LayerContext &layer, const LinearLayer &linear);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_LINEAR_H
