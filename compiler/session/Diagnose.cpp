//===- Diagnose.cpp - What quantization loses, and what gains it back -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Diagnose.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/config/Recipes.h"
#include "compiler/forms/CycleCount.h"
#include "compiler/model/Models.h"
#include "compiler/pipeline/Quantize.h"
#include "compiler/quantize/Metrics.h"
#include "compiler/quantize/Settings.h"
#include "quantizer/metrics/Sensitivity.h"

#include <chrono>

using namespace yarrow;
using mlir::ModuleOp;
using mlir::OwningOpRef;
using session::Call;
using session::DiagnoseTask;

/// Networks are measured on so many samples, spread over the data; what each
/// layer does to the outputs, which takes longer, on so many.
static constexpr std::size_t kMeasuredSamples = 64, kSensitivitySamples = 16;

/// The keys that are given, and those of the recipe.
static Settings settingsOf(const DiagnoseTask &task) {
  Settings settings;
  for (const auto &[key, value] : task.keys)
    if (!value.empty() && !config::isPictureKey(key))
      settings[key] = value;
  for (const config::RecipeSetting &setting : config::settingsOf(task.recipe))
    settings.try_emplace(std::string(setting.key), setting.value);
  return settings;
}

/// The task's configuration with \p settings in the place of its keys; nullopt
/// after errors.
static std::optional<config::BuildConfig>
configOf(const DiagnoseTask &task, const Settings &settings,
         yarrow::DiagnosticEngine &diags) {
  config::BuildConfig config = config::defaultBuildConfig();
  config.recipe = task.recipe;
  config::KeyTexts keys = task.keys;
  for (const auto &[key, value] : settings)
    keys[key] = value;
  return config::applyQuantization(keys, config, diags) ? std::optional(config)
                                                        : std::nullopt;
}

namespace {

/// Quantizes one network in many ways.
class Laboratory {
public:
  Laboratory(const DiagnoseTask &task, const Call &call)
      : task(task), call(call) {}

  /// \p network has layer ids. False after errors.
  bool create(OwningOpRef<ModuleOp> network);
  std::optional<Trial> measure(const Settings &settings, CompareDetail detail,
                               yarrow::DiagnosticEngine &diags);
  /// Of the network as it was given, whose layers are \p layers.
  std::vector<Finding> findCausesOf(const std::vector<TensorMetric> &layers);
  std::size_t calibrationSamples() const { return session->sampleCount(); }

private:
  const std::vector<NpyView> &measured() const {
    return held->empty() ? *calibration : *held;
  }
  bool measure(ModuleOp quantized, CompareDetail detail, Trial &trial,
               yarrow::DiagnosticEngine &diags);

  const DiagnoseTask &task;
  const Call &call;
  std::unique_ptr<Step> step;
  DecisionThresholds thresholds;
  std::optional<std::vector<NpyView>> calibration, held;
  std::unique_ptr<QuantizeSession> session;
  std::unique_ptr<OutputJudge> judge;
};

} // namespace

bool Laboratory::create(OwningOpRef<ModuleOp> network) {
  auto pictures = config::picturesOf(task.keys, call.diags);
  auto config = configOf(task, {}, call.diags);
  if (!pictures || !config ||
      !checkThresholds(config->thresholds, *network, {"--threshold"},
                       call.diags))
    return false;
  thresholds = std::move(config->thresholds);
  calibration =
      readArrays(dataFor(*network, task.calibration, *pictures), call.diags);
  held = readArrays(dataFor(*network, task.data, *pictures), call.diags);
  if (!calibration || !held)
    return false;
  session =
      QuantizeSession::create(std::move(network), *calibration, call.diags);
  if (!session)
    return false;
  judge = OutputJudge::create(session->cleaned(), measured(), kMeasuredSamples,
                              call.diags);
  step = call.work().begin("networks tried");
  return judge != nullptr;
}

std::optional<Trial> Laboratory::measure(const Settings &settings,
                                         CompareDetail detail,
                                         yarrow::DiagnosticEngine &diags) {
  std::optional<config::BuildConfig> config = configOf(task, settings, diags);
  auto options = config ? quantizerOptions(*config, session->cleaned(), diags)
                        : std::nullopt;
  if (!options)
    return std::nullopt;
  auto quantized = std::make_shared<OwningOpRef<ModuleOp>>(
      session->quantize(*options, diags));
  step->advance(1);
  Trial trial;
  if (!*quantized || !measure(**quantized, detail, trial, diags))
    return std::nullopt;
  trial.countCycles = [this, quantized, &diags]() -> std::optional<uint64_t> {
    auto report = countCycles(**quantized, task.machine, {}, diags);
    return report ? std::optional(report->cycles) : std::nullopt;
  };
  return trial;
}

std::vector<Finding>
Laboratory::findCausesOf(const std::vector<TensorMetric> &layers) {
  auto config = configOf(task, {}, call.diags);
  return findCauses({session->cleaned(), layers, *calibration,
                     config->calibrationStrategyForActivation.global,
                     std::size_t(config->calibrationBatchSize)});
}

bool Laboratory::measure(ModuleOp quantized, CompareDetail detail, Trial &trial,
                         yarrow::DiagnosticEngine &diags) {
  if (detail == CompareDetail::Outputs) {
    std::optional<OutputLoss> loss = judge->judge(quantized, diags);
    trial.sqnrDb = loss ? loss->sqnrDb() : 0;
    return loss.has_value();
  }
  auto layers = compareNetworks(session->cleaned(), quantized, measured(),
                                kMeasuredSamples, diags, detail, thresholds);
  if (!layers)
    return false;
  trial.layers = std::move(*layers);
  trial.sqnrDb = outputSqnrDb(trial.layers);
  if (detail != CompareDetail::Causes)
    return true;
  auto losses = measureSensitivity({session->cleaned(),
                                    {quantized},
                                    *judge,
                                    measured(),
                                    kSensitivitySamples},
                                   diags);
  if (losses)
    addSensitivity(losses->front(), trial.layers);
  return losses.has_value();
}

static std::optional<Diagnosis> diagnoseNow(const session::Network &named,
                                            OwningOpRef<ModuleOp> network,
                                            const DiagnoseTask &task,
                                            const Call &call) {
  if (!canBeQuantized(*network, named.path(), call.diags))
    return std::nullopt;
  recordLayerIds(*network);
  Laboratory laboratory(task, call);
  if (!laboratory.create(std::move(network)))
    return std::nullopt;
  Settings given = settingsOf(task);
  std::optional<Trial> baseline =
      laboratory.measure(given, CompareDetail::Causes, call.diags);
  if (!baseline)
    return std::nullopt;
  std::vector<Finding> findings = laboratory.findCausesOf(baseline->layers);
  reportFindings(findings, task.style, call.diags);
  // Why a remedy is not possible is nobody's concern.
  yarrow::DiagnosticEngine unread;
  RemedySearch search(given, laboratory.calibrationSamples(),
                      [&](const Settings &settings, CompareDetail detail) {
                        return laboratory.measure(settings, detail, unread);
                      });
  search.enoughDb = task.enoughDb;
  auto start = std::chrono::steady_clock::now();
  if (task.seconds > 0)
    search.isOutOfTime = [&] {
      std::chrono::duration<double> took =
          std::chrono::steady_clock::now() - start;
      return took.count() > task.seconds;
    };
  std::optional<Diagnosis> diagnosis = search.run(std::move(*baseline));
  if (diagnosis)
    diagnosis->findings = std::move(findings);
  return diagnosis;
}

std::optional<Diagnosis>
session::diagnose(std::shared_ptr<const Network> network,
                  const DiagnoseTask &task, const Call &call) {
  std::optional<Diagnosis> diagnosis;
  bool isDone = call.run([&] {
    OwnNetwork own(std::move(network));
    diagnosis =
        diagnoseNow(*own.origin(), std::move(own.variants.back()), task, call);
  });
  return isDone ? std::move(diagnosis) : std::nullopt;
}
