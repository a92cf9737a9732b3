//===- PrecisionSearch.h - Bits for each layer at a price -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds which layers need more bits, and which need fewer. The whole network is
// quantized once with each precision. Those networks show the loss at the
// outputs of each layer alone (quantizer/metrics/Sensitivity.h). The price is
// the extra cycles of the simulated network if only this layer has the
// precision, or the bytes of its weights. Both are assumed to add up, so the
// best choice for every budget is a knapsack problem that is solved exactly
// (Mixtures.h). The chosen mixture is then quantized, run and simulated. If it
// breaks the budget, the measurement corrects the prediction and the next
// mixture is tried.
//
//   PrecisionTask task{origin, samples, precisions, goal, cost};
//   std::optional<PrecisionPlan> plan = searchPrecision(task, diags);
//   plan->measured.cycles; plan->settings(given);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_PRECISIONSEARCH_H
#define YARROW_COMPILER_PRECISION_PRECISIONSEARCH_H

#include "compiler/forms/Form.h"
#include "compiler/precision/Precision.h"
#include "quantizer/metrics/OutputLoss.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// What a mixture must keep; one of them is set.
struct PrecisionGoal {
  std::optional<int64_t> maxCycles, maxWeightBytes;
  std::optional<double> maxLoss;
  /// Cycles by the network as it is configured.
  std::optional<double> maxCyclesRatio;
  /// Whether a network is good enough, by any measure. Nullopt after errors.
  std::function<std::optional<bool>(mlir::ModuleOp network)> isGoodEnough;
};

/// A whole network.
struct PrecisionFigures {
  OutputLoss loss;
  uint64_t cycles = 0, weightBytes = 0;
};

struct PrecisionTask {
  const FloatOrigin &origin;
  const std::vector<NpyView> &data; ///< That losses are measured with.
  std::vector<Precision> precisions;
  PrecisionGoal goal;
  /// What a network takes on the target. Nullopt after errors.
  std::function<std::optional<runtime::Report>(mlir::ModuleOp network,
                                               DiagnosticEngine &diags)>
      cost;
  std::size_t maxSamples = 64, sensitivitySamples = 32;
  /// Called with what is done now.
  std::function<void(const char *step, std::size_t done, std::size_t total)>
      progress = {};
};

/// What a layer would be with one precision.
struct LayerPrecision {
  unsigned precision; ///< Of the plan's.
  double loss;        ///< Of the outputs, if only this layer has it.
  /// What the network takes longer with it, by all layers with the fastest.
  int64_t cycles = 0;
  uint64_t weightBytes = 0;
};

struct PlannedLayer {
  int64_t id;
  std::string name, type;
  bool hasWeights;
  std::vector<LayerPrecision> options;
  unsigned chosen = 0; ///< Of the options.

  const LayerPrecision &choice() const { return options[chosen]; }
};

struct PrecisionPlan {
  /// Those that a network could be made of, and those networks.
  std::vector<Precision> precisions;
  std::vector<PrecisionFigures> uniform;
  /// Why there is none of the others.
  std::vector<std::pair<std::string, std::string>> impossible;
  std::vector<PlannedLayer> layers;
  bool isPriceBytes = false;

  /// Of the chosen mixture.
  struct Prediction {
    double loss = 0;
    uint64_t cycles = 0, weightBytes = 0;
  } predicted;
  PrecisionFigures measured;
  /// The budget is kept, or the network good enough.
  bool isMet = false;
  std::size_t numMeasured = 0;
  /// Some of the unbeaten mixtures, by rising price, as they are predicted.
  std::vector<Prediction> front;

  /// How many layers have each precision.
  std::vector<std::size_t> counts() const;
  /// The options that the chosen mixture was quantized with.
  QuantizerOptions quantizerOptions(const QuantizerOptions &given) const;
};

/// Nullopt after errors.
std::optional<PrecisionPlan> searchPrecision(const PrecisionTask &task,
                                             DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_PRECISIONSEARCH_H
