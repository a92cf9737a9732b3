//===- BuildSettings.cpp - The configuration of a build -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildSettings.h"
#include "compiler/config/Recipes.h"
#include "compiler/config/SettingEdits.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/quantize/WinogradKeys.h"

#include "llvm/ADT/StringExtras.h"

#include <filesystem>

using namespace yarrow;
using namespace yarrow::config;
namespace fs = std::filesystem;

/// Where a model alone is built: a folder of its name, here.
static std::string folderNamedAfter(const std::string &model) {
  std::string name = nameOfFile(model);
  std::error_code error;
  bool isTaken = fs::exists(name, error) && !fs::is_directory(name, error);
  return isTaken ? name + "_build" : name; // by the model itself, mostly
}

/// Options that set a key, as lines of the configuration.
static bool collectSettings(const BuildFlags &flags, Driver &driver,
                            std::vector<ConfigSetting> &settings) {
  bool ok = true;
  for (const std::string &text : flags.settings) {
    if (auto setting = parseSetting(text)) {
      settings.push_back(std::move(*setting));
      continue;
    }
    driver.usageError("--set " + text + " needs a key and a value",
                      "--set weight_bits=4 sets a key");
    ok = false;
  }
  auto add = [&](const char *section, const std::string &key,
                 const std::string &option, const std::string &value) {
    if (!value.empty())
      settings.push_back({section, key, value, option, true});
  };
  add("Optimizer", "calibration_data", "--calibration-data",
      flags.calibrationData);
  add("Optimizer", "data", "--data", flags.data);
  add("Optimizer", "label", "--label", flags.label);
  bool isModel = isNetworkFile(flags.config);
  add("Optimizer", "output_dir", "--output-dir",
      flags.outputDir.empty() && isModel ? folderNamedAfter(flags.config)
                                         : flags.outputDir);
  add("Optimizer", "recipe", "--recipe", flags.recipe);
  add("Optimizer", "goal", "--goal", flags.goal);
  add("Optimizer", "price", "--price", flags.price);
  add("Optimizer", "threshold", "--threshold", flags.threshold);
  for (const auto &[key, value] : flags.pictures.keys)
    add("Parser", key, optionOf(key), value);
  add("GBuilder", "target", "--target", flags.target);
  add("GBuilder", "disable_pass", "--disable-pass",
      llvm::join(flags.disabledPasses, ","));
  return ok;
}

/// A model alone is built as the configuration would that names it, the default
/// target and the recipe that `quantize` has.
static std::string textOfModel(const BuildFlags &flags) {
  std::string text =
      "[Optimizer]\ngraph = " + fs::path(flags.config).filename().string() +
      "\nmodel_name = " + nameOfFile(flags.config) +
      "\nrecipe = " + std::string(kAutoRecipe) + "\n";
  if (flags.target.empty())
    text += "[GBuilder]\ntarget = X2_1204\n";
  return text;
}

std::optional<BuildConfig> yarrow::readSettings(const BuildFlags &flags,
                                                Driver &driver) {
  ConfigOptions options;
  options.allowUnknown = flags.allowUnknown;
  if (!collectSettings(flags, driver, options.settings))
    return std::nullopt;
  std::optional<BuildConfig> config =
      isNetworkFile(flags.config)
          ? parseBuildConfig(textOfModel(flags), flags.config, options,
                             driver.diags)
          : readBuildConfig(flags.config, options, driver.diags);
  if (!config)
    return std::nullopt;
  // Weights of another name are those that the text says.
  std::error_code error;
  if (!config->isSet("Optimizer.bin") && !fs::exists(config->bin, error))
    config->bin.clear();
  config->resetEvery = flags.resetEvery;
  config->readingOptions = readingOptions(flags.reading, flags.shapeRanges);
  config->drawsSamples = isNetworkFile(flags.config) && flags.data.empty();
  // Another output folder leaves the configuration's own alone altogether.
  if (!flags.outputDir.empty() || isNetworkFile(flags.config))
    for (std::string &path : config->outputs)
      path = (fs::path(config->outputDir) / fs::path(path).filename()).string();
  applyWinogradFlag(flags.winograd, *config, driver.diags);
  return config;
}
