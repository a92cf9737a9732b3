//===- Metrics.cpp - The metrics that a user names ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/Metrics.h"
#include "compiler/config/ConfigValues.h"
#include "dialects/compass/graph/ModelNames.h"
#include "quantizer/metrics/DecisionSides.h"

#include "support/diagnostics/Settings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace yarrow;

/// "top5", with its number: not the name of a metric.
static bool isRank(const std::string &name) {
  llvm::StringRef rest = name;
  return rest.consume_front_insensitive("top") && !rest.empty() &&
         llvm::all_of(rest, [](char c) { return c >= '0' && c <= '9'; });
}

void yarrow::addMetrics(const std::vector<config::Metric> &metrics,
                        const std::string &folder, AccuracyTask &task,
                        std::vector<ScoreProblem> &problems) {
  for (const config::Metric &metric : metrics) {
    bool takesClasses = metric.arguments.size() < 2;
    std::optional<unsigned> k =
        takesClasses ? topKOf(metric.name, metric.arguments) : std::nullopt;
    if (k && !llvm::is_contained(task.topK, *k))
      task.topK.push_back(*k);
    if (k && isRank(metric.name))
      continue;
    ScoreProblem problem;
    if (auto score =
            ScoreRequest::read(metric.name, metric.arguments, folder, problem))
      task.scores.push_back(std::move(*score));
    else
      problems.push_back(std::move(problem));
  }
}

std::optional<std::vector<config::Metric>>
yarrow::readMetrics(const std::string &text, std::string &problem) {
  std::vector<config::Metric> metrics;
  if (!config::readValue(text, {}, "", metrics, problem))
    return std::nullopt;
  return metrics;
}

bool yarrow::checkThresholds(const DecisionThresholds &thresholds,
                             mlir::ModuleOp network, const Place &place,
                             DiagnosticEngine &diags) {
  std::vector<std::string> outputs = compass::outputNames(network);
  bool ok = thresholds.ofSigmoids >= 0 && thresholds.ofSigmoids <= 1;
  if (!ok)
    diags
        .report(diag::ConfigBadValue, place,
                "the threshold is outside of a sigmoid's range")
        .found(thresholdText(thresholds.ofSigmoids))
        .expected("a number from 0 to 1")
        .hint("for other outputs, such as logits, give output=number");
  for (const auto &[name, value] : thresholds.byOutput) {
    if (llvm::is_contained(outputs, name))
      continue;
    ok = false;
    diags
        .report(diag::ConfigBadValue, place,
                "a threshold names an output that the network does not have")
        .found(name)
        .expected(llvm::join(outputs, ", "))
        .suggest(name, outputs);
  }
  return ok;
}
