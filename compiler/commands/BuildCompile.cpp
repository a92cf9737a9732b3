//===- BuildCompile.cpp - The executable of a build -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildCompile.h"
#include "compiler/quantize/WinogradKeys.h"
#include "compiler/report/ReportJson.h"
#include "compiler/session/DisabledPasses.h"
#include "support/Format.h"

using namespace yarrow;

bool BuildCompile::choosePasses() {
  return disabledPasses(config.disabledPasses,
                        config.place("GBuilder.disable_pass"), driver.diags)
      .has_value();
}

session::CompileSettings BuildCompile::settings() const {
  session::CompileSettings settings;
  settings.optimize = !flags.dontOptimize;
  settings.disabledPasses = config.disabledPasses;
  if (config.tiling == config::Tiling::Footprint)
    settings.tiling = "footprint";
  settings.cache = flags.cache;
  return settings;
}

void BuildCompile::printForms(const std::optional<FormDecision> &decision,
                              ReportDocument &report) {
  if (!decision)
    return;
  driver.printLine("\n" + decision->table(driver.tableWidth()) + "\n");
  report.winograd = winogradJson(*decision);
}

bool BuildCompile::run(const session::Quantized &made,
                       const yarrow::isa::Machine &machine,
                       ReportDocument &report) {
  session::CompileSettings all = settings();
  all.machine = machine;
  // An IR that came in integers can still get the form that keeps its bytes.
  if (!made.model.original)
    all.forms = winogradSettings(config);
  session::CompileFiles written{files.executable()};
  if (config.dump)
    written.npuDump = files.npuDump();
  if (std::size_t shapes = made.network->numVariants(); shapes > 1)
    driver.printLine("programs for inputs of " + std::to_string(shapes) +
                     " shapes; these figures are for the largest\n");
  session::Compiled compiled =
      session::compileToFiles(made.network, all, written, driver.call());
  printForms(compiled.forms, report);
  if (!compiled.numbers)
    return false;
  const CompileResult &result = *compiled.numbers;
  driver.printLine(formatCount(result.count.commands) + " engine commands, " +
                   formatCount(result.count.kernels) +
                   " TEC kernels, weights " +
                   formatBytes(result.memory.weightBytes) + ", SRAM " +
                   formatBytes(result.memory.sramBytes) + " of " +
                   formatBytes(machine.sramBytes) + "\n");
  report.target = machine.name;
  report.written["executable"] = files.executable();
  return true;
}
