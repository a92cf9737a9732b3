//===- QuantizeFlags.cpp - Options of commands that quantize --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/commands/Commands.h"
#include "compiler/config/CallSettings.h"
#include "compiler/config/Recipes.h"
#include "compiler/config/SettingEdits.h"
#include "compiler/model/ImportSettings.h"
#include "quantizer/options/GlobalMethod.h"

#include <CLI/CLI.hpp>

#include <algorithm>

using namespace yarrow;

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
                  "Float IR, text file, or ONNX, TFLite or GGUF model")
      ->required();
  addReadingOptions(command, flags.reading);
  command.add_option(
      "-w,--weights", flags.bin,
      "Read the weights from this file (default: the header's model_bin)");
  command
      .add_option("-c,--calibration-data", flags.calibrationData,
                  "Calibrate with a .npy of samples along the first axis, a "
                  "picture or a folder of pictures; a,b for several inputs")
      ->required(needsSamples);
  addResetOption(command, flags.resetEvery);
  addPictureOptions(command, flags.pictures);
  flags.recipe = config::recipes().front().name;
  addRecipeOption(
      command, flags.recipe,
      "Take the settings of keys that you do not give from this recipe.")
      ->capture_default_str();
  for (const config::ConfigKey *key : config::quantizationKeys()) {
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
  config.resetEvery = flags.resetEvery;
  config.readingOptions = readingOptions(flags.reading);
  config::KeyTexts keys = flags.keys;
  keys.insert(flags.pictures.keys.begin(), flags.pictures.keys.end());
  if (!config::applyQuantization(keys, config, diags))
    return std::nullopt;
  return config;
}

std::shared_ptr<const session::Network>
yarrow::loadFloats(const QuantizeFlags &flags, Driver &driver) {
  auto import =
      importOptions(flags.reading, driver.diags, flags.calibrationData);
  if (!import)
    return nullptr;
  session::ModelSource source{flags.graph, flags.bin};
  source.imports = {*import};
  source.use = session::LoadFor::Execution;
  return session::load(source, driver.call());
}
