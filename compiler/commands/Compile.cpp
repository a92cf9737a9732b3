//===- Compile.cpp - yarrow compile ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/commands/Commands.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/WinogradDecision.h"
#include "compiler/pipeline/Phases.h"
#include "dialects/compass/Execution.h"
#include "passes/lower/Lower.h"
#include "passes/plan/Plan.h"
#include "support/AtomicFile.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;

namespace {
struct CompileFlags {
  std::string graph, bin, target = "X2_1204", output = "aipu.bin";
  std::string dumpNpu, stopAfter, tiling, winograd = "off";
  bool optimize = false, dontOptimize = false, profile = false;
  bool verifySchedule = false;
};
} // namespace

/// The phases that a module can be printed after.
static std::vector<std::string> phaseNames() {
  std::vector<std::string> names;
  for (const Phase &phase : kPhases)
    if (phase.canStop)
      names.push_back(phase.name);
  return names;
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags print;
  print.elideLargeElementsAttrs(16).elideLargeResourceString(16);
  module->print(os, print);
  os << '\n';
  return text;
}

/// Integer weights can take the form of Winograd's algorithm that keeps every
/// byte.
static bool rewrite(const CompileFlags &flags,
                    const yarrow::isa::Machine &machine,
                    const CompileOptions &options,
                    OwningOpRef<ModuleOp> &network, Driver &driver) {
  WinogradSettings settings{winogradUseOf(flags.winograd)};
  if (settings.use == WinogradUse::Off)
    return true;
  if (!compass::checkExecutable(*network, driver.diags))
    return false;
  WinogradDecision decision;
  if (!applyExactWinograd(network, settings, machine, options, driver,
                          decision))
    return false;
  driver.say(decision.table(driver.tableWidth()) + "\n");
  return true;
}

/// Prints the module as it is after a phase before the last one.
static bool stopEarly(const CompileFlags &flags, ModuleOp network,
                      const yarrow::isa::Machine &machine, Driver &driver) {
  if (flags.stopAfter == "read") {
    driver.say(textOf(network));
    return true;
  }
  if (!compass::checkExecutable(network, driver.diags))
    return false;
  OwningOpRef<ModuleOp> cleaned, module;
  if (flags.dontOptimize)
    cleaned = cast<ModuleOp>(network->clone());
  else
    cleaned = cleanNetwork(network, driver.diags);
  if (!cleaned)
    return false;
  if (flags.stopAfter == "cleanup") {
    driver.say(textOf(*cleaned));
    return true;
  }
  CompileOptions options;
  options.optimize = !flags.dontOptimize;
  if (!rewrite(flags, machine, options, cleaned, driver))
    return false;
  network = *cleaned;
  if (flags.stopAfter == "winograd") {
    driver.say(textOf(network));
    return true;
  }
  if (flags.stopAfter == "schedule") {
    CompileResult result;
    module = compileToNpu(network, machine, options, result, driver.diags);
  } else {
    npu::LowerOptions lower;
    lower.fuseResidual = lower.stageKernels = !flags.dontOptimize;
    if (flags.dontOptimize)
      lower.residentFraction = 0;
    module = npu::lowerToNpu(network, machine, lower, driver.diags);
    if (module && flags.stopAfter == "plan")
      npu::planMemory(*module, machine, {!flags.dontOptimize});
  }
  if (!module)
    return false;
  driver.say(textOf(*module));
  return true;
}

static std::string summary(const CompileFlags &flags,
                           const CompileResult &result,
                           const yarrow::isa::Machine &machine) {
  std::error_code error;
  uint64_t size = std::filesystem::file_size(flags.output, error);
  return "wrote " + flags.output + " (" + formatBytes(error ? 0 : size) +
         ") for " + machine.name + ": " + formatCount(result.commands) +
         " engine commands, " + formatCount(result.kernels) +
         " TEC kernels, weights " + formatBytes(result.weightBytes) +
         ", workspace " + formatBytes(result.workspaceBytes) + ", SRAM " +
         formatBytes(result.sramBytes) + " of " +
         formatBytes(machine.sramBytes) + "\n";
}

static bool compile(const CompileFlags &flags, Driver &driver) {
  driver.files.reads({flags.graph, flags.bin});
  if (flags.stopAfter.empty())
    driver.files.writes({flags.output, flags.dumpNpu});
  std::optional<yarrow::isa::Machine> machine =
      targetAt(flags.target, {"--target"}, driver.diags);
  if (!driver.files.canBeWritten(driver.diags) || !machine)
    return false;
  if (flags.tiling == "footprint")
    driver.diags
        .report(DiagId::ConfigNotApplied, {"--tiling"},
                "tiling = footprint is not applied")
        .hint("tiles are chosen for speed, as with tiling = fps");
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module =
      readModel(*context, flags.graph, flags.bin, driver.diags,
                flags.stopAfter == "read" ? compass::ReadFor::Inspection
                                          : compass::ReadFor::Execution);
  // The text's own weights are known by now.
  if (!driver.files.check(driver.diags) || !module)
    return false;
  if (!flags.stopAfter.empty())
    return stopEarly(flags, *module, *machine, driver);
  CompileOptions options;
  options.optimize = !flags.dontOptimize;
  if (!rewrite(flags, *machine, options, module, driver))
    return false;
  options.verifySchedule = flags.verifySchedule;
  options.dumpNpuPath = flags.dumpNpu;
  CompileResult result;
  if (!compileNetwork(*module, *machine, options, flags.output, driver.diags,
                      &result))
    return false;
  driver.printNewDiagnostics();
  driver.say(summary(flags, result, *machine));
  return true;
}

void yarrow::addCompileCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<CompileFlags>();
  CLI::App *command = app.add_subcommand(
      "compile", "Compile integer IR into an executable for a target");
  command->add_option("graph", flags->graph, "Integer IR, text file")
      ->required();
  command->add_option("-w,--weights", flags->bin,
                      "Its weights (default: model_bin of the header)");
  command
      ->add_option("-t,--target", flags->target,
                   "A built-in machine (`yarrow targets`) or a .json file")
      ->capture_default_str();
  command->add_option("-o,--output", flags->output, "The executable")
      ->capture_default_str();
  addWinogradOption(*command, flags->winograd);
  command->add_flag("--optimize", flags->optimize,
                    "-O: optimize (the default)");
  command
      ->add_flag("--no-optimize", flags->dontOptimize,
                 "-O0: no fusion, nothing kept in SRAM, no prefetch")
      ->excludes("--optimize");
  command->add_option("--dump-npu", flags->dumpNpu,
                      "Write the scheduled commands as MLIR");
  command
      ->add_option("--stop-after", flags->stopAfter,
                   "Print the module after this phase and stop")
      ->check(CLI::IsMember(phaseNames()));
  command->add_flag("--verify-schedule", flags->verifySchedule,
                    "Check every hazard of the schedule (slow)");
  command
      ->add_flag("-p,--profile", flags->profile,
                 "Accepted: every executable can be profiled, see "
                 "`yarrow run --timed`")
      ->group("For users of aipugb");
  command
      ->add_option("--tiling", flags->tiling,
                   "Accepted: tiles are chosen for speed; footprint warns")
      ->check(CLI::IsMember({"fps", "footprint"}))
      ->group("For users of aipugb");
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow compile net_o.txt -w net_o.bin --target X2_1204 -o "
          "aipu.bin\n"
          "  yarrow compile net_o.txt --target my_machine.json --stop-after "
          "schedule\n\n"
          "The executable runs on the simulator. The instruction set is our "
          "own\n"
          "(docs/isa.md): it does not run on a physical Zhouyi NPU.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(compile(*flags, driver)); });
}
