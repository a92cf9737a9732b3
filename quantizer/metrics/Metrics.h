//===- Metrics.h - What quantization costs, layer by layer ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs a float network and its integer form on the same samples and compares
// every tensor that both have.
//
//   auto metrics = compareNetworks(floatModule, intModule, {eval}, 16, diags);
//   for (const TensorMetric &m : *metrics)
//     table.add(m.layer, m.similarity.cosine(), m.similarity.sqnrDb());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_METRICS_H
#define YARROW_QUANTIZER_METRICS_METRICS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/math/Similarity.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// Networks are compared on so many samples; more hardly change the figures.
inline constexpr std::size_t kComparedSamples = 32;

struct TensorMetric {
  std::string layer, layerType, tensor;
  std::string dtype; ///< of the integer network
  float scale = 1;
  int32_t zp = 0;
  bool isOutput = false;
  Similarity similarity;
};

/// In the order of the integer network's layers, over the first \p maxSamples
/// samples. nullopt after errors.
std::optional<std::vector<TensorMetric>>
compareNetworks(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                const std::vector<NpyView> &arrays, std::size_t maxSamples,
                DiagnosticEngine &diags);

/// Scale, zero point, cosine and SQNR of every layer, no wider than \p width.
std::string layerTable(const std::vector<TensorMetric> &layers,
                       std::size_t width);
/// One line: how near the outputs are and which layer loses most.
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
