//===- OutputLoss.h - What a network's outputs have lost --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// How far the outputs of a network are from those of its float form, in one
// number that settings can be compared by: of scores of classes the
// Kullback-Leibler divergence of what they say, KL(float || network) in nats
// and averaged over samples, which grows with the answers that change; of other
// outputs the largest share of noise that a part of one has (OutputParts.h),
// the inverse of its signal-to-noise ratio. The float network runs once,
// whatever is compared with it.
//
//   auto judge = OutputJudge::create(floatModule, {held}, 64, diags);
//   std::optional<OutputLoss> loss = judge->judge(intModule, diags);
//   loss->value(); loss->sqnrDb(); loss->agreement();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_OUTPUTLOSS_H
#define YARROW_QUANTIZER_METRICS_OUTPUTLOSS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/math/Similarity.h"
#include "quantizer/metrics/OutputParts.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace yarrow {

/// A network's outputs as real numbers.
using RealOutputs = std::vector<std::vector<float>>;

struct OutputLoss {
  std::vector<Similarity> outputs; ///< To the float network's.
  std::vector<Similarity> parts;   ///< As OutputJudge::parts().
  /// Of the outputs that are scores: sums over rows, which are samples.
  double divergence = 0;
  uint64_t rows = 0, agreeing = 0;

  bool hasScores() const { return rows != 0; }
  /// What is compared: the smaller the better, 0 if nothing is lost.
  double value() const;
  /// "KL" or "noise".
  const char *unit() const { return hasScores() ? "KL" : "noise"; }
  double meanDivergence() const { return rows ? divergence / double(rows) : 0; }
  /// How many rows have the float network's largest score, from 0 to 1.
  double agreement() const {
    return rows ? double(agreeing) / double(rows) : 1;
  }
  /// Of the output that loses most.
  double sqnrDb() const;
  /// Of the part of an output that loses most.
  double leastDb() const;
  /// The mean of all parts', none of which counts for more than kGoodDb: what
  /// one gains is not worth what another one loses below that.
  double overallDb() const;
  static constexpr double kGoodDb = 45;
  void merge(const OutputLoss &other);
};

/// KL(p || q) in nats of the distributions that two rows of scores stand for:
/// by the softmax, or, where those of \p p are probabilities already, as they
/// are.
double scoreDivergence(std::span<const float> p, std::span<const float> q);

class OutputJudge {
public:
  /// On up to \p maxSamples samples that are spread over the arrays. Null after
  /// errors.
  static std::unique_ptr<OutputJudge> create(mlir::ModuleOp floatModule,
                                             const std::vector<NpyView> &arrays,
                                             std::size_t maxSamples,
                                             DiagnosticEngine &diags);

  /// Runs \p network on the samples. Nullopt after errors.
  std::optional<OutputLoss> judge(mlir::ModuleOp network,
                                  DiagnosticEngine &diags) const;

  /// The same of runs that are known already: \p outputsOf gives the outputs of
  /// a sample, and none where it has none, which makes nullopt of all. Called
  /// from several threads.
  std::optional<OutputLoss> judgeRuns(
      const std::function<RealOutputs(std::size_t sample)> &outputsOf) const;

  std::size_t count() const { return references.size(); }
  /// Where run \p index of the comparison is among the samples.
  std::size_t sampleOf(std::size_t index) const;
  /// Of what one run gave. May be called from several threads.
  OutputLoss lossOf(std::size_t index, const RealOutputs &outputs) const;

  /// Of all outputs, in their order.
  struct Part {
    std::size_t output;
    OutputPart part;
  };
  const std::vector<Part> &parts() const { return allParts; }
  /// Whether all outputs are scores of classes.
  bool areClasses() const;

private:
  OutputJudge(const std::vector<NpyView> &arrays) : arrays(arrays) {}

  const std::vector<NpyView> &arrays;
  std::size_t total = 0;               ///< Runs that the arrays are for.
  std::vector<RealOutputs> references; ///< By run of the comparison.
  std::vector<std::size_t> classes;    ///< By output; 0: no scores.
  std::vector<Part> allParts;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_OUTPUTLOSS_H
