//===- ApplyMethods.cpp - The methods of global_calibration ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/methods/ApplyMethods.h"

#include "quantizer/Quantizer.h"
#include "quantizer/metrics/OutputLoss.h"
#include "quantizer/options/GlobalMethodKind.h"
#include "support/Format.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>

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

  /// Quantizes \p state by its options alone, or as the task says, and measures
  /// it; false after errors.
  bool quantize(State &state, const QuantizeNetwork &how);
  bool measure(State &state);
  /// Tries the methods of \p stage, one after the other; false after errors.
  bool runStage(GlobalMethod::Stage stage, MethodResult &result);
  /// What \p method makes of the state; nullopt after errors, and where there
  /// is nothing for it to do.
  std::optional<State> tryMethod(const GlobalMethod &method);
  std::optional<State> tryBefore(const GlobalMethod &method);
  std::optional<State> tryRounding(const GlobalMethod &method);
  RoundingProgress progressOf(const GlobalMethod &method) const;
  void tell(const AppliedMethod &done) const;

  const MethodTask &task;
  DiagnosticEngine &diags;
  std::unique_ptr<OutputJudge> judge; ///< Null if there is nothing to compare.
  State now;
};

} // namespace

bool MethodRun::quantize(State &state, const QuantizeNetwork &how) {
  state.quantized = how ? how(state.network, state.calibration, state.options)
                        : quantizedCopy(state.network, state.calibration,
                                        state.options, diags);
  return state.quantized && measure(state);
}

bool MethodRun::measure(State &state) {
  if (!judge)
    return true;
  std::optional<OutputLoss> loss = judge->judge(*state.quantized, diags);
  if (loss)
    state.sqnrDb = loss->sqnrDb();
  return loss.has_value();
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
  if (!quantize(next, {}))
    return std::nullopt;
  return next;
}

std::optional<MethodRun::State>
MethodRun::tryRounding(const GlobalMethod &method) {
  State next;
  next.quantized = mlir::cast<ModuleOp>((*now.quantized)->clone());
  if (!roundWeights({now.network, *next.quantized, method, now.options,
                     task.samples, diags, progressOf(method)}) ||
      !measure(next))
    return std::nullopt;
  return next;
}

std::optional<MethodRun::State>
MethodRun::tryMethod(const GlobalMethod &method) {
  return method.record->stage == GlobalMethod::Stage::Rounding
             ? tryRounding(method)
             : tryBefore(method);
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

bool MethodRun::runStage(GlobalMethod::Stage stage, MethodResult &result) {
  for (const GlobalMethod &method : task.options.methods) {
    if (method.record->stage != stage)
      continue;
    std::size_t errors = diags.numErrors();
    std::optional<State> next = tryMethod(method);
    if (diags.numErrors() != errors)
      return false;
    AppliedMethod done{std::string(method.record->name), now.sqnrDb, now.sqnrDb,
                       false};
    if (!next) {
      if (method.isAsked)
        diags.report(DiagId::ConfigNotApplied, {},
                     done.name + " is not applied: no layer is one for it");
      result.applied.push_back(done);
      continue;
    }
    done.afterDb = next->sqnrDb;
    // Not a number where there is no signal.
    done.isKept = !(next->sqnrDb < now.sqnrDb);
    if (method.isAsked)
      tell(done);
    result.applied.push_back(done);
    if (!done.isKept)
      continue;
    if (next->network)
      now = std::move(*next);
    else
      now.quantized = std::move(next->quantized), now.sqnrDb = next->sqnrDb;
  }
  return true;
}

std::optional<MethodResult> MethodRun::run() {
  now.network = task.network;
  now.calibration = task.calibration;
  now.options = task.options;
  bool hasMethods = !task.options.methods.empty() && !task.samples.empty();
  if (!task.options.methods.empty() && !hasMethods)
    diags
        .report(DiagId::ConfigNotApplied, {},
                "global_calibration is not applied: there are no samples")
        .hint("statistic_file gives ranges alone; with calibration_data as "
              "well, methods have samples");
  if (hasMethods) {
    judge =
        OutputJudge::create(task.network, task.samples, kMethodSamples, diags);
    if (!judge)
      return std::nullopt;
  }
  using Stage = GlobalMethod::Stage;
  MethodResult result;
  bool isBefore = llvm::any_of(task.options.methods, [](const auto &method) {
    return method.record->stage != Stage::Rounding;
  });
  // The task's own way may be a search: once, for what the methods have left.
  if (hasMethods && isBefore) {
    if (!quantize(now, {}) || !runStage(Stage::Network, result) ||
        !runStage(Stage::Ranges, result))
      return std::nullopt;
  }
  if ((task.quantize || !now.quantized) && !quantize(now, task.quantize))
    return std::nullopt;
  if (hasMethods && !runStage(Stage::Rounding, result))
    return std::nullopt;
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
