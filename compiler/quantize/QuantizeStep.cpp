//===- QuantizeStep.cpp - From float IR on disk to integer IR on disk -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/QuantizeStep.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/config/SettingEdits.h"
#include "compiler/diagnose/Findings.h"
#include "compiler/model/FoldPreprocessing.h"
#include "compiler/model/Models.h"
#include "compiler/model/PartialModels.h"
#include "compiler/pipeline/WrittenIr.h"
#include "compiler/quantize/CalibrationData.h"
#include "compiler/quantize/CompareStep.h"
#include "compiler/quantize/LossWarning.h"
#include "compiler/quantize/Metrics.h"
#include "compiler/quantize/OptTemplate.h"
#include "compiler/quantize/QuantizeChoices.h"
#include "compiler/quantize/QuantizeNotes.h"
#include "compiler/quantize/Settings.h"
#include "compiler/quantize/SimilarityKeys.h"
#include "compiler/quantize/WinogradKeys.h"
#include "compiler/work/FilePlan.h"
#include "compiler/work/NewFolders.h"
#include "dialects/compass/Execution.h"
#include "quantizer/Quantizer.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;
using config::BuildConfig;

/// No paths where nothing is to be written.
static void nameResult(const BuildConfig &config, QuantizedModel &result) {
  if (config.outIrName.empty())
    return;
  std::filesystem::path folder(config.outputDir);
  result.txtPath = (folder / (config.outIrName + ".txt")).string();
  result.binPath = (folder / (config.outIrName + ".bin")).string();
  result.templatePath =
      (folder / (config.modelName + "_opt_template.json")).string();
}

static StatisticsFiles statisticsFiles(const BuildConfig &config) {
  StatisticsFiles files;
  files.read = config.statisticFile;
  files.ignoreMissing = config.ignoreMissingStatistic;
  if (config.saveStatisticInfo)
    files.write = (std::filesystem::path(config.outputDir) /
                   (config.modelName + "_statistic_info.json"))
                      .string();
  return files;
}

static bool writeResult(const BuildConfig &config, QuantizedModel &result,
                        yarrow::DiagnosticEngine &diags) {
  return result.txtPath.empty() ||
         (makeFolder(config.outputDir, diags) &&
          writeCheckedIr(*result.quantized, result.txtPath, result.binPath,
                         config.graph, diags));
}

/// An IR that is quantized already is taken as it is.
static std::optional<QuantizedModel>
takeAsIs(OwningOpRef<ModuleOp> module, const BuildConfig &config,
         std::vector<OwningOpRef<ModuleOp>> smaller) {
  QuantizedModel result;
  result.quantized = std::move(module);
  result.smaller = std::move(smaller);
  result.txtPath = config.graph;
  result.binPath = config.bin;
  return result;
}

/// What is decided with samples of one shape is not known of others.
static bool canHaveShapes(const BuildConfig &config,
                          yarrow::DiagnosticEngine &diags) {
  bool ok = true;
  auto refuse = [&](bool isSet, const char *key) {
    if (!isSet)
      return;
    ok = false;
    diags
        .report(diag::QuantUnsupported,
                config.place(std::string("Optimizer.") + key),
                std::string(key) +
                    " is not possible with inputs of several shapes")
        .hint("leave it out, or give one shape");
  };
  refuse(!config.globalCalibration.empty(), "global_calibration");
  refuse(config.mixedPrecision.batches != 0, "mixed_precision_auto_search");
  refuse(winogradSettings(config).use != FormUse::Off, "with_winograd");
  return ok;
}

/// Gives the networks for smaller inputs the scales of the calibrated one.
static bool quantizeSmaller(const QuantizedNetwork &networks,
                            std::vector<OwningOpRef<ModuleOp>> smaller,
                            QuantizedModel &result,
                            yarrow::DiagnosticEngine &diags) {
  for (OwningOpRef<ModuleOp> &network : smaller) {
    recordLayerIds(*network);
    result.smaller.push_back(quantizeLike(networks, std::move(network), diags));
    if (!result.smaller.back())
      return false;
  }
  return true;
}

/// fold_preprocessing. False after errors.
static bool foldPictures(const BuildConfig &config, ModuleOp module,
                         std::vector<OwningOpRef<ModuleOp>> &smaller,
                         yarrow::DiagnosticEngine &diags) {
  if (!config.foldsPreprocessing)
    return true;
  auto options = config::pictureOptions(config, diags);
  if (!options || !foldPreprocessing(module, *options, diags))
    return false;
  return llvm::all_of(smaller, [&](OwningOpRef<ModuleOp> &network) {
    return foldPreprocessing(*network, *options, diags);
  });
}

/// Pixels are bytes, whatever bits other tensors have.
static LayerOverride pixelInputs() {
  LayerOverride pixels;
  pixels.layerTypes = {"Input"};
  pixels.apply = [](LayerOptions &options) {
    options.activationBits = 8;
    options.forceSigned = false;
    options.floatType = std::nullopt;
  };
  return pixels;
}

namespace {

/// A float network on its way.
class Quantization {
public:
  Quantization(const BuildConfig &config, const CompileOptions &compile,
               const Work &work)
      : config(config), compile(compile), work(work), diags(work.diags) {}

  /// What comes before any sample is run. False after errors.
  bool prepare(ModuleOp module, const std::vector<NpyView> *given,
               const Encodings *scales,
               const std::vector<graph::ImportedTensor> &imported);
  /// Nullopt after errors.
  std::optional<QuantizedModel> run(OwningOpRef<ModuleOp> module,
                                    std::vector<OwningOpRef<ModuleOp>> smaller,
                                    CompareDetail detail);
  OwningOpRef<ModuleOp> runUntil(OwningOpRef<ModuleOp> module,
                                 const std::string &last) {
    return quantizeUntil(std::move(module), task, last, diags);
  }

private:
  bool planFiles();
  void setTask();
  void setChoices();
  std::optional<QuantizerOptions> optionsFor(ModuleOp original,
                                             ModuleOp cleaned);
  bool writeAndCompare(const QuantizedNetwork &networks, CompareDetail detail);

  const BuildConfig &config;
  const CompileOptions &compile;
  const Work &work;
  yarrow::DiagnosticEngine &diags;
  std::optional<std::vector<NpyView>> samples; ///< None after errors.
  std::optional<isa::Machine> machine, priced;
  bool hasTarget = false; ///< No error of its name.
  std::optional<Encodings> encodings;
  QuantizeTask task;
  QuantizedModel result;
};

} // namespace

/// With statistics files that are read and written.
bool Quantization::planFiles() {
  nameResult(config, result);
  task.statistics = statisticsFiles(config);
  if (!work.files)
    return true;
  work.files->reads({config.graph, config.optConfig, config.qconfig,
                     config.statisticFile, config.encodings});
  work.files->writes({result.txtPath, result.binPath, result.templatePath,
                      task.statistics.write});
  return work.files->check(diags);
}

bool Quantization::prepare(ModuleOp module, const std::vector<NpyView> *given,
                           const Encodings *scales,
                           const std::vector<graph::ImportedTensor> &imported) {
  samples = given ? *given : readCalibration(config, module, diags);
  if (samples)
    warnOfZeros(*samples, config.calibrationData, diags);
  std::size_t errorsBefore = diags.numErrors();
  machine = winogradTarget(config, diags);
  hasTarget = diags.numErrors() == errorsBefore;
  if (!config.encodings.empty()) {
    encodings = readEncodings(config.encodings, diags);
    if (!encodings)
      return false;
  }
  recordLayerIds(module);
  if (!planFiles())
    return false;
  task.encodings = encodings ? &*encodings : scales;
  task.modelTensors = modelTensors(imported);
  setTask();
  setChoices();
  return true;
}

std::optional<QuantizerOptions> Quantization::optionsFor(ModuleOp original,
                                                         ModuleOp cleaned) {
  bool hasLayers = checkOptLayers(config, original, cleaned, diags);
  std::optional<QuantizerOptions> options =
      quantizerOptions(config, cleaned, diags);
  if (options && config.foldsPreprocessing)
    options->overrides.push_back(pixelInputs());
  result.rules = useOfRules(config, original, cleaned, diags);
  return samples && hasTarget && hasLayers ? options : std::nullopt;
}

void Quantization::setTask() {
  task.samples = samples && !samples->empty() ? &*samples : nullptr;
  task.takesPixels = config.foldsPreprocessing;
  task.progress = work.progressOf("calibrate");
  task.methodProgress = methodProgress(work);
  task.ranks = work.ranks;
  task.options = [this](ModuleOp original, ModuleOp cleaned) {
    return optionsFor(original, cleaned);
  };
  if (config.saveStatisticInfo && samples && !task.samples)
    diags.report(diag::ConfigNotApplied,
                 config.place("Optimizer.save_statistic_info"),
                 "save_statistic_info is not applied: there are no samples");
}

/// Forms, bits by a metric, bits by a goal.
void Quantization::setChoices() {
  if (machine && !task.samples && samples)
    diags
        .report(diag::ConfigNotApplied, config.place("Optimizer.with_winograd"),
                "with_winograd is not applied: there are no samples")
        .hint("give calibration_data: its loss is measured with samples");
  else if (machine)
    chooseFormsFor(*machine, config, compile, work, result, task);
  if (config.mixedPrecision.batches && samples)
    choosePrecision(config, *samples, compile, work, result, task);
  priced = pricedTarget(config, diags);
  // What a file or the model itself says of a tensor stays.
  if (priced && task.samples && !task.encodings)
    improveFor(config, *priced, compile, work, task);
}

bool Quantization::writeAndCompare(const QuantizedNetwork &networks,
                                   CompareDetail detail) {
  if (!writeResult(config, result, diags) ||
      !compareStep(config, networks, *samples, detail, result, work))
    return false;
  if (config.writeSimilarityToIr) {
    addSimilarityKeys(*result.quantized, result.layers);
    if (!writeResult(config, result, diags))
      return false;
  }
  return result.templatePath.empty() ||
         writeOptTemplate(result.templatePath, config, *networks.cleaned,
                          *result.quantized, result.layers, diags);
}

std::optional<QuantizedModel>
Quantization::run(OwningOpRef<ModuleOp> module,
                  std::vector<OwningOpRef<ModuleOp>> smaller,
                  CompareDetail detail) {
  std::optional<QuantizedNetwork> networks =
      quantizeNetwork(std::move(module), task, diags);
  if (!networks ||
      !quantizeSmaller(*networks, std::move(smaller), result, diags))
    return std::nullopt;
  result.original = std::move(networks->original);
  result.quantized = std::move(networks->quantized);
  result.calibrationSamples = networks->calibrationSamples;
  result.methods = std::move(networks->methods);
  if (!writeAndCompare(*networks, detail))
    return std::nullopt;
  if (!samples->empty())
    reportFindings(findCauses({*networks->cleaned, result.layers, *samples,
                               config.calibrationStrategyForActivation.global,
                               std::size_t(config.calibrationBatchSize),
                               extremaSqnrDb(config, *networks, *samples)}),
                   styleOf(config), diags);
  warnOfLoss({config, *networks, *result.quantized, result.layers, *samples},
             diags);
  return std::move(result);
}

std::optional<QuantizedModel>
yarrow::quantizeStep(OwningOpRef<ModuleOp> module, const BuildConfig &config,
                     const CompileOptions &compile, const Work &work,
                     const std::vector<graph::ImportedTensor> &imported,
                     std::vector<OwningOpRef<ModuleOp>> smaller,
                     const std::vector<NpyView> *samples,
                     const Encodings *scales, CompareDetail detail) {
  if (config.skipOptimization || isQuantized(*module)) {
    warnOfEncodings(config, work.diags);
    return takeAsIs(std::move(module), config, std::move(smaller));
  }
  if (!compass::checkExecutable(*module, work.diags) ||
      (!smaller.empty() && !canHaveShapes(config, work.diags)) ||
      !checkThresholds(config.thresholds, *module,
                       config.place("Optimizer.threshold"), work.diags) ||
      !foldPictures(config, *module, smaller, work.diags))
    return std::nullopt;
  Quantization quantization(config, compile, work);
  if (!quantization.prepare(*module, samples, scales, imported))
    return std::nullopt;
  return quantization.run(std::move(module), std::move(smaller), detail);
}

OwningOpRef<ModuleOp>
yarrow::quantizeUntil(OwningOpRef<ModuleOp> module, const BuildConfig &config,
                      const std::string &last, const Work &work,
                      const std::vector<graph::ImportedTensor> &imported,
                      const Encodings *scales) {
  std::vector<OwningOpRef<ModuleOp>> none;
  if (!checkThresholds(config.thresholds, *module,
                       config.place("Optimizer.threshold"), work.diags) ||
      !foldPictures(config, *module, none, work.diags))
    return nullptr;
  Quantization quantization(config, {}, work);
  if (!quantization.prepare(*module, /*given=*/nullptr, scales, imported))
    return nullptr;
  return quantization.runUntil(std::move(module), last);
}
