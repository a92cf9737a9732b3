//===- QuantizeFlags.cpp - Options of commands that quantize --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/config/ConfigKeys.h"

#include <CLI/CLI.hpp>

#include <algorithm>

using namespace yarrow;

/// Keys of a configuration that say how to quantize.
static std::vector<const config::ConfigKey *> quantizationKeys() {
  std::vector<const config::ConfigKey *> keys;
  for (const config::ConfigKey &key : config::configKeys()) {
    bool isSetting = key.kind.isPerLayer ||
                     key.name == "calibration_batch_size" ||
                     key.name.starts_with("winograd_max_");
    if (key.section == "Optimizer" && key.hasEffect() && isSetting)
      keys.push_back(&key);
  }
  return keys;
}

static std::string flagName(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

/// What a key means, and of a strategy also which there are.
static std::string helpOf(const config::ConfigKey &key) {
  std::string text(key.doc);
  if (key.kind.form != config::ValueKind::Strategy)
    return text;
  text.back() = ':';
  return text + " " + CalibrationStrategy::forms() + ".";
}

void yarrow::addQuantizeFlags(CLI::App &command, QuantizeFlags &flags) {
  command.add_option("graph", flags.graph, "Float IR, text file")->required();
  command.add_option("-w,--weights", flags.bin,
                     "Its weights (default: model_bin of the header)");
  command
      .add_option("-c,--calibration-data", flags.calibrationData,
                  ".npy with samples along the first axis; a,b for several "
                  "inputs")
      ->required();
  for (const config::ConfigKey *key : quantizationKeys())
    command
        .add_option(flagName(key->name), flags.keys[std::string(key->name)],
                    helpOf(*key) +
                        (key->defaultText.empty()
                             ? ""
                             : " Default: " + std::string(key->defaultText)))
        ->type_name("VALUE")
        ->group("How to quantize (keys of a configuration file)");
}

std::optional<config::BuildConfig> yarrow::configOf(const QuantizeFlags &flags,
                                                    DiagnosticEngine &diags) {
  config::BuildConfig config = config::defaultBuildConfig();
  config.graph = flags.graph;
  config.bin = flags.bin;
  config.calibrationData = flags.calibrationData;
  std::size_t before = diags.numErrors();
  for (const auto &[key, value] : flags.keys) {
    if (value.empty())
      continue;
    Place place{flagName(key)};
    config::setConfigKey("Optimizer", key, value, "", config, diags, place);
  }
  if (diags.numErrors() != before)
    return std::nullopt;
  return config;
}
