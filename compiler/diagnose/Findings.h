//===- Findings.h - Common causes of a lost accuracy ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds the most common mistakes by name: ranges that are averages of single
// samples, a clipped classifier, pictures that were not normalised, a strategy
// that ruins the network.
//
//   std::vector<Finding> findings = findCauses(symptoms);
//   reportFindings(findings, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DIAGNOSE_FINDINGS_H
#define YARROW_COMPILER_DIAGNOSE_FINDINGS_H

#include "compiler/config/SettingEdits.h"
#include "mlir/IR/BuiltinOps.h"
#include "quantizer/metrics/Metrics.h"
#include "quantizer/observe/CalibrationStrategy.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct Finding {
  DiagId id;
  std::string what;
  std::string key, value; ///< A setting that mends it; "" if none does.
  std::string advice;     ///< Behind it, or in its place.

  std::string remedy(SettingStyle style) const {
    return (key.empty() ? "" : settingText(style, key, value)) + advice;
  }
};

/// What is known of a network that was quantized.
struct Symptoms {
  mlir::ModuleOp floating; ///< After clean-up.
  const std::vector<TensorMetric> &layers;
  const std::vector<NpyView> &samples; ///< Of the calibration.
  CalibrationStrategy strategy;        ///< Of activations.
  std::size_t batchSize = 1;
  /// Of the outputs with extrema in the place of the strategy, if it was tried.
  std::optional<double> extremaSqnrDb = {};
};

/// Whether extrema are worth a trial: they leave nothing out, which a strategy
/// is there to do better.
bool isSuspect(const CalibrationStrategy &strategy);

std::vector<Finding> findCauses(const Symptoms &symptoms);

/// A warning for each.
void reportFindings(const std::vector<Finding> &findings, SettingStyle style,
                    DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DIAGNOSE_FINDINGS_H
