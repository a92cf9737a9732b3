//===- CompareStep.cpp - A quantized network beside the float one -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/CompareStep.h"
#include "compiler/config/Ini.h"
#include "compiler/diagnose/Findings.h"
#include "compiler/quantize/Settings.h"
#include "compiler/quantize/TensorDump.h"
#include "dialects/compass/Records.h"
#include "quantizer/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;
using config::BuildConfig;

/// Of scopes and types of fake_quant_* that no layer has.
static void warnOfUnused(const BuildConfig &config,
                         const QuantizedNetwork &networks,
                         yarrow::DiagnosticEngine &diags) {
  auto has = [&](auto &&isMeant) {
    bool any = false;
    (*networks.cleaned)->walk([&](Operation *op) {
      any |= compass::recordOf(op) && op->hasAttr(kLayerIdAttr) &&
             isMeant(layerKeyOf(op));
    });
    return any;
  };
  auto warn = [&](const std::string &key, const std::string &found) {
    diags
        .report(diag::RuleMatchesNothing, config.place("Optimizer." + key),
                key + " names a layer that does not exist")
        .found(found);
  };
  for (const config::LayerRange &range : config.fakeQuantScopes)
    if (!has([&](const config::LayerKey &key) {
          return range.first <= key.id && key.id <= range.last;
        }))
      warn("fake_quant_scopes_for_debug", "(" + std::to_string(range.first) +
                                              "," + std::to_string(range.last) +
                                              ")");
  for (const std::string &type : config.fakeQuantOperators)
    if (!has([&](const config::LayerKey &key) {
          return config::toLower(key.type) == config::toLower(type);
        }))
      warn("fake_quant_operators_for_debug", type);
}

/// With the layers of fake_quant_scopes_for_debug and of
/// fake_quant_operators_for_debug in floats: the network without the error that
/// these layers add. Null if the settings name no layer, or after errors.
static OwningOpRef<ModuleOp> debugged(const BuildConfig &config,
                                      const QuantizedNetwork &networks,
                                      yarrow::DiagnosticEngine &diags) {
  LayerOverride scopes, operators;
  for (const config::LayerRange &range : config.fakeQuantScopes)
    scopes.layerIds.emplace_back(unsigned(range.first), unsigned(range.last));
  operators.layerTypes = config.fakeQuantOperators;
  warnOfUnused(config, networks, diags);
  QuantizerOptions options = networks.options;
  for (LayerOverride *over : {&scopes, &operators}) {
    over->apply = [](LayerOptions &o) { o.floatType = ElementType::F32; };
    if (!over->layerIds.empty() || !over->layerTypes.empty())
      options.overrides.push_back(*over);
  }
  if (options.overrides.size() == networks.options.overrides.size())
    return nullptr;
  return quantizedCopy(*networks.cleaned, *networks.calibration, options,
                       diags);
}

bool yarrow::compareStep(const BuildConfig &config,
                         const QuantizedNetwork &networks,
                         const std::vector<NpyView> &samples,
                         CompareDetail detail, QuantizedModel &result,
                         const Work &work) {
  if (samples.empty())
    return true;
  auto step = work.begin("compare layers");
  std::size_t errorsBefore = work.diags.numErrors();
  result.debugged = debugged(config, networks, work.diags);
  if (work.diags.numErrors() != errorsBefore)
    return false;
  std::size_t count = kComparedSamples;
  if (config.isSet("Optimizer.similarity_data_num"))
    count = std::size_t(config.similarityDataNum) *
            std::size_t(config.calibrationBatchSize);
  auto layers = compareNetworks(
      *networks.cleaned, result.debugged ? *result.debugged : *result.quantized,
      samples, count, work.diags, detail, config.thresholds);
  if (!layers)
    return false;
  result.layers = std::move(*layers);
  if (!config.dumpTensors)
    return true;
  std::filesystem::path folder(config.dumpDir);
  return dumpTensors(*networks.cleaned, samples, (folder / "float32").string(),
                     work.diags) &&
         dumpTensors(*result.quantized, samples, (folder / "quant").string(),
                     work.diags);
}

std::optional<double>
yarrow::extremaSqnrDb(const BuildConfig &config,
                      const QuantizedNetwork &networks,
                      const std::vector<NpyView> &samples) {
  if (!isSuspect(config.calibrationStrategyForActivation.global))
    return std::nullopt;
  QuantizerOptions options = networks.options;
  LayerOverride extrema;
  extrema.apply = [](LayerOptions &o) {
    o.activationStrategy = {CalibrationStrategy::Kind::Extrema};
  };
  options.overrides.push_back(extrema);
  std::optional<Calibration> calibration =
      networks.calibration->forOptions(options);
  // Why it is not possible is nobody's concern.
  yarrow::DiagnosticEngine unread;
  ModuleOp cleaned = *networks.cleaned;
  auto quantized = calibration
                       ? quantizedCopy(cleaned, *calibration, options, unread)
                       : OwningOpRef<ModuleOp>();
  auto outputs = quantized ? compareNetworks(cleaned, *quantized, samples,
                                             kComparedSamples, unread,
                                             CompareDetail::Outputs)
                           : std::nullopt;
  return outputs ? std::optional(outputSqnrDb(*outputs)) : std::nullopt;
}
