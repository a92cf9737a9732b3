//===- Quantize.cpp - From a float network to an integer one --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Quantize.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/cleanup/Cleanup.h"
#include "quantizer/Quantizer.h"
#include "quantizer/calibrate/ConstantRanges.h"
#include "quantizer/calibrate/IrRanges.h"
#include "quantizer/calibrate/PairedNetworks.h"
#include "quantizer/calibrate/StatisticsFile.h"
#include "quantizer/choices/SteepInputs.h"
#include "quantizer/masks/MaskRanges.h"

using namespace yarrow;
using namespace mlir;

static std::unique_ptr<Calibration> calibrate(ModuleOp cleaned,
                                              const QuantizeTask &task,
                                              QuantizerOptions &options,
                                              yarrow::DiagnosticEngine &diags) {
  prepareNetwork(cleaned);
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

std::optional<QuantizedNetwork>
yarrow::quantizeNetwork(OwningOpRef<ModuleOp> network, const QuantizeTask &task,
                        yarrow::DiagnosticEngine &diags) {
  QuantizedNetwork result;
  result.original = cast<ModuleOp>((*network)->clone());
  result.cleaned = std::move(network);
  ModuleOp cleaned = *result.cleaned;
  if (!runCleanup(cleaned, diags))
    return std::nullopt;
  std::optional<QuantizerOptions> options =
      task.options(*result.original, cleaned);
  if (!options)
    return std::nullopt;
  options->rangesInIr =
      std::make_shared<const IrRanges>(IrRanges::of(*result.original));
  std::unique_ptr<EncodingPlan> plan;
  if (task.encodings) {
    plan = planEncodings(*task.encodings, {*result.original, task.modelTensors},
                         cleaned, *options, diags);
    if (!plan)
      return std::nullopt;
  }
  std::unique_ptr<Calibration> measured =
      calibrate(cleaned, task, *options, diags);
  if (!measured)
    return std::nullopt;
  if (plan)
    applyEncodings(*plan, *measured);
  if (task.takesPixels)
    for (Value input : compass::callerInputValues(compass::mainGraph(cleaned)))
      measured->setMasked(input, {0, 255});
  std::shared_ptr<const Calibration> calibration = std::move(measured);
  result.calibrationSamples = calibration->sampleCount();
  // None where statistics take the place of calibration.
  static const std::vector<NpyView> kNoSamples;
  chooseSteepInputs(cleaned, *calibration,
                    task.samples ? *task.samples : kNoSamples, *options, diags);
  MethodTask methods{cleaned,       *calibration,
                     *options,      task.samples ? *task.samples : kNoSamples,
                     task.quantize, task.methodProgress,
                     task.improve};
  std::optional<MethodResult> quantized = applyMethods(methods, diags);
  if (!quantized)
    return std::nullopt;
  result.quantized = std::move(quantized->quantized);
  if (plan)
    checkEncodings(*plan, *result.quantized, diags);
  result.methods = std::move(quantized->applied);
  result.calibration = std::move(calibration);
  result.options = std::move(task.improve ? quantized->options : *options);
  return result;
}

OwningOpRef<ModuleOp> yarrow::quantizeLike(const QuantizedNetwork &like,
                                           OwningOpRef<ModuleOp> network,
                                           yarrow::DiagnosticEngine &diags) {
  IRMapping map;
  ModuleOp observed = *like.cleaned;
  if (!runCleanup(*network, diags))
    return nullptr;
  prepareNetwork(*network);
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
