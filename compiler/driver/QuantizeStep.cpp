//===- QuantizeStep.cpp - From float IR on disk to integer IR on disk -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/QuantizeStep.h"
#include "compiler/config/Ini.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/data/RandomSamples.h"
#include "compiler/diagnose/Findings.h"
#include "compiler/driver/FoldPreprocessing.h"
#include "compiler/driver/FormOptions.h"
#include "compiler/driver/LossWarning.h"
#include "compiler/driver/Metrics.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/OptTemplate.h"
#include "compiler/driver/PartialModels.h"
#include "compiler/driver/PrecisionStep.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/Settings.h"
#include "compiler/driver/SimilarityKeys.h"
#include "compiler/driver/TensorDump.h"
#include "compiler/forms/CycleCount.h"
#include "compiler/pipeline/Quantize.h"
#include "compiler/pipeline/WrittenIr.h"
#include "compiler/precision/AutoBits.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/Graphs.h"
#include "quantizer/Quantizer.h"
#include "support/Format.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <filesystem>
#include <map>

using namespace yarrow;
using namespace mlir;
using config::BuildConfig;

/// Numbers for a model that is built without samples.
static std::vector<NpyView> drawnSamples(const BuildConfig &config,
                                         ModuleOp module,
                                         yarrow::DiagnosticEngine &diags) {
  constexpr std::size_t kDrawn = 16;
  std::string count = std::to_string(kDrawn);
  std::vector<NpyView> arrays = randomSamples(
      "RandomDataset(num_sample=" + count + ")", inputShapesOf(module));
  auto inputs = compass::graphInputs(compass::mainGraph(module));
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (compass::describe(inputs[k]).isInteger())
      arrays[k] = zerosAndOnes(arrays[k]);
  diags
      .report(diag::CalibrationDrawn, {config.graph},
              "there are no samples: the ranges of tensors are those of " +
                  count + " drawn ones")
      .hint("-c samples.npy gives real ones; what the network answers to "
            "others is not known without");
  return arrays;
}

/// No arrays where statistics take the place of calibration.
static std::optional<std::vector<NpyView>>
readCalibration(const BuildConfig &config, ModuleOp module,
                yarrow::DiagnosticEngine &diags) {
  const DataSetRecord *record = findDataSet(config.dataset);
  bool isRandom = record && record->form == DataForm::Random;
  bool isNone = config.calibrationData.empty() && !isRandom;
  if (isNone && (!config.statisticFile.empty() || !config.encodings.empty()))
    return std::vector<NpyView>();
  if (isNone && config.drawsSamples)
    return drawnSamples(config, module, diags);
  if (isNone) {
    diags
        .report(diag::ConfigMissingKey, {config.fileName},
                "no calibration data: the ranges of activations cannot be "
                "known without samples")
        .hint(styleOf(config) == SettingStyle::File
                  ? "give calibration_data, or --calibration-data file.npy; or "
                    "encodings that hold them"
                  : "-c samples.npy gives some; " +
                        settingText(styleOf(config), "encodings", "FILE") +
                        " names a file that holds ranges");
    return std::nullopt;
  }
  std::vector<std::string> paths = splitPaths(config.calibrationData);
  bool ok = true;
  for (const std::string &path : paths)
    if (!std::filesystem::exists(path)) {
      ok = false;
      diags
          .report(diag::FileUnreadable, {path},
                  "the calibration data are not there")
          .hint("--calibration-data file.npy names others");
    }
  if (!ok)
    return std::nullopt;
  auto pictures = config::pictureOptions(config, diags);
  if (!pictures)
    return std::nullopt;
  DataSetTask files = dataFor(module, config.calibrationData, *pictures);
  files.name = config.dataset;
  files.dataBatchDim = std::size_t(config.dataBatchDim);
  return readArrays(files, diags);
}

/// The target for which forms are chosen; nullopt if none is to be.
static std::optional<isa::Machine>
winogradTarget(const BuildConfig &config, yarrow::DiagnosticEngine &diags) {
  if (winogradSettings(config).use == FormUse::Off)
    return std::nullopt;
  if (!config.target.empty())
    return targetAt(config.target, config.place("GBuilder.target"), diags);
  diags
      .report(diag::ConfigNotApplied, config.place("Optimizer.with_winograd"),
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
                      QuantizerOptions &options) {
    auto isWanted = [&](const LayerForm &, Operation *op) {
      return config.withWinograd.get(layerKeyOf(op));
    };
    return quantizeInForms(
        {cleaned, calibration, options, *task.samples}, isWanted,
        formSearch(winogradSettings(config), machine, compile, driver),
        driver.diags, result.winograd.emplace());
  };
}

/// A line for each method, of the layers that it has done.
static std::function<void(const GlobalMethod &, std::size_t, std::size_t)>
methodProgress(Driver &driver) {
  return [&driver, lines = std::map<std::string, CalibrationProgress>()](
             const GlobalMethod &method, std::size_t done,
             std::size_t total) mutable {
    std::string name(method.record->name);
    CalibrationProgress &line = lines[name];
    if (done == 1)
      line = driver.progressOf(name);
    line(done, total);
  };
}

/// Gives layers bits by mixed_precision_auto_search before \p task quantizes.
static void choosePrecision(const BuildConfig &config,
                            const std::vector<NpyView> &samples,
                            const CompileOptions &compile, Driver &driver,
                            QuantizedModel &result, QuantizeTask &task) {
  task.quantize = [&, quantize = std::move(task.quantize)](
                      ModuleOp cleaned, const Calibration &calibration,
                      QuantizerOptions &options) {
    std::size_t errorsBefore = driver.diags.numErrors();
    result.precision = searchAsConfigured(
        config, {cleaned, calibration, options, samples}, compile, driver);
    if (driver.diags.numErrors() != errorsBefore)
      return OwningOpRef<ModuleOp>();
    if (result.precision)
      options = result.precision->quantizerOptions(options);
    return quantize
               ? quantize(cleaned, calibration, options)
               : quantizedCopy(cleaned, calibration, options, driver.diags);
  };
}

/// What \p task does for goal and price behind all methods.
static void improveFor(const BuildConfig &config, const isa::Machine &machine,
                       const CompileOptions &compile, Driver &driver,
                       QuantizeTask &task) {
  AutoBitsTask bits;
  bits.goal = {config.goalDb, config.goalAgreement / 100};
  bits.price = config.price;
  bits.rescuePrice = config.rescuePrice;
  bits.cost = [&machine, &compile](ModuleOp network,
                                   yarrow::DiagnosticEngine &problems) {
    return simulatedCost(machine, compile, problems)(network);
  };
  bits.progress = progressOfSteps(driver);
  task.improve = [&driver, bits](const FinishedTask &finished) {
    return chooseBits(finished, bits, driver.diags);
  };
}

/// The target on which the price is measured; nullopt without a goal.
static std::optional<isa::Machine>
pricedTarget(const BuildConfig &config, yarrow::DiagnosticEngine &diags) {
  if (config.goalDb <= 0 || config.target.empty())
    return std::nullopt;
  return targetAt(config.target, config.place("GBuilder.target"), diags);
}

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
                key + " names no layer")
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
/// fake_quant_operators_for_debug in floats: what the network would be if these
/// lost nothing. Null if there are none, or after errors.
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

/// What the networks say of each other, where there are samples.
static bool compare(const BuildConfig &config, const QuantizedNetwork &networks,
                    const std::vector<NpyView> &samples, CompareDetail detail,
                    QuantizedModel &result, Driver &driver) {
  if (samples.empty())
    return true;
  auto line = driver.progress("compare layers", 0);
  std::size_t errorsBefore = driver.diags.numErrors();
  result.debugged = debugged(config, networks, driver.diags);
  if (driver.diags.numErrors() != errorsBefore)
    return false;
  std::size_t count = kComparedSamples;
  if (config.isGiven("Optimizer.similarity_data_num"))
    count = std::size_t(config.similarityDataNum) *
            std::size_t(config.calibrationBatchSize);
  auto layers = compareNetworks(
      *networks.cleaned, result.debugged ? *result.debugged : *result.quantized,
      samples, count, driver.diags, detail, config.thresholds);
  if (!layers)
    return false;
  result.layers = std::move(*layers);
  if (!config.dumpTensors)
    return true;
  std::filesystem::path folder(config.dumpDir);
  return dumpTensors(*networks.cleaned, samples, (folder / "float32").string(),
                     driver.diags) &&
         dumpTensors(*result.quantized, samples, (folder / "quant").string(),
                     driver.diags);
}

static bool writeResult(const BuildConfig &config, QuantizedModel &result,
                        yarrow::DiagnosticEngine &diags) {
  return result.txtPath.empty() ||
         (makeFolder(config.outputDir, diags) &&
          writeCheckedIr(*result.quantized, result.txtPath, result.binPath,
                         config.graph, diags));
}

/// Of the outputs with extrema as ranges, which are known without another run;
/// nullopt where nobody would ask.
static std::optional<double>
extremaSqnrDb(const BuildConfig &config, const QuantizedNetwork &networks,
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

void yarrow::warnOfEncodings(const BuildConfig &config,
                             yarrow::DiagnosticEngine &diags) {
  if (!config.encodings.empty())
    diags
        .report(diag::ConfigNotApplied, config.place("Optimizer.encodings"),
                "encodings is not applied: the network is not quantized here")
        .hint("encodings are for float networks");
}

std::string yarrow::calibratedWith(const BuildConfig &config,
                                   const QuantizedModel &model) {
  std::string recipe = "recipe " + config.recipe + ", ";
  if (model.calibrationSamples == 0 && !config.encodings.empty())
    return recipe + "quantized by " + config.encodings;
  bool isDrawn = config.drawsSamples && config.calibrationData.empty();
  return recipe + "calibrated with " + formatCount(model.calibrationSamples) +
         (isDrawn ? " drawn samples" : " samples");
}

/// What is decided with samples of one shape is not known of others.
static bool canHaveShapes(const BuildConfig &config,
                          yarrow::DiagnosticEngine &diags) {
  bool ok = true;
  auto refuse = [&](bool isGiven, const char *key) {
    if (!isGiven)
      return;
    ok = false;
    diags
        .report(diag::QuantUnsupported,
                config.place(std::string("Optimizer.") + key),
                std::string(key) + " is not possible for inputs of several "
                                   "shapes")
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

std::optional<QuantizedModel>
yarrow::quantizeStep(OwningOpRef<ModuleOp> module, const BuildConfig &config,
                     const CompileOptions &compile, Driver &driver,
                     const std::vector<graph::ImportedTensor> &imported,
                     std::vector<OwningOpRef<ModuleOp>> smaller,
                     const std::vector<NpyView> *givenSamples,
                     const Encodings *scales, CompareDetail detail) {
  if (config.skipOptimization || isQuantized(*module)) {
    warnOfEncodings(config, driver.diags);
    return takeAsIs(std::move(module), config, std::move(smaller));
  }
  if (!compass::checkExecutable(*module, driver.diags) ||
      (!smaller.empty() && !canHaveShapes(config, driver.diags)))
    return std::nullopt;
  if (!checkThresholds(config.thresholds, *module,
                       config.place("Optimizer.threshold"), driver.diags) ||
      !foldPictures(config, *module, smaller, driver.diags))
    return std::nullopt;
  std::optional<std::vector<NpyView>> samples =
      givenSamples ? *givenSamples
                   : readCalibration(config, *module, driver.diags);
  std::size_t errorsBefore = driver.diags.numErrors();
  std::optional<isa::Machine> machine = winogradTarget(config, driver.diags);
  bool hasTarget = driver.diags.numErrors() == errorsBefore;
  std::optional<Encodings> encodings;
  if (!config.encodings.empty() &&
      !(encodings = readEncodings(config.encodings, driver.diags)))
    return std::nullopt;
  recordLayerIds(*module);
  QuantizedModel result;
  nameResult(config, result);
  QuantizeTask task;
  task.statistics = statisticsFiles(config);
  driver.files.reads({config.graph, config.optConfig, config.qconfig,
                      config.statisticFile, config.encodings});
  driver.files.writes({result.txtPath, result.binPath, result.templatePath,
                       task.statistics.write});
  if (!driver.files.check(driver.diags))
    return std::nullopt;
  task.samples = samples && !samples->empty() ? &*samples : nullptr;
  task.encodings = encodings ? &*encodings : scales;
  task.modelTensors = modelTensors(imported);
  task.takesPixels = config.foldsPreprocessing;
  task.progress = driver.progressOf("calibrate");
  task.methodProgress = methodProgress(driver);
  task.ranks = driver.ranks;
  task.options = [&](ModuleOp original,
                     ModuleOp cleaned) -> std::optional<QuantizerOptions> {
    bool hasLayers = checkOptLayers(config, original, cleaned, driver.diags);
    std::optional<QuantizerOptions> options =
        quantizerOptions(config, cleaned, driver.diags);
    if (options && config.foldsPreprocessing)
      options->overrides.push_back(pixelInputs());
    result.rules = useOfRules(config, original, cleaned, driver.diags);
    return samples && hasTarget && hasLayers ? options : std::nullopt;
  };
  if (config.saveStatisticInfo && samples && !task.samples)
    driver.diags.report(
        diag::ConfigNotApplied, config.place("Optimizer.save_statistic_info"),
        "save_statistic_info is not applied: there are no samples");
  if (machine && !task.samples && samples)
    driver.diags
        .report(diag::ConfigNotApplied, config.place("Optimizer.with_winograd"),
                "with_winograd is not applied: there are no samples")
        .hint("what it loses is measured with calibration_data");
  else if (machine)
    chooseFormsFor(*machine, config, compile, driver, result, task);
  if (config.mixedPrecision.batches && samples)
    choosePrecision(config, *samples, compile, driver, result, task);
  std::optional<isa::Machine> priced = pricedTarget(config, driver.diags);
  // What a file or the model itself says of a tensor stays.
  if (priced && task.samples && !task.encodings)
    improveFor(config, *priced, compile, driver, task);
  std::optional<QuantizedNetwork> networks =
      quantizeNetwork(std::move(module), task, driver.diags);
  if (!networks ||
      !quantizeSmaller(*networks, std::move(smaller), result, driver.diags))
    return std::nullopt;
  result.original = std::move(networks->original);
  result.quantized = std::move(networks->quantized);
  result.calibrationSamples = networks->calibrationSamples;
  result.methods = std::move(networks->methods);
  if (!writeResult(config, result, driver.diags) ||
      !compare(config, *networks, *samples, detail, result, driver))
    return std::nullopt;
  if (config.writeSimilarityToIr) {
    addSimilarityKeys(*result.quantized, result.layers);
    if (!writeResult(config, result, driver.diags))
      return std::nullopt;
  }
  if (!result.templatePath.empty() &&
      !writeOptTemplate(result.templatePath, config, *networks->cleaned,
                        *result.quantized, result.layers, driver.diags))
    return std::nullopt;
  if (!samples->empty())
    reportFindings(findCauses({*networks->cleaned, result.layers, *samples,
                               config.calibrationStrategyForActivation.global,
                               std::size_t(config.calibrationBatchSize),
                               extremaSqnrDb(config, *networks, *samples)}),
                   styleOf(config), driver.diags);
  warnOfLoss({config, *networks, *result.quantized, result.layers, *samples},
             driver.diags);
  return result;
}
