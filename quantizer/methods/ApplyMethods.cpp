//===- ApplyMethods.cpp - The methods of global_calibration ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/methods/ApplyMethods.h"

#include "quantizer/Quantizer.h"
#include "quantizer/metrics/Metrics.h"
#include "quantizer/options/GlobalMethodKind.h"
#include "support/Format.h"

#include <algorithm>

using namespace yarrow;
using mlir::ModuleOp;

/// The outputs are compared on so many samples: more hardly change the figure.
static constexpr std::size_t kMethodSamples = 64;

namespace {

class MethodRun {
public:
  MethodRun(const MethodTask &task, DiagnosticEngine &diags)
      : task(task), diags(diags) {}

  std::optional<MethodResult> run();

private:
  /// A float network with how it is quantized, and what comes of that.
  struct State {
    mlir::OwningOpRef<ModuleOp> owned; ///< Null: the task's network.
    ModuleOp network;
    Calibration calibration;
    QuantizerOptions options;
    mlir::OwningOpRef<ModuleOp> quantized;
    double sqnrDb = 0;
  };

  std::optional<double> measure(ModuleOp quantized);
  /// What \p method makes of the state; nullopt after errors, and where there
  /// is nothing for it to do.
  std::optional<State> tryMethod(const GlobalMethod &method);
  std::optional<State> tryBefore(const GlobalMethod &method);
  std::optional<State> tryRounding(const GlobalMethod &method);
  RoundingProgress progressOf(const GlobalMethod &method) const;
  void tell(const AppliedMethod &done) const;

  const MethodTask &task;
  DiagnosticEngine &diags;
  State now;
};

} // namespace

std::optional<double> MethodRun::measure(ModuleOp quantized) {
  auto metrics = compareNetworks(task.network, quantized, task.samples,
                                 kMethodSamples, diags, CompareDetail::Outputs);
  if (!metrics)
    return std::nullopt;
  return outputSqnrDb(*metrics);
}

RoundingProgress MethodRun::progressOf(const GlobalMethod &method) const {
  if (!task.progress)
    return {};
  return [&](std::size_t done, std::size_t total) {
    task.progress(method, done, total);
  };
}

std::optional<MethodRun::State>
MethodRun::tryBefore(const GlobalMethod &method) {
  mlir::IRMapping map;
  State next;
  next.owned = mlir::cast<ModuleOp>(now.network->clone(map));
  next.network = *next.owned;
  next.calibration = now.calibration.forCopy(map);
  next.options = now.options;
  MethodInput input{next.network,   next.calibration,  next.options,
                    *now.quantized, task.samples,      method,
                    diags,          progressOf(method)};
  bool isChanged = false;
  switch (method.record->kind) {
  case GlobalMethodKind::Equalize:
    isChanged = equalizeLayers(input);
    break;
  case GlobalMethodKind::SmoothQuant:
  case GlobalMethodKind::Awq:
    isChanged = smoothChannels(input);
    break;
  case GlobalMethodKind::MvnCorrection:
    isChanged = correctNormRanges(input);
    break;
  case GlobalMethodKind::MseRanges:
    isChanged = chooseMseRanges(input);
    break;
  case GlobalMethodKind::SvdQuant:
    isChanged = chooseDenoisedRanges(input);
    break;
  case GlobalMethodKind::HessianScales:
    isChanged = chooseHessianScales(input);
    break;
  case GlobalMethodKind::EasyQuant:
    isChanged = chooseEasyScales(input);
    break;
  default:
    break;
  }
  if (!isChanged)
    return std::nullopt;
  // Tensors between layers that changed have other ranges.
  if (method.record->stage == GlobalMethod::Stage::Network) {
    auto measured =
        Calibration::run(next.network, task.samples, next.options, {}, diags);
    if (!measured)
      return std::nullopt;
    next.calibration = std::move(*measured);
  }
  next.quantized = task.quantize(next.network, next.calibration, next.options);
  if (!next.quantized)
    return std::nullopt;
  return next;
}

std::optional<MethodRun::State>
MethodRun::tryRounding(const GlobalMethod &method) {
  State next;
  next.quantized = mlir::cast<ModuleOp>((*now.quantized)->clone());
  if (!roundWeights(now.network, *next.quantized, method, now.options,
                    task.samples, progressOf(method), diags))
    return std::nullopt;
  return next;
}

std::optional<MethodRun::State>
MethodRun::tryMethod(const GlobalMethod &method) {
  bool isRounding = method.record->stage == GlobalMethod::Stage::Rounding;
  std::optional<State> next =
      isRounding ? tryRounding(method) : tryBefore(method);
  if (!next)
    return std::nullopt;
  std::optional<double> db = measure(*next->quantized);
  if (!db)
    return std::nullopt;
  next->sqnrDb = *db;
  return next;
}

void MethodRun::tell(const AppliedMethod &done) const {
  if (done.isKept)
    return;
  diags
      .report(DiagId::QuantMethodWorse, {},
              done.name + " is not kept: the network is not more exact with it")
      .found("SQNR of the outputs on the calibration samples " +
             formatFixed(done.afterDb, 1) + " dB, " +
             formatFixed(done.beforeDb, 1) + " dB without");
}

std::optional<MethodResult> MethodRun::run() {
  now.network = task.network;
  mlir::IRMapping same;
  now.calibration = task.calibration;
  now.options = task.options;
  now.quantized = task.quantize(now.network, now.calibration, now.options);
  MethodResult result;
  if (!now.quantized)
    return std::nullopt;
  std::vector<GlobalMethod> methods = task.options.methods;
  std::stable_sort(methods.begin(), methods.end(),
                   [](const GlobalMethod &a, const GlobalMethod &b) {
                     return a.record->stage < b.record->stage;
                   });
  if (!methods.empty() && task.samples.empty()) {
    methods.clear();
    diags
        .report(DiagId::ConfigNotApplied, {},
                "global_calibration is not applied: there are no samples")
        .hint("statistic_file gives ranges alone; with calibration_data as "
              "well, methods have samples");
  }
  if (!methods.empty()) {
    std::optional<double> db = measure(*now.quantized);
    if (!db)
      return std::nullopt;
    now.sqnrDb = *db;
  }
  for (const GlobalMethod &method : methods) {
    std::size_t errors = diags.numErrors();
    std::optional<State> next = tryMethod(method);
    if (diags.numErrors() != errors)
      return std::nullopt;
    AppliedMethod done{std::string(method.record->name), now.sqnrDb, now.sqnrDb,
                       false};
    if (!next) {
      diags.report(DiagId::ConfigNotApplied, {},
                   done.name + " is not applied: no layer is one for it");
      result.applied.push_back(done);
      continue;
    }
    done.afterDb = next->sqnrDb;
    // Not a number where there is no signal.
    done.isKept = !(next->sqnrDb < now.sqnrDb);
    tell(done);
    result.applied.push_back(done);
    if (!done.isKept)
      continue;
    if (next->network)
      now = std::move(*next);
    else
      now.quantized = std::move(next->quantized), now.sqnrDb = next->sqnrDb;
  }
  result.quantized = std::move(now.quantized);
  return result;
}

std::string yarrow::methodSummary(const std::vector<AppliedMethod> &applied) {
  std::string text;
  for (const AppliedMethod &m : applied)
    text += m.name + ": SQNR of the outputs " + formatFixed(m.beforeDb, 1) +
            " to " + formatFixed(m.afterDb, 1) + " dB" +
            (m.isKept ? "\n" : ", not kept\n");
  return text;
}

std::optional<MethodResult> yarrow::applyMethods(const MethodTask &task,
                                                 DiagnosticEngine &diags) {
  return MethodRun(task, diags).run();
}
