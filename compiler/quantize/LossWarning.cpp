//===- LossWarning.cpp - That a result is useless, and what mends it ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/LossWarning.h"
#include "compiler/config/ConfigKeys.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/config/Recipes.h"
#include "compiler/config/SettingEdits.h"
#include "compiler/diagnose/UselessOutputs.h"
#include "compiler/quantize/Settings.h"
#include "quantizer/Quantizer.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"

#include <algorithm>
#include <set>

using namespace yarrow;
using namespace mlir;
using config::BuildConfig;

namespace {

/// Samples of a trial: outputs below the floor are so on any of them.
constexpr std::size_t kTrialSamples = 8;

/// Settings that may mend it.
struct Proposal {
  bool takesAuto = false; ///< The recipe.
  Settings settings;      ///< Beside it.
};

class Mender {
public:
  explicit Mender(const LossTask &task) : task(task) {}

  /// The command that mends it, with the loss that is left; or what to do.
  std::string hintFor(const std::vector<UselessOutput> &found) {
    for (const Proposal &proposal : proposals(found))
      if (std::optional<double> sqnrDb = measure(proposal))
        return "`" + commandWith(proposal) + "` has " +
               formatFixed(*sqnrDb, 1) + " dB";
    return "`" + diagnoseCommand() + "` tries other settings";
  }

private:
  Settings given() const {
    Settings settings;
    for (const auto &[key, text] : task.config.texts)
      if (key.starts_with("Optimizer."))
        settings[key.substr(key.find('.') + 1)] = text;
    return settings;
  }

  std::vector<Proposal> proposals(const std::vector<UselessOutput> &found) {
    std::vector<Proposal> all;
    // Scales of a file are wanted as they are.
    if (!task.config.encodings.empty())
      return all;
    bool isOther = task.config.recipe != config::kAutoRecipe;
    if (isOther)
      all.push_back({.takesAuto = true});
    std::set<int64_t> ids;
    for (const UselessOutput &bad : found)
      if (bad.layer && bad.layer->layerId >= 0)
        ids.insert(bad.layer->layerId);
    Settings now = given(), some, whole;
    for (const char *key : {"activation_bits", "weight_bits"}) {
      some[key] = withRule(now, key, {ids.begin(), ids.end()}, "16");
      whole[key] = "16";
    }
    if (!ids.empty())
      all.push_back({isOther, some});
    all.push_back({isOther, {{"activation_bits", "16"}}});
    all.push_back({isOther, whole});
    return all;
  }

  /// The SQNR of the output that then loses most, if none loses too much.
  /// Methods are left out, which only gain: with them it takes long.
  std::optional<double> measure(const Proposal &proposal) {
    yarrow::DiagnosticEngine unheard; // why something is not possible
    BuildConfig changed = task.config;
    if (proposal.takesAuto) {
      changed.recipe = config::kAutoRecipe;
      config::applyRecipe(changed, {}, unheard);
      // What was measured in batches stays so.
      changed.calibrationBatchSize = task.config.calibrationBatchSize;
    }
    for (const auto &[key, value] : proposal.settings)
      if (!config::setConfigKey("Optimizer", key, value, "", changed, unheard,
                                {}))
        return std::nullopt;
    changed.globalCalibration.clear();
    ModuleOp cleaned = *task.networks.cleaned;
    std::optional<QuantizerOptions> options =
        quantizerOptions(changed, cleaned, unheard);
    if (!options)
      return std::nullopt;
    options->rangesInIr = task.networks.options.rangesInIr;
    auto calibration = task.networks.calibration->forOptions(*options);
    auto quantized =
        calibration ? quantizedCopy(cleaned, *calibration, *options, unheard)
                    : OwningOpRef<ModuleOp>();
    if (!quantized)
      return std::nullopt;
    auto outputs =
        compareNetworks(cleaned, *quantized, task.samples, kTrialSamples,
                        unheard, CompareDetail::Outputs);
    if (!outputs || std::ranges::any_of(*outputs, isUseless))
      return std::nullopt;
    return outputSqnrDb(*outputs);
  }

  bool isFromFile() const {
    return !task.config.fileName.empty() &&
           task.config.fileName != task.config.graph;
  }

  /// The network with what it is read with, as the user gave it.
  std::string modelAndData(bool isBuild) const {
    std::string text = shellWord(task.config.graph);
    for (const std::string &option : task.config.readingOptions)
      text += " " + option;
    // A model that `build` takes has its weights in itself.
    if (!task.config.bin.empty() && !isBuild)
      text += " -w " + shellWord(task.config.bin);
    if (!task.config.calibrationData.empty())
      text += " -c " + shellWord(task.config.calibrationData);
    return text + config::pictureOptionsText(task.config);
  }

  /// A key of [Optimizer] as the command takes it.
  std::string option(const std::string &key, const std::string &value) const {
    bool isBuild = !task.config.fileName.empty();
    return " " +
           settingText(isBuild ? SettingStyle::SetOption : SettingStyle::Option,
                       key, value);
  }

  std::string commandWith(const Proposal &proposal) const {
    bool isBuild = !task.config.fileName.empty();
    std::string text = isBuild ? "yarrow build " : "yarrow quantize ";
    text +=
        isFromFile() ? shellWord(task.config.fileName) : modelAndData(isBuild);
    if (proposal.takesAuto)
      text += " --recipe auto";
    for (const auto &[key, value] : proposal.settings)
      text += option(key, value);
    // What was said beside the file stays.
    for (const auto &[full, place] : task.config.places) {
      std::string key = full.substr(full.find('.') + 1);
      auto value = task.config.texts.find(full);
      bool isOption = place.file.starts_with(isBuild ? "--set " : "--") &&
                      full.starts_with("Optimizer.") &&
                      value != task.config.texts.end();
      if (isOption && !proposal.settings.contains(key) &&
          !task.config.recipeKeys.contains(key))
        text += option(key, value->second);
    }
    return text;
  }

  std::string diagnoseCommand() const {
    return "yarrow diagnose " + modelAndData(/*isBuild=*/false);
  }

  const LossTask &task;
};

} // namespace

void yarrow::warnOfLoss(const LossTask &task, yarrow::DiagnosticEngine &diags) {
  std::vector<UselessOutput> found =
      findUselessOutputs(task.quantized, task.layers);
  if (found.empty())
    return;
  std::string hint = Mender(task).hintFor(found);
  for (const UselessOutput &bad : found)
    diags.report(diag::QuantOutputLoss, {task.config.graph}, bad.str())
        .hint(hint);
}
