//===- FormOptions.cpp - What commands say of the forms of layers ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/FormOptions.h"
#include "compiler/config/ConfigKeys.h"
#include "compiler/forms/CycleCount.h"
#include "support/Format.h"

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

FormSearchTask yarrow::formSearch(const FormSettings &settings,
                                  const isa::Machine &machine,
                                  const CompileOptions &compile,
                                  const Work &work) {
  FormSearchTask search{settings, machine,
                        simulatedCost(machine, compile, work.diags)};
  search.onTrial =
      [step = std::shared_ptr(work.begin("winograd"))](uint64_t cycles) {
        step->advance(1, formatCount(cycles) + " cycles");
      };
  return search;
}

decltype(CompileOptions::chooseForms)
yarrow::exactForms(const FormSettings &settings, const isa::Machine &machine,
                   CompileOptions trial, Work work,
                   std::function<void(const FormDecision &)> notify) {
  if (settings.use == FormUse::Off)
    return {};
  return [settings, &machine, trial = std::move(trial), work = std::move(work),
          notify =
              std::move(notify)](mlir::OwningOpRef<mlir::ModuleOp> &network) {
    FormDecision decision;
    if (!chooseExactForms(network, formSearch(settings, machine, trial, work),
                          work.diags, decision))
      return false;
    if (notify)
      notify(decision);
    return true;
  };
}
