//===- Metrics.h - The metrics that a user names ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From names, of an option or a configuration, to what measureAccuracy does.
// top1, top5 and so on are shares by rank, where of equal values the first one
// is the larger; all others are those of quantizer/scores/Scores.def.
//
//   std::vector<ScoreProblem> problems;
//   addMetrics(config.metrics, folder, task, problems);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_METRICS_H
#define YARROW_COMPILER_QUANTIZE_METRICS_H

#include "compiler/config/BuildConfig.h"
#include "quantizer/metrics/Accuracy.h"

namespace yarrow {

/// Paths in arguments begin at \p folder. TopKMetric(k) also asks for the
/// column topk.
void addMetrics(const std::vector<config::Metric> &metrics,
                const std::string &folder, AccuracyTask &task,
                std::vector<ScoreProblem> &problems);

/// "top1,TopKMetric(5)"; nullopt with \p problem.
std::optional<std::vector<config::Metric>> readMetrics(const std::string &text,
                                                       std::string &problem);

/// False after ConfigBadValue if \p network has no output that \p thresholds
/// names.
bool checkThresholds(const DecisionThresholds &thresholds,
                     mlir::ModuleOp network, const Place &place,
                     DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_METRICS_H
