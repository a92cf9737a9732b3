//===- Quantize.cpp - From a float network to an integer one --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Quantize.h"
#include "compiler/pipeline/Phases.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/cleanup/Cleanup.h"
#include "quantizer/Quantizer.h"
#include "quantizer/calibrate/ConstantRanges.h"
#include "quantizer/calibrate/IrRanges.h"
#include "quantizer/calibrate/PairedNetworks.h"
#include "quantizer/calibrate/RangeAttributes.h"
#include "quantizer/calibrate/StatisticsFile.h"
#include "quantizer/choices/SteepInputs.h"
#include "quantizer/masks/MaskRanges.h"
#include "support/Cancellation.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace mlir;

static std::unique_ptr<Calibration> calibrate(ModuleOp cleaned,
                                              const QuantizeTask &task,
                                              QuantizerOptions &options,
                                              yarrow::DiagnosticEngine &diags) {
  prepareNetwork(cleaned, options);
  const StatisticsFiles &files = task.statistics;
  StatisticsOrigin origin;
  if (!files.read.empty() || !files.write.empty())
    origin = {digestOfNetwork(cleaned),
              task.samples ? digestOfSamples(*task.samples) : ""};
  if (!files.read.empty())
    return readStatistics(files.read, cleaned, options, origin,
                          files.ignoreMissing, diags);
  if (!task.samples)
    return calibrateConstants(cleaned, options);
  options.takesAllStatistics = !files.write.empty();
  auto calibration = calibrateNetwork(cleaned, *task.samples, options,
                                      task.progress, diags, task.ranks);
  if (calibration && !files.write.empty() &&
      !writeStatistics(files.write, cleaned, *calibration, options, origin,
                       diags))
    return nullptr;
  return calibration;
}

// None where statistics take the place of calibration.
static const std::vector<NpyView> kNoSamples;

namespace {
/// The phases of one network, which share what they find out.
class NetworkPhases {
public:
  NetworkPhases(const QuantizeTask &task, yarrow::DiagnosticEngine &diags)
      : task(task), diags(diags) {}

  /// Takes \p network to the end of the phase \p last. False after errors.
  bool run(ModuleOp network, const std::string &last);

  QuantizedNetwork result; ///< Without quantized.

private:
  bool calibrateNetwork(ModuleOp cleaned);
  bool quantize(OwningOpRef<ModuleOp> &network);

  const QuantizeTask &task;
  yarrow::DiagnosticEngine &diags;
  std::unique_ptr<EncodingPlan> plan;
};
} // namespace

bool NetworkPhases::calibrateNetwork(ModuleOp cleaned) {
  std::optional<QuantizerOptions> options =
      task.options(*result.original, cleaned);
  if (!options)
    return false;
  options->rangesInIr =
      std::make_shared<const IrRanges>(IrRanges::of(*result.original));
  if (task.encodings) {
    plan = planEncodings(*task.encodings, {*result.original, task.modelTensors},
                         cleaned, *options, diags);
    if (!plan)
      return false;
  }
  std::unique_ptr<Calibration> measured =
      calibrate(cleaned, task, *options, diags);
  if (!measured)
    return false;
  if (plan)
    applyEncodings(*plan, *measured);
  if (task.takesPixels)
    for (Value input : compass::callerInputValues(compass::mainGraph(cleaned)))
      measured->setMasked(input, {0, 255});
  recordRanges(cleaned, *measured);
  result.calibrationSamples = measured->sampleCount();
  result.calibration = std::move(measured);
  result.options = std::move(*options);
  return true;
}

bool NetworkPhases::quantize(OwningOpRef<ModuleOp> &network) {
  dropRanges(*network);
  result.cleaned = std::move(network);
  ModuleOp cleaned = *result.cleaned;
  const std::vector<NpyView> &samples =
      task.samples ? *task.samples : kNoSamples;
  chooseSteepInputs(cleaned, *result.calibration, samples, result.options,
                    diags);
  MethodTask methods{cleaned,     *result.calibration, result.options,
                     samples,     task.quantize,       task.methodProgress,
                     task.improve};
  std::optional<MethodResult> quantized = applyMethods(methods, diags);
  if (!quantized)
    return false;
  if (plan)
    checkEncodings(*plan, *quantized->quantized, diags);
  network = std::move(quantized->quantized);
  result.methods = std::move(quantized->applied);
  if (task.improve)
    result.options = std::move(quantized->options);
  return true;
}

bool NetworkPhases::run(ModuleOp network, const std::string &last) {
  result.original = cast<ModuleOp>(network->clone());
  PhaseOptions phases{.first = "read", .last = last};
  phases.calibrate = [this](ModuleOp module) {
    return calibrateNetwork(module);
  };
  phases.quantize = [this](OwningOpRef<ModuleOp> &module) {
    return quantize(module);
  };
  compass::DiagnosticForwarder forward(network.getContext(), diags,
                                       diag::OpInvalid);
  PassManager pm(network.getContext());
  buildPhases(pm, phases);
  bool isDone = false;
  {
    // MLIR has no exceptions, which would have to pass its frames.
    CancellationPause library;
    isDone = succeeded(pm.run(network));
  }
  leaveIfCancelled();
  return isDone;
}

std::optional<QuantizedNetwork>
yarrow::quantizeNetwork(OwningOpRef<ModuleOp> network, const QuantizeTask &task,
                        yarrow::DiagnosticEngine &diags) {
  NetworkPhases phases(task, diags);
  if (!phases.run(*network, "quantize"))
    return std::nullopt;
  phases.result.quantized = std::move(network);
  return std::move(phases.result);
}

OwningOpRef<ModuleOp> yarrow::quantizeUntil(OwningOpRef<ModuleOp> network,
                                            const QuantizeTask &task,
                                            const std::string &last,
                                            yarrow::DiagnosticEngine &diags) {
  NetworkPhases phases(task, diags);
  return phases.run(*network, last) ? std::move(network) : nullptr;
}

OwningOpRef<ModuleOp> yarrow::quantizeLike(const QuantizedNetwork &like,
                                           OwningOpRef<ModuleOp> network,
                                           yarrow::DiagnosticEngine &diags) {
  IRMapping map;
  ModuleOp observed = *like.cleaned;
  if (!runCleanup(*network, diags))
    return nullptr;
  prepareNetwork(*network, like.options);
  if (!pairNetworks(observed, *network, map, diags))
    return nullptr;
  Calibration calibration = like.calibration->forCopy(map);
  if (!quantizeModule(*network, calibration, like.options, diags))
    return nullptr;
  return network;
}

std::unique_ptr<QuantizeSession>
QuantizeSession::create(OwningOpRef<ModuleOp> network,
                        const std::vector<NpyView> &samples,
                        yarrow::DiagnosticEngine &diags) {
  std::unique_ptr<QuantizeSession> session(new QuantizeSession(samples));
  session->networks[0] = cast<ModuleOp>((*network)->clone());
  session->networks[1] = std::move(network);
  if (!runCleanup(session->cleaned(), diags))
    return nullptr;
  session->rangesInIr =
      std::make_shared<const IrRanges>(IrRanges::of(session->original()));
  return session;
}

std::shared_ptr<const Calibration>
QuantizeSession::calibrate(const QuantizerOptions &options,
                           yarrow::DiagnosticEngine &diags,
                           const CalibrationProgress &progress) {
  for (const std::shared_ptr<const Calibration> &known : calibrations)
    if (std::optional<Calibration> same = known->forOptions(options))
      return std::make_shared<const Calibration>(std::move(*same));
  QuantizerOptions withRanges = options;
  withRanges.rangesInIr = rangesInIr;
  std::shared_ptr<const Calibration> calibration =
      calibrateNetwork(cleaned(), samples, withRanges, progress, diags);
  if (calibration)
    calibrations.push_back(calibration);
  return calibration;
}

OwningOpRef<ModuleOp>
QuantizeSession::quantize(const QuantizerOptions &options,
                          yarrow::DiagnosticEngine &diags) {
  std::shared_ptr<const Calibration> calibration = calibrate(options, diags);
  if (!calibration)
    return nullptr;
  QuantizerOptions adapted = options;
  chooseSteepInputs(cleaned(), *calibration, samples, adapted, diags);
  MethodTask task{cleaned(), *calibration, adapted, samples};
  std::optional<MethodResult> result = applyMethods(task, diags);
  return result ? std::move(result->quantized) : nullptr;
}
