//===- DisabledPasses.cpp - Optimisations to leave out ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/DisabledPasses.h"
#include "support/diagnostics/Settings.h"

using namespace yarrow;

std::optional<std::vector<npu::Optimization>>
yarrow::disabledPasses(const std::vector<std::string> &names,
                       const Place &place, DiagnosticEngine &diags) {
  std::vector<npu::Optimization> disabled;
  std::vector<std::string> known;
  std::string all;
  for (const npu::OptimizationRecord &record : npu::kOptimizations) {
    known.emplace_back(record.name);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  bool isGood = true;
  for (const std::string &name : names) {
    if (auto found = npu::findOptimization(name)) {
      disabled.push_back(*found);
      continue;
    }
    isGood = false;
    std::string nearest = didYouMean(nearestName(name, known));
    diags
        .report(diag::ConfigBadValue, place,
                name + " is not an optimisation that you can leave out")
        .expected(all)
        .hint(nearest.empty() ? "leave all of them out with --no-optimize"
                              : nearest);
  }
  return isGood ? std::optional(disabled) : std::nullopt;
}
