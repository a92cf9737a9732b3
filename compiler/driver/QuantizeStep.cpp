//===- QuantizeStep.cpp - From float IR on disk to integer IR on disk -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/QuantizeStep.h"
#include "compiler/driver/FormOptions.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/Settings.h"
#include "compiler/pipeline/Quantize.h"
#include "dialects/compass/Execution.h"
#include "parser/compass/CompassReader.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;
using config::BuildConfig;

static std::optional<std::vector<NpyView>>
readCalibration(const BuildConfig &config, yarrow::DiagnosticEngine &diags) {
  if (config.calibrationData.empty()) {
    diags
        .report(DiagId::ConfigMissingKey, {config.fileName},
                "no calibration data: the ranges of activations cannot be "
                "known without samples")
        .hint("give calibration_data, or --calibration-data file.npy");
    return std::nullopt;
  }
  std::vector<std::string> paths = splitList(config.calibrationData);
  bool ok = true;
  for (const std::string &path : paths)
    if (!std::filesystem::exists(path)) {
      ok = false;
      diags
          .report(DiagId::FileUnreadable, {path},
                  "the calibration data are not there")
          .hint("--calibration-data file.npy names others");
    }
  if (!ok)
    return std::nullopt;
  return readArrays(paths, diags);
}

/// Shuffled data would only change which samples share a batch.
static void noteShuffle(const BuildConfig &config,
                        yarrow::DiagnosticEngine &diags) {
  if (config.calibrationShuffle)
    diags
        .report(DiagId::ConfigNotApplied,
                config.place("Optimizer.calibration_shuffe"),
                "calibration_shuffe is not applied")
        .hint("samples are taken in the order of the file, so that every build "
              "gives the same bytes");
}

/// The target for which forms are chosen; nullopt if none is to be.
static std::optional<isa::Machine>
winogradTarget(const BuildConfig &config, yarrow::DiagnosticEngine &diags) {
  if (winogradSettings(config).use == FormUse::Off)
    return std::nullopt;
  if (!config.target.empty())
    return targetAt(config.target, config.place("GBuilder.target"), diags);
  diags
      .report(DiagId::ConfigNotApplied, config.place("Optimizer.with_winograd"),
              "with_winograd is not applied: there is no target")
      .hint("target in [GBuilder] or --target says for which machine cycles "
            "are counted");
  return std::nullopt;
}

/// How \p task quantizes for \p machine; \p result gets the decision.
static void chooseFormsFor(const isa::Machine &machine,
                           const BuildConfig &config,
                           const CompileOptions &compile, Driver &driver,
                           QuantizedModel &result, QuantizeTask &task) {
  task.quantize = [&](ModuleOp cleaned, const Calibration &calibration,
                      const QuantizerOptions &options) {
    auto isWanted = [&](const LayerForm &, Operation *op) {
      return config.withWinograd.get(layerKeyOf(op));
    };
    return quantizeInForms(
        {cleaned, calibration, options, *task.samples}, isWanted,
        formSearch(winogradSettings(config), machine, compile, driver),
        driver.diags, result.winograd.emplace());
  };
}

static void nameResult(const BuildConfig &config, QuantizedModel &result) {
  std::filesystem::path folder(config.outputDir);
  result.txtPath = (folder / (config.outIrName + ".txt")).string();
  result.binPath = (folder / (config.outIrName + ".bin")).string();
}

static bool writeResult(const BuildConfig &config, QuantizedModel &result,
                        yarrow::DiagnosticEngine &diags) {
  return makeFolder(config.outputDir, diags) &&
         compass::writeCompassIr(*result.quantized, result.txtPath,
                                 result.binPath, diags);
}

/// An IR that is quantized already is taken as it is.
static std::optional<QuantizedModel> takeAsIs(OwningOpRef<ModuleOp> module,
                                              const BuildConfig &config) {
  QuantizedModel result;
  result.quantized = std::move(module);
  result.txtPath = config.graph;
  result.binPath = config.bin;
  return result;
}

std::optional<QuantizedModel>
yarrow::quantizeStep(OwningOpRef<ModuleOp> module, const BuildConfig &config,
                     const CompileOptions &compile, Driver &driver) {
  if (config.skipOptimization || isQuantized(*module))
    return takeAsIs(std::move(module), config);
  if (!compass::checkExecutable(*module, driver.diags))
    return std::nullopt;
  std::optional<std::vector<NpyView>> samples =
      readCalibration(config, driver.diags);
  noteShuffle(config, driver.diags);
  std::size_t errorsBefore = driver.diags.numErrors();
  std::optional<isa::Machine> machine = winogradTarget(config, driver.diags);
  bool hasTarget = driver.diags.numErrors() == errorsBefore;
  recordLayerIds(*module);
  QuantizedModel result;
  nameResult(config, result);
  driver.files.reads(config.graph);
  driver.files.writes({result.txtPath, result.binPath});
  if (!driver.files.check(driver.diags))
    return std::nullopt;
  QuantizeTask task;
  task.samples = samples ? &*samples : nullptr;
  task.progress = driver.progressOf("calibrate");
  task.options = [&](ModuleOp original,
                     ModuleOp cleaned) -> std::optional<QuantizerOptions> {
    std::optional<QuantizerOptions> options =
        quantizerOptions(config, cleaned, driver.diags);
    result.rules = useOfRules(config, original, cleaned, driver.diags);
    return samples && hasTarget ? options : std::nullopt;
  };
  if (machine)
    chooseFormsFor(*machine, config, compile, driver, result, task);
  std::optional<QuantizedNetwork> networks =
      quantizeNetwork(std::move(module), task, driver.diags);
  if (!networks)
    return std::nullopt;
  result.original = std::move(networks->original);
  result.quantized = std::move(networks->quantized);
  result.calibrationSamples = networks->calibrationSamples;
  if (!writeResult(config, result, driver.diags))
    return std::nullopt;
  auto line = driver.progress("compare layers", 0);
  auto layers = compareNetworks(*networks->cleaned, *result.quantized, *samples,
                                kComparedSamples, driver.diags);
  if (!layers)
    return std::nullopt;
  result.layers = std::move(*layers);
  return result;
}
