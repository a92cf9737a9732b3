//===- Rounding.h - Methods that round a layer's weights anew ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each takes a layer of which the scales are final, with its inputs in the
// float and in the quantized network, and changes the integers of its weights,
// its biases or both. All of it is seeded by the layer's number, so that the
// same network and samples give the same bytes.
//
//   roundWeights(floatModule, intModule, method, task, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_ROUNDING_H
#define YARROW_QUANTIZER_ROUNDING_ROUNDING_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/options/GlobalMethod.h"
#include "quantizer/options/QuantizerOptions.h"
#include "quantizer/rounding/IntegerWeights.h"
#include "quantizer/rounding/LayerRows.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace yarrow {

/// A layer in the hands of a method.
struct RoundingLayer {
  const JointLayer &layer;
  const LayerRows &rows;
  const GlobalMethod &method;
  uint64_t seed;
  IntegerWeights &weights; ///< What the method changes.
};

/// By second moments, weight after weight (math/Feedback.h).
void roundByMoments(const RoundingLayer &layer);
/// The biases that make the means of the layer's sums those of the float
/// network, for weights as they are rounded.
void correctBiases(const RoundingLayer &layer);
/// By gradients, whether to round up or down (Nagel et al., 2020).
void learnRounding(const RoundingLayer &layer);
/// By gradients, changes of integer weights and biases (Hubara et al., 2020).
void learnWeights(const RoundingLayer &layer);

/// Called with the number of layers done and their total.
using RoundingProgress = std::function<void(std::size_t, std::size_t)>;

/// Lets \p method round the weights of \p intModule, which was quantized from
/// \p floatModule with \p options, layer after layer: each sees what those
/// before it have become. False after errors, and without one, and a change, if
/// there is no layer for it.
bool roundWeights(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                  const GlobalMethod &method, const QuantizerOptions &options,
                  const std::vector<NpyView> &arrays,
                  const RoundingProgress &progress, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_ROUNDING_H
