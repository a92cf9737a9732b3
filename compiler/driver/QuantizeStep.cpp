//===- QuantizeStep.cpp - From float IR on disk to integer IR on disk -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/QuantizeStep.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/Settings.h"
#include "dialects/compass/Execution.h"
#include "parser/compass/CompassReader.h"
#include "passes/cleanup/Cleanup.h"
#include "quantizer/Quantizer.h"
#include "support/Format.h"
#include "support/TextTable.h"

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

static std::unique_ptr<Calibration>
calibrate(ModuleOp module, const std::vector<NpyView> &samples,
          const QuantizerOptions &options, Driver &driver) {
  std::size_t numDone = 0;
  std::unique_ptr<Progress> line;
  return Calibration::run(
      module, samples, options,
      [&](std::size_t done, std::size_t total) {
        if (!line)
          line = driver.progress("calibrate", total);
        line->advance(done - std::min(done, numDone));
        numDone = done;
      },
      driver.diags);
}

/// The target for which Winograd is decided; nullopt if none is to be.
static std::optional<isa::Machine>
winogradTarget(const BuildConfig &config, yarrow::DiagnosticEngine &diags) {
  if (winogradSettings(config).use == WinogradUse::Off)
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

/// \p module stays as it is. Null after errors.
static OwningOpRef<ModuleOp>
calibrateAndQuantize(ModuleOp module, const std::vector<NpyView> &samples,
                     const QuantizerOptions &options, const BuildConfig &config,
                     const CompileOptions &compile, Driver &driver,
                     QuantizedModel &result) {
  std::size_t errorsBefore = driver.diags.numErrors();
  std::optional<isa::Machine> machine = winogradTarget(config, driver.diags);
  if (driver.diags.numErrors() != errorsBefore)
    return nullptr;
  auto calibration = calibrate(module, samples, options, driver);
  if (!calibration)
    return nullptr;
  result.calibrationSamples = calibration->sampleCount();
  if (machine) {
    auto isWanted = [&](Operation *op) {
      return config.withWinograd.get(layerKeyOf(op));
    };
    return quantizeWithWinograd(
        {module, *calibration, options, samples, isWanted},
        winogradSettings(config), *machine, compile, driver,
        result.winograd.emplace());
  }
  return quantizedCopy(module, *calibration, options, driver.diags);
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
  recordLayerIds(*module);
  QuantizedModel result;
  nameResult(config, result);
  driver.files.reads(config.graph);
  driver.files.writes({result.txtPath, result.binPath});
  if (!driver.files.check(driver.diags))
    return std::nullopt;
  result.original = cast<ModuleOp>((*module)->clone());
  if (!runCleanup(*module, driver.diags))
    return std::nullopt;
  std::optional<QuantizerOptions> options =
      quantizerOptions(config, *module, driver.diags);
  result.rules = useOfRules(config, *result.original, *module, driver.diags);
  if (!samples || !options)
    return std::nullopt;
  options->rangesInIr =
      std::make_shared<const IrRanges>(IrRanges::of(*result.original));
  result.quantized = calibrateAndQuantize(*module, *samples, *options, config,
                                          compile, driver, result);
  if (!result.quantized || !writeResult(config, result, driver.diags))
    return std::nullopt;
  auto line = driver.progress("compare layers", 0);
  // Layers are compared after clean-up, so that each has its counterpart.
  auto layers = compareNetworks(*module, *result.quantized, *samples,
                                kComparedSamples, driver.diags);
  if (!layers)
    return std::nullopt;
  result.layers = std::move(*layers);
  return result;
}

std::string yarrow::layerTable(const std::vector<TensorMetric> &layers,
                               std::size_t width) {
  TextTable table;
  table.column("layer").shortened().column("type").optional(2);
  table.column("output").number("scale").number("zp").number("cosine");
  table.number("SQNR dB").number("max error").optional(1);
  for (const TensorMetric &m : layers) {
    bool isKnown = m.similarity.count != 0;
    table.row({m.layer, m.layerType, m.dtype, formatFixed(m.scale, 4),
               std::to_string(m.zp),
               isKnown ? formatFixed(m.similarity.cosine(), 6) : "-",
               isKnown ? m.similarity.sqnrText(1) : "-",
               isKnown ? formatFixed(m.similarity.maxError, 4) : "-"});
  }
  return table.str(width);
}

std::string yarrow::layerSummary(const std::vector<TensorMetric> &layers) {
  const TensorMetric *worst = nullptr;
  std::string text;
  for (const TensorMetric &m : layers) {
    if (!m.similarity.count)
      continue;
    if (!worst || m.similarity.cosine() < worst->similarity.cosine())
      worst = &m;
    if (m.isOutput)
      text += "output " + m.tensor + ": cosine " +
              formatFixed(m.similarity.cosine(), 6) + ", SQNR " +
              m.similarity.sqnrText(1) + " dB to float\n";
  }
  if (worst)
    text += "least exact layer: " + worst->layer + " (" + worst->layerType +
            "), cosine " + formatFixed(worst->similarity.cosine(), 6) + "\n";
  return text;
}
