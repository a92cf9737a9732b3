//===- BuildCompile.cpp - The executable of a build -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildCompile.h"
#include "compiler/quantize/FormOptions.h"
#include "compiler/quantize/WinogradKeys.h"
#include "compiler/report/ReportJson.h"
#include "compiler/session/DisabledPasses.h"
#include "support/Format.h"

using namespace yarrow;
using namespace mlir;

bool BuildCompile::choosePasses() {
  auto passes =
      disabledPasses(config.disabledPasses,
                     config.place("GBuilder.disable_pass"), driver.diags);
  disabled = passes.value_or(disabled);
  return passes.has_value();
}

CompileOptions BuildCompile::options() const {
  CompileOptions options;
  options.optimize = !flags.dontOptimize;
  options.disabled = disabled;
  options.isFootprintWanted = config.tiling == config::Tiling::Footprint;
  options.cache = flags.cache;
  return options;
}

void BuildCompile::printForms(const std::optional<FormDecision> &decision,
                              ReportDocument &report) {
  if (!decision)
    return;
  driver.printLine("\n" + decision->table(driver.tableWidth()) + "\n");
  report.winograd = winogradJson(*decision);
}

/// An IR that came in integers can still get the form that keeps its bytes.
void BuildCompile::addForms(QuantizedModel &model,
                            const yarrow::isa::Machine &machine,
                            ReportDocument &report, CompileOptions &options) {
  if (model.original)
    return;
  options.chooseForms = exactForms(winogradSettings(config), machine, options,
                                   driver.work(), [&](const FormDecision &d) {
                                     model.winograd = d;
                                     printForms(model.winograd, report);
                                   });
}

bool BuildCompile::compile(QuantizedModel &model,
                           const yarrow::isa::Machine &machine,
                           const CompileOptions &options,
                           CompileResult &result) {
  if (model.smaller.empty())
    return compileNetwork(*model.quantized, machine, options,
                          files.executable(), driver.diags, &result);
  std::vector<ModuleOp> networks;
  networks.reserve(model.smaller.size() + 1);
  for (OwningOpRef<ModuleOp> &network : model.smaller)
    networks.push_back(*network);
  networks.push_back(*model.quantized);
  driver.printLine("programs for inputs of " + std::to_string(networks.size()) +
                   " shapes; these figures are for the largest\n");
  return compileVariants(networks, machine, options, files.executable(),
                         driver.diags, &result);
}

bool BuildCompile::run(QuantizedModel &model,
                       const yarrow::isa::Machine &machine,
                       ReportDocument &report) {
  CompileOptions all = options();
  addForms(model, machine, report, all);
  if (config.dump)
    all.dumpNpuPath = files.npuDump();
  CompileResult result;
  if (!compile(model, machine, all, result))
    return false;
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
