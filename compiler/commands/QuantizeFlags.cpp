//===- QuantizeFlags.cpp - Options of commands that quantize --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/commands/Commands.h"
#include "compiler/config/OptConfig.h"
#include "compiler/config/Recipes.h"
#include "compiler/config/SettingEdits.h"
#include "compiler/driver/ImportSettings.h"
#include "quantizer/options/GlobalMethod.h"

#include <CLI/CLI.hpp>

#include <algorithm>

using namespace yarrow;

/// Keys of a configuration that say how to quantize.
static std::vector<const config::ConfigKey *> quantizationKeys() {
  std::vector<const config::ConfigKey *> keys;
  for (const config::ConfigKey &key : config::configKeys()) {
    static constexpr std::string_view kOthers[] = {
        "calibration_batch_size",
        "calibration_shuffe",
        "dump",
        "dump_dir",
        "enable_pass_detect_inf_mask_nodes",
        "encodings",
        "fake_quant_operators_for_debug",
        "fake_quant_scopes_for_debug",
        "global_calibration",
        "goal",
        "goal_agreement",
        "ignore_missing_statistic",
        "opt_config",
        "price",
        "peak_activation_bits",
        "qconfig",
        "range_headroom_of_16_bits",
        "rescue_price",
        "save_statistic_info",
        "set_qinvariant_for_start_nodes",
        "similarity_data_num",
        "statistic_file",
        "threshold",
        "unify_scales_for_concat",
        "unify_scales_for_concat_max_depth",
        "unify_scales_for_concat_threshold",
        "winograd_max_loss",
        "winograd_max_output_loss",
        "write_similarity_to_ir"};
    bool isSetting = key.kind.isPerLayer ||
                     std::ranges::find(kOthers, key.name) != std::end(kOthers);
    if (key.section == "Optimizer" && key.hasEffect() && isSetting)
      keys.push_back(&key);
  }
  return keys;
}

/// What a key means, and of a strategy also which there are.
static std::string helpOf(const config::ConfigKey &key) {
  std::string text(key.doc);
  if (key.kind.form == config::ValueKind::Global) {
    text.back() = ':';
    return text + " " + GlobalMethod::names() + ".";
  }
  if (key.kind.form != config::ValueKind::Strategy)
    return text;
  text.back() = ':';
  return text + " " + CalibrationStrategy::forms() + ".";
}

CLI::Option *yarrow::addRecipeOption(CLI::App &command, std::string &recipe,
                                     std::string help) {
  std::vector<std::string> names;
  for (const config::Recipe &known : config::recipes()) {
    names.emplace_back(known.name);
    help += " " + names.back() + ": " + std::string(known.doc);
  }
  return command.add_option("--recipe", recipe, help)
      ->check(CLI::IsMember(names));
}

void yarrow::addThresholdOption(CLI::App &command, std::string &threshold) {
  command
      .add_option("--threshold", threshold,
                  helpOf(*config::findConfigKey("Optimizer", "threshold")))
      ->type_name("VALUE");
}

void yarrow::addQuantizeFlags(CLI::App &command, QuantizeFlags &flags,
                              bool needsSamples) {
  command
      .add_option("graph", flags.graph,
                  "Float IR, text file, or ONNX or TFLite model")
      ->required();
  addInputShapeOption(command, flags.inputShapes);
  command.add_option("-w,--weights", flags.bin,
                     "Its weights (default: model_bin of the header)");
  command
      .add_option("-c,--calibration-data", flags.calibrationData,
                  ".npy with samples along the first axis, a picture or a "
                  "folder of pictures; a,b for several inputs")
      ->required(needsSamples);
  addPictureOptions(command, flags.pictures);
  flags.recipe = config::recipes().front().name;
  addRecipeOption(command, flags.recipe, "Settings of keys that are not given.")
      ->capture_default_str();
  for (const config::ConfigKey *key : quantizationKeys()) {
    // Who tries many settings tries none that a file decides.
    if (key->name == "encodings" && needsSamples)
      continue;
    command
        .add_option(optionOf(key->name), flags.keys[std::string(key->name)],
                    helpOf(*key) +
                        (key->defaultText.empty()
                             ? ""
                             : " Default: " + std::string(key->defaultText)))
        ->type_name("VALUE")
        ->group("How to quantize (keys of a configuration file)");
  }
}

std::map<std::string, std::string> QuantizeFlags::settings() const {
  std::map<std::string, std::string> settings;
  for (const auto &[key, value] : keys)
    if (!value.empty())
      settings[key] = value;
  for (const config::RecipeSetting &setting : config::settingsOf(recipe))
    settings.try_emplace(std::string(setting.key), setting.value);
  return settings;
}

std::optional<config::BuildConfig> yarrow::configOf(const QuantizeFlags &flags,
                                                    DiagnosticEngine &diags) {
  config::BuildConfig config = config::defaultBuildConfig();
  config.graph = flags.graph;
  config.bin = flags.bin;
  config.calibrationData = flags.calibrationData;
  config.recipe = flags.recipe;
  config.readingOptions = readingOptions(flags.inputShapes);
  std::size_t before = diags.numErrors();
  for (const auto &[key, value] : flags.keys)
    if (!value.empty())
      config::setConfigKey("Optimizer", key, value, "", config, diags,
                           {optionOf(key)});
  applyPictureFlags(flags.pictures, config, diags);
  config::applyRecipe(config, {"--recipe"}, diags);
  if (diags.numErrors() != before || !config::readOptConfig(config, diags))
    return std::nullopt;
  return config;
}
