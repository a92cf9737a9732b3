//===- WinogradKeys.cpp - Settings of the forms of layers ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/WinogradKeys.h"
#include "compiler/config/ConfigKeys.h"

using namespace yarrow;
using config::BuildConfig;

FormSettings yarrow::winogradSettings(const BuildConfig &config) {
  FormSettings settings;
  settings.maxLossDb = config.winogradMaxLossDb;
  settings.maxOutputLossDb = config.winogradMaxOutputLossDb;
  bool isWanted = config.withWinograd.global;
  for (const auto &rule : config.withWinograd.rules)
    isWanted |= rule.value;
  if (isWanted)
    settings.use = config.winogradDecision == config::WinogradChoice::All
                       ? FormUse::All
                       : FormUse::Auto;
  return settings;
}

void yarrow::applyWinogradFlag(const std::string &word, BuildConfig &config,
                               DiagnosticEngine &diags) {
  auto set = [&](const char *key, const char *value) {
    config::setConfigKey("Optimizer", key, value, "", config, diags,
                         {"--winograd"});
  };
  if (word.empty())
    return;
  bool isOff = formUseOf(word) == FormUse::Off;
  if (isOff || !config.isSet("Optimizer.with_winograd"))
    set("with_winograd", isOff ? "False" : "True");
  if (!isOff)
    set("winograd_decision", word.c_str());
}
