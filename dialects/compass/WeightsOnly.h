//===- WeightsOnly.h - Integer weights of layers of floats ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Quantization of weights only (docs/configuration.md, Bits and types): tensors
// are floats, weights are integers with real = (q + weights_zp) /
// weights_scale. There is one scale for all weights, one for each filter, or
// one for each block of weight_block_size neighbours along the last axis.
//
//   if (hasWeightsOnly(op))
//     auto weights = dequantizedWeights(op);   // float32, the same shape
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_WEIGHTSONLY_H
#define YARROW_DIALECTS_COMPASS_WEIGHTSONLY_H

#include "dialects/compass/LayerProgram.h"

namespace yarrow::compass {

/// Whether \p op is a layer of floats whose weights are integers with a scale.
bool hasWeightsOnly(mlir::Operation *op);

/// Those weights as floats. Emits an error for scales that do not fit the
/// weights, or are none.
mlir::FailureOr<BufferBinding> dequantizedWeights(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_WEIGHTSONLY_H
