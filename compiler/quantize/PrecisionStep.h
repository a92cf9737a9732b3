//===- PrecisionStep.h - Mixed precision as commands ask for it -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What `yarrow search` and the key mixed_precision_auto_search have in common.
//
//   PrecisionStep step{precisions, goal, &data};
//   auto plan = planPrecision(step, origin, machine, {}, work);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_PRECISIONSTEP_H
#define YARROW_COMPILER_QUANTIZE_PRECISIONSTEP_H

#include "compiler/config/BuildConfig.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/precision/PrecisionSearch.h"
#include "compiler/work/Work.h"
#include "support/Npy.h"

#include <optional>
#include <vector>

namespace yarrow {

struct PrecisionStep {
  std::vector<Precision> precisions;
  PrecisionGoal goal;
  const std::vector<NpyView> *data =
      nullptr; ///< That losses are measured with.
  std::size_t maxSamples = 64;
};

/// A search that tells how far it is. Nullopt after errors.
std::optional<PrecisionPlan> planPrecision(const PrecisionStep &step,
                                           const FloatOrigin &origin,
                                           const isa::Machine &machine,
                                           const CompileOptions &compile,
                                           const Work &work);

/// How much of its top-k accuracy a network loses.
class AccuracyDrop {
public:
  /// With \p maxSamples samples from the first on; 0: with all.
  AccuracyDrop(const std::vector<NpyView> &data, const NpyView &labels,
               unsigned topK, std::size_t maxSamples)
      : data(data), labels(labels), topK(topK), maxSamples(maxSamples) {}

  /// Before of(). False after errors.
  bool measureFloat(mlir::ModuleOp network, DiagnosticEngine &diags);
  /// From 0 to 1, float - \p network. Nullopt after errors.
  std::optional<double> of(mlir::ModuleOp network,
                           DiagnosticEngine &diags) const;

private:
  std::optional<double> accuracyOf(mlir::ModuleOp network, bool isFloat,
                                   DiagnosticEngine &diags) const;

  const std::vector<NpyView> &data;
  const NpyView &labels;
  unsigned topK;
  std::size_t maxSamples;
  double floatAccuracy = 0;
};

/// What mixed_precision_auto_search asks for. Nullopt after errors, and without
/// them if there is nothing to measure by, which a warning tells.
std::optional<PrecisionPlan>
searchAsConfigured(const config::BuildConfig &config, const FloatOrigin &origin,
                   const CompileOptions &compile, const Work &work);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_PRECISIONSTEP_H
