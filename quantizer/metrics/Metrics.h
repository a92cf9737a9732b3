//===- Metrics.h - What quantization costs, layer by layer ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs a float network and its integer form on the same samples and compares
// every tensor that both have.
//
// The error of a tensor in the integer network is that of its own layer and
// what the layers before have left. So an integer layer also computes the float
// network's inputs, stored as the layer wants them: what it loses then is its
// own. A layer with a large error in the network and a small one of its own is
// not the cause.
//
//   auto metrics = compareNetworks(floatModule, intModule, {eval}, 16, diags);
//   for (const TensorMetric &m : *metrics)
//     table.add(m.layer, m.own.sqnrDb(), m.similarity.sqnrDb());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_METRICS_H
#define YARROW_QUANTIZER_METRICS_METRICS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/math/Similarity.h"
#include "quantizer/math/ValueHistogram.h"
#include "quantizer/metrics/ColumnLoss.h"
#include "quantizer/metrics/DecisionSides.h"
#include "quantizer/metrics/ErrorSplit.h"
#include "quantizer/metrics/OutputLoss.h"
#include "quantizer/metrics/ScoreRows.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Networks are compared on so many samples; more hardly change the figures.
inline constexpr std::size_t kComparedSamples = 32;

struct TensorMetric {
  std::string layer, layerType, tensor;
  std::string output;   ///< What the model calls it, if it is an output.
  std::string dtype;    ///< of the integer network
  int64_t layerId = -1; ///< In the IR that was read; -1: not known.
  float scale = 1;
  int32_t zp = 0;
  bool isOutput = false;
  /// Of outputs: a layer before it chooses or orders by values, so that a small
  /// difference may have moved rows.
  bool isChosen = false;
  /// To the float tensor: in the network, and of the layer alone. Layers that
  /// only move have nothing of their own; of those that call sub-graphs, and
  /// those in them, it is not known.
  Similarity similarity, own;
  /// Of the float tensor's values, how many the type's range does not hold.
  uint64_t clipped = 0, values = 0;
  // Of outputs:
  ScoreRows scores;                 ///< Answers, if it has any.
  DecisionSides sides;              ///< Of those that are near 0 or 1.
  std::vector<ColumnGroup> columns; ///< Those that differ in size.
  // With CompareDetail::Causes:
  ValueHistogram histogram; ///< Of the float tensor.
  /// The range of real numbers that the integer tensor stands for; 0, 0 of
  /// floats.
  double rangeMin = 0, rangeMax = 0;
  ErrorParts parts; ///< Of layers with weights.
  /// Of the outputs, if this layer alone has its error (Sensitivity.h); absent
  /// where that was not measured.
  std::optional<OutputLoss> alone;

  double clippedShare() const {
    return values ? double(clipped) / double(values) : 0;
  }
};

/// How much is compared: outputs alone take less than half the time of all
/// layers; where each layer's error comes from takes three times as long again.
enum class CompareDetail { Outputs, Layers, Causes };

/// In the order of the integer network's layers, over up to \p maxSamples
/// samples that are spread over the arrays. nullopt after errors.
std::optional<std::vector<TensorMetric>>
compareNetworks(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                const std::vector<NpyView> &arrays, std::size_t maxSamples,
                DiagnosticEngine &diags,
                CompareDetail detail = CompareDetail::Layers,
                const DecisionThresholds &thresholds = {});

/// The signal-to-noise ratio of the output that loses most, in dB.
double outputSqnrDb(const std::vector<TensorMetric> &metrics);

/// Scale, zero point, cosine and SQNR of every layer, no wider than \p width.
std::string layerTable(const std::vector<TensorMetric> &layers,
                       std::size_t width);
/// How near the outputs are, and which layer loses most by itself.
std::string layerSummary(const std::vector<TensorMetric> &layers);

/// Outputs of a network on samples, as real numbers, whatever its types.
class NetworkRunner {
public:
  static std::unique_ptr<NetworkRunner>
  create(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
         DiagnosticEngine &diags);
  ~NetworkRunner();
  std::size_t count() const;
  /// One vector per output. May be called from several threads.
  std::vector<std::vector<float>> outputsOf(std::size_t sample) const;

  struct Impl;

private:
  explicit NetworkRunner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_METRICS_H
