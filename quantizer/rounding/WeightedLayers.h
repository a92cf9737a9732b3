//===- WeightedLayers.h - A method at layers with weights -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Visits the layers of a network whose integer weights a method may choose: in
// order, with what meets their weights in the float and in the integer network.
//
//   JointTask task{floatModule, intModule, method, options, arrays, diags};
//   bool isAny = forWeightedLayers(task, 64, [&](WeightedLayer &layer) {
//     layer.weights.rounded[0] = 3;
//     layer.weights.store();
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_WEIGHTEDLAYERS_H
#define YARROW_QUANTIZER_ROUNDING_WEIGHTEDLAYERS_H

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

/// Called with the number of layers done and their total.
using RoundingProgress = std::function<void(std::size_t, std::size_t)>;

/// A network in both forms, and the method that goes over it.
struct JointTask {
  mlir::ModuleOp floatModule,
      intModule; ///< the second quantized from the first
  const GlobalMethod &method;
  const QuantizerOptions &options; ///< that it was quantized with
  const std::vector<NpyView> &arrays;
  DiagnosticEngine &diags;
  RoundingProgress progress = {};
  /// Called when all layers have been rounded, and computed since.
  std::function<void(const JointForward &)> atEnd = {};

  /// How many samples the method wants: ours say so, those of the reference
  /// count batches of the calibration.
  std::size_t wantedSamples() const;
};

/// A layer in the hands of a method.
struct WeightedLayer {
  const JointLayer &layer;
  const LayerRows &rows;
  const GlobalMethod &method;
  LayerOptions options;
  uint64_t seed;           ///< of what is drawn for this layer
  IntegerWeights &weights; ///< what the method changes

  /// Whether each output has a scale of its own.
  bool isPerChannel() const {
    return options.weightMethod.perChannel || rows.groups() > 1;
  }
};

/// Calls \p atLayer for each layer that the task's method is meant for; each
/// sees what those before it have become. False after errors, and without one
/// if there is no such layer.
bool forWeightedLayers(const JointTask &task, std::size_t samples,
                       const std::function<void(WeightedLayer &)> &atLayer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_WEIGHTEDLAYERS_H
