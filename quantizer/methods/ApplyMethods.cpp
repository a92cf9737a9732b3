//===- ApplyMethods.cpp - The methods of global_calibration ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/methods/ApplyMethods.h"

#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "quantizer/Quantizer.h"
#include "quantizer/masks/MaskRanges.h"
#include "quantizer/metrics/OutputLoss.h"
#include "quantizer/options/GlobalMethodKind.h"
#include "quantizer/rounding/KeptRounding.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <memory>

using namespace yarrow;
using mlir::ModuleOp;

/// The outputs are compared on so many samples at most, as more hardly change
/// the figure, and of large networks on fewer, as each is seen many times.
static constexpr std::size_t kMostSamples = 64, kLeastSamples = 12;
static constexpr uint64_t kMostElements = uint64_t(1) << 26;

static std::size_t samplesFor(mlir::ModuleOp network) {
  uint64_t elements = 1;
  network.walk([&](mlir::Operation *op) {
    for (mlir::Value v : op->getResults())
      if (compass::recordOf(op))
        elements += uint64_t(compass::describe(v).numElements());
  });
  return std::clamp<std::size_t>(kMostElements / elements, kLeastSamples,
                                 kMostSamples);
}

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
    OutputLoss loss;
  };

  /// Quantizes \p state by its options alone, or as the task says, and measures
  /// it; false after errors.
  bool quantize(State &state, const QuantizeNetwork &how);
  bool measure(State &state);
  /// Tries the methods of \p stage, one after the other; false after errors.
  bool runStage(GlobalMethod::Stage stage, std::vector<AppliedMethod> &applied);
  /// What runs behind the methods; false after errors.
  bool improve(MethodResult &result);
  std::optional<FinishedNetwork> tryOptions(const QuantizerOptions &options,
                                            const FinishedNetwork &like,
                                            DiagnosticEngine &problems);
  std::optional<FinishedNetwork> round(const QuantizerOptions &options,
                                       DiagnosticEngine &problems);
  /// What \p method makes of the state; nullopt after errors, and where there
  /// is nothing for it to do.
  std::optional<State> tryMethod(const GlobalMethod &method);
  std::optional<State> tryBefore(const GlobalMethod &method);
  std::optional<State> tryRounding(const GlobalMethod &method);
  RoundingProgress progressOf(const GlobalMethod &method) const;
  void notify(const AppliedMethod &done) const;

  const MethodTask &task;
  DiagnosticEngine &diags;
  /// Null if there is nothing to compare.
  std::shared_ptr<const OutputJudge> judge;
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
  if (!loss)
    return false;
  state.loss = std::move(*loss);
  return true;
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
  case GlobalMethodKind::BalanceChannels:
    isChanged = balanceChannels(input);
    break;
  case GlobalMethodKind::BalanceBounded:
    isChanged = balanceBounded(input);
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
        calibrateNetwork(next.network, task.samples, next.options, {}, diags);
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
  JointTask rounding{now.network,       *next.quantized, method,
                     now.options,       task.samples,    diags,
                     progressOf(method)};
  // It has run the network on its way.
  std::optional<OutputLoss> loss;
  if (judge)
    rounding.atEnd = [&](const JointForward &forward) {
      loss = judge->judgeRuns(
          [&](std::size_t sample) { return forward.intOutputs(sample); });
    };
  if (!roundWeights(rounding))
    return std::nullopt;
  if (loss)
    next.loss = std::move(*loss);
  else if (!measure(next))
    return std::nullopt;
  return next;
}

std::optional<MethodRun::State>
MethodRun::tryMethod(const GlobalMethod &method) {
  return method.record->stage == GlobalMethod::Stage::Rounding
             ? tryRounding(method)
             : tryBefore(method);
}

void MethodRun::notify(const AppliedMethod &done) const {
  if (done.isKept)
    return;
  diags
      .report(diag::QuantMethodWorse, {},
              done.name +
                  " is not kept: it does not make the network more exact")
      .found("SQNR of the outputs on the calibration samples " +
             formatFixed(done.afterDb, 1) + " dB, " +
             formatFixed(done.beforeDb, 1) + " dB without");
}

/// Whether the network is not worse with \p method. Room for samples that were
/// not seen costs those that were a little.
static bool isWorthIt(const GlobalMethod &method, const OutputLoss &with,
                      const OutputLoss &without) {
  constexpr double kOfAllDb = 0.5, kOfLeastDb = 1;
  bool makesRoom = method.record->kind == GlobalMethodKind::MseRanges;
  double allowedDb = makesRoom ? kOfAllDb : 0;
  return with.overallDb() >= without.overallDb() - allowedDb &&
         (!makesRoom || with.leastDb() >= without.leastDb() - kOfLeastDb);
}

bool MethodRun::runStage(GlobalMethod::Stage stage,
                         std::vector<AppliedMethod> &applied) {
  for (const GlobalMethod &method : task.options.methods) {
    if (method.record->stage != stage)
      continue;
    std::size_t errors = diags.numErrors();
    std::optional<State> next = tryMethod(method);
    if (diags.numErrors() != errors)
      return false;
    AppliedMethod done{std::string(method.record->name), now.loss.leastDb(),
                       now.loss.leastDb(), false};
    if (!next) {
      if (method.isAsked)
        diags.report(diag::ConfigNotApplied, {},
                     done.name + " is not applied: it fits no layer");
      applied.push_back(done);
      continue;
    }
    done.afterDb = next->loss.leastDb();
    done.isKept = isWorthIt(method, next->loss, now.loss);
    if (method.isAsked)
      notify(done);
    applied.push_back(done);
    if (!done.isKept)
      continue;
    if (next->network)
      now = std::move(*next);
    else
      now.quantized = std::move(next->quantized),
      now.loss = std::move(next->loss);
  }
  return true;
}

std::optional<FinishedNetwork>
MethodRun::tryOptions(const QuantizerOptions &options,
                      const FinishedNetwork &like, DiagnosticEngine &problems) {
  FinishedNetwork trial;
  trial.quantized =
      quantizedCopy(now.network, now.calibration, options, problems);
  if (!trial.quantized)
    return std::nullopt;
  keepRounding({now.network, *like.quantized, like.options}, *trial.quantized,
               options);
  std::optional<OutputLoss> loss = judge->judge(*trial.quantized, problems);
  if (!loss)
    return std::nullopt;
  trial.options = options;
  trial.loss = std::move(*loss);
  return trial;
}

std::optional<FinishedNetwork> MethodRun::round(const QuantizerOptions &options,
                                                DiagnosticEngine &problems) {
  // A run of its own, whose messages are the trial's.
  MethodRun trial(task, problems);
  trial.judge = judge;
  trial.now.network = now.network;
  trial.now.calibration = now.calibration;
  trial.now.options = options;
  FinishedNetwork finished;
  if (!trial.quantize(trial.now, {}) ||
      !trial.runStage(GlobalMethod::Stage::Rounding, finished.applied))
    return std::nullopt;
  finished.quantized = std::move(trial.now.quantized);
  finished.options = options;
  finished.loss = std::move(trial.now.loss);
  return finished;
}

bool MethodRun::improve(MethodResult &result) {
  FinishedNetwork finished;
  finished.quantized = std::move(now.quantized);
  finished.options = now.options;
  finished.loss = now.loss;
  FinishedTask improving{now.network, now.calibration, task.samples, *judge,
                         finished};
  improving.tryOptions = [&](const QuantizerOptions &options,
                             const FinishedNetwork &like,
                             DiagnosticEngine &problems) {
    return tryOptions(options, like, problems);
  };
  improving.round = [&](const QuantizerOptions &options,
                        DiagnosticEngine &problems) {
    return round(options, problems);
  };
  if (!task.improve(improving))
    return false;
  llvm::append_range(result.applied, finished.applied);
  now.quantized = std::move(finished.quantized);
  now.options = std::move(finished.options);
  now.loss = std::move(finished.loss);
  return true;
}

std::optional<MethodResult> MethodRun::run() {
  now.network = task.network;
  now.calibration = task.calibration;
  now.options = task.options;
  bool hasMethods = !task.options.methods.empty() && !task.samples.empty();
  if (!task.options.methods.empty() && !hasMethods)
    diags
        .report(diag::ConfigNotApplied, {},
                "global_calibration is not applied: there are no samples")
        .hint("give calibration_data, too: statistic_file only has ranges");
  if (hasMethods || (task.improve && !task.samples.empty())) {
    judge = OutputJudge::create(task.network, task.samples,
                                samplesFor(task.network), diags);
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
    if (!quantize(now, {}) || !runStage(Stage::Network, result.applied) ||
        !runStage(Stage::Ranges, result.applied))
      return std::nullopt;
  }
  if ((task.quantize || !now.quantized) && !quantize(now, task.quantize))
    return std::nullopt;
  if (hasMethods && !runStage(Stage::Rounding, result.applied))
    return std::nullopt;
  if (task.improve && judge && !improve(result))
    return std::nullopt;
  result.quantized = std::move(now.quantized);
  result.options = std::move(now.options);
  return result;
}

std::string yarrow::methodSummary(const std::vector<AppliedMethod> &applied) {
  std::string text;
  for (const AppliedMethod &m : applied)
    text += m.name + ": SQNR of the outputs " + formatFixed(m.beforeDb, 1) +
            " to " + formatFixed(m.afterDb, 1) + " dB" +
            (m.isKept ? "" : ", not kept") +
            (m.note.empty() ? "\n" : "; " + m.note + "\n");
  return text;
}

std::optional<MethodResult> yarrow::applyMethods(const MethodTask &task,
                                                 DiagnosticEngine &diags) {
  return MethodRun(task, diags).run();
}
