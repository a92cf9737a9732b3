//===- Sensitivity.h - What each layer's error does to the outputs -*- C++ -*-//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The layer that loses most is not the one that costs most: later layers
// amplify some errors and hide others. Here, one layer at a time has its
// integer network's error in an otherwise float network, and the outputs show
// the effect.
//
// The error is the layer's own: its results for the float network's inputs as
// it stores them, minus the float layer's results for the same inputs. So the
// rounding of its inputs counts for the layers that compute them, and one
// integer network with all layers at 8 bits measures each layer at 8 bits
// alone. Only the layers after it are computed again.
//
//   auto losses = measureSensitivity({floatModule, {at8Bits}, *judge, arrays},
//                                    diags);
//   losses->front()[floatOp].value();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_SENSITIVITY_H
#define YARROW_QUANTIZER_METRICS_SENSITIVITY_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/metrics/Metrics.h"
#include "quantizer/metrics/OutputLoss.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <optional>
#include <vector>

namespace yarrow {

struct SensitivityTask {
  mlir::ModuleOp floating;              ///< After clean-up.
  std::vector<mlir::ModuleOp> networks; ///< Quantized copies of it.
  const OutputJudge &judge;
  const std::vector<NpyView> &arrays; ///< Those of the judge.
  /// Of the judge's runs, spread over them.
  std::size_t maxSamples = 32;
  /// Called with the number of runs done and their total.
  std::function<void(std::size_t, std::size_t)> progress = {};
  /// Asked between groups of runs; the first group is always done.
  std::function<bool()> isOutOfTime = [] { return false; };
};

struct LayerLoss : OutputLoss {
  /// Of what the layer itself adds to its results, and the part of it that more
  /// bits of the results would take away: their rounding and clipping.
  double ownSquares = 0, storedSquares = 0;

  void mergeLayer(const LayerLoss &other) {
    merge(other);
    ownSquares += other.ownSquares;
    storedSquares += other.storedSquares;
  }
};

/// What only moves values has its input's error, but where values of other
/// scales meet.
bool hasErrorOfItsOwn(mlir::Operation *layer);

/// By layer of the float network. Layers that only move elements, those that
/// read integers, those that call sub-graphs and those without a counterpart
/// have none.
using LayerLosses = llvm::DenseMap<mlir::Operation *, LayerLoss>;

/// One for each network. Nullopt after errors.
std::optional<std::vector<LayerLosses>>
measureSensitivity(const SensitivityTask &task, DiagnosticEngine &diags);

/// Tells each of \p metrics, which are of one of the networks, what its layer
/// does to the outputs.
void addSensitivity(const LayerLosses &losses,
                    std::vector<TensorMetric> &metrics);

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_SENSITIVITY_H
