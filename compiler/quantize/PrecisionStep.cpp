//===- PrecisionStep.cpp - Mixed precision as commands ask for it ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/PrecisionStep.h"

#include "compiler/config/PictureSettings.h"
#include "compiler/forms/CycleCount.h"
#include "compiler/model/Models.h"
#include "compiler/work/Preflight.h"
#include "quantizer/metrics/Accuracy.h"
#include "support/diagnostics/Settings.h"

using namespace yarrow;
using mlir::ModuleOp;

std::optional<PrecisionPlan>
yarrow::planPrecision(const PrecisionStep &step, const FloatOrigin &origin,
                      const isa::Machine &machine,
                      const CompileOptions &compile, const Work &work) {
  PrecisionTask task{origin, *step.data, step.precisions, step.goal,
                     [&](ModuleOp network, yarrow::DiagnosticEngine &diags) {
                       return countCycles(network, machine, compile, diags);
                     }};
  task.maxSamples = step.maxSamples;
  task.progress = work.progressOfSteps();
  return searchPrecision(task, work.diags);
}

std::optional<double>
AccuracyDrop::accuracyOf(ModuleOp network, bool isFloat,
                         yarrow::DiagnosticEngine &diags) const {
  AccuracyTask task;
  (isFloat ? task.floating : task.integer) = network;
  task.data = data;
  task.labels = {labels};
  task.topK = {topK};
  task.maxSamples = maxSamples;
  task.integersAreReal = true;
  std::optional<AccuracyResult> result = measureAccuracy(task, diags);
  if (!result)
    return std::nullopt;
  return result->rows.front().topPercent.front() / 100;
}

bool AccuracyDrop::measureFloat(ModuleOp network,
                                yarrow::DiagnosticEngine &diags) {
  std::optional<double> accuracy = accuracyOf(network, true, diags);
  floatAccuracy = accuracy.value_or(0);
  return accuracy.has_value();
}

std::optional<double> AccuracyDrop::of(ModuleOp network,
                                       yarrow::DiagnosticEngine &diags) const {
  std::optional<double> accuracy = accuracyOf(network, false, diags);
  if (!accuracy)
    return std::nullopt;
  return floatAccuracy - *accuracy;
}

/// What a configuration without a target is searched for.
static constexpr const char kDefaultTarget[] = "X2_1204";

/// The first metric and what it needs.
static std::optional<unsigned> firstMetric(const config::BuildConfig &config,
                                           yarrow::DiagnosticEngine &diags) {
  const char *lacks = config.metrics.empty() ? "metric"
                      : config.data.empty()  ? "data"
                      : config.label.empty() ? "label"
                                             : nullptr;
  std::optional<unsigned> topK;
  if (!lacks)
    topK = topKOf(config.metrics[0].name, config.metrics[0].arguments);
  if (topK)
    return topK;
  diags
      .report(diag::ConfigNotApplied,
              config.place("Optimizer.mixed_precision_auto_search"),
              "mixed_precision_auto_search is not applied")
      .found(lacks ? std::string("no ") + lacks
                   : "the metric " + config.metrics[0].name)
      .expected("metric = TopKMetric or TopKMetric(k), data and label")
      .hint("`yarrow search` needs no labels: it compares with the float "
            "network");
  return std::nullopt;
}

std::optional<PrecisionPlan>
yarrow::searchAsConfigured(const config::BuildConfig &config,
                           const FloatOrigin &origin,
                           const CompileOptions &compile, const Work &work) {
  const config::PrecisionTarget &target = config.mixedPrecision;
  std::optional<unsigned> topK = firstMetric(config, work.diags);
  auto machine =
      targetAt(config.target.empty() ? kDefaultTarget : config.target,
               config.place("GBuilder.target"), work.diags);
  if (!topK || !machine)
    return std::nullopt;
  auto pictures = config::pictureOptions(config, work.diags);
  auto data = pictures
                  ? readArrays(dataFor(origin.network, config.data, *pictures),
                               work.diags)
                  : std::nullopt;
  auto labels = readNpy(config.label, work.diags);
  if (!data || !labels)
    return std::nullopt;
  std::size_t samples =
      std::size_t(target.batches) * std::size_t(config.metricBatchSize);
  AccuracyDrop drop(*data, *labels, *topK, samples);
  ModuleOp network = origin.network;
  if (!drop.measureFloat(network, work.diags))
    return std::nullopt;
  PrecisionStep step;
  step.data = &origin.samples;
  step.goal.isGoodEnough = [&](ModuleOp candidate) -> std::optional<bool> {
    std::optional<double> fall = drop.of(candidate, work.diags);
    if (!fall)
      return std::nullopt;
    return target.isFallAtMost ? *fall <= target.threshold
                               : *fall >= target.threshold;
  };
  std::optional<PrecisionPlan> plan;
  for (const char *most : {"16", "float32"}) {
    step.precisions.clear();
    for (const char *name : {"given", "16", most})
      if (step.precisions.empty() || step.precisions.back().name != name)
        step.precisions.push_back(*Precision::parse(name));
    plan = planPrecision(step, origin, *machine, compile, work);
    if (!plan || plan->isMet)
      return plan;
  }
  work.diags
      .report(diag::ConfigNotApplied,
              config.place("Optimizer.mixed_precision_auto_search"),
              "no mixture of bits meets mixed_precision_auto_search")
      .hint("Yarrow uses the most exact mixture; try another threshold");
  return plan;
}
