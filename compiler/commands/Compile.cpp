//===- Compile.cpp - yarrow compile ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Compile.h"
#include "compiler/commands/CacheOption.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/DisabledPasses.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/ShapeRange.h"
#include "compiler/pipeline/ModuleFile.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/FileName.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

#include <filesystem>

#include <unistd.h>

using namespace yarrow;

namespace {
struct CompileFlags {
  std::string graph, bin, target = "X2_1204", output = "aipu.bin";
  std::string dumpNpu, stopAfter, tiling = "fps", winograd = "off";
  std::string cache, weightFile;
  uint32_t batch = 1;
  std::vector<std::string> disabledPasses, shapeRanges;
  ReadingFlags reading;
  PrequantizedOptions given;
  bool optimize = false, dontOptimize = false, profile = false;
  bool verifySchedule = false, writesOutput = false, withoutWeights = false;
  PassInstruments instruments;
};
} // namespace

/// What was decided of the forms of layers, if anything was.
static void printForms(const std::optional<FormDecision> &decision,
                       Driver &driver) {
  if (decision)
    driver.printLine(decision->table(driver.tableWidth()) + "\n");
}

/// Prints the module as it is after a phase before the last one, or writes it
/// where --output says.
static bool stopEarly(const CompileFlags &flags,
                      std::shared_ptr<const session::Network> network,
                      const session::CompileSettings &settings,
                      Driver &driver) {
  session::PhaseModule stopped = session::compileUntil(
      std::move(network), settings, flags.stopAfter, driver.call());
  // A module that is printed is all that the standard output gets.
  if (flags.writesOutput)
    printForms(stopped.forms, driver);
  if (!stopped.module)
    return false;
  // A person at a terminal reads it; a program goes on with it.
  bool isRead = flags.writesOutput || !isatty(STDOUT_FILENO);
  ModuleForm form = isRead && !flags.withoutWeights ? ModuleForm::Complete
                                                    : ModuleForm::Brief;
  if (flags.writesOutput)
    return writeModule(*stopped.module, flags.output, form, driver.diags);
  driver.printLine(moduleText(*stopped.module, form));
  return true;
}

static std::string summary(const CompileFlags &flags,
                           const CompileResult &result,
                           const yarrow::isa::Machine &machine) {
  std::error_code error;
  uint64_t size = std::filesystem::file_size(flags.output, error);
  return "wrote " + flags.output + " (" + formatBytes(error ? 0 : size) +
         ") for " + machine.name + ": " + formatCount(result.count.commands) +
         " engine commands, " + formatCount(result.count.kernels) +
         " TEC kernels, weights " + formatBytes(result.memory.weightBytes) +
         ", workspace " + formatBytes(result.memory.workspaceBytes) +
         ", SRAM " + formatBytes(result.memory.sramBytes) + " of " +
         formatBytes(machine.sramBytes) + "\n";
}

static session::CompileSettings settingsOf(const CompileFlags &flags,
                                           yarrow::isa::Machine machine) {
  session::CompileSettings settings;
  settings.machine = std::move(machine);
  settings.winograd = flags.winograd;
  settings.tiling = flags.tiling;
  settings.cache = flags.cache;
  settings.disabledPasses = flags.disabledPasses;
  settings.optimize = !flags.dontOptimize;
  settings.hasProfile = flags.profile;
  settings.batch = flags.batch;
  settings.instruments = flags.instruments;
  return settings;
}

/// Files, and their names.
static bool planFiles(const CompileFlags &flags, Driver &driver) {
  driver.files.reads({flags.graph, flags.bin});
  if (flags.stopAfter.empty() || flags.writesOutput)
    driver.files.writes(flags.output);
  if (flags.stopAfter.empty())
    driver.files.writes(flags.dumpNpu);
  if (flags.weightFile.empty())
    return driver.files.canBeWritten(driver.diags);
  std::string_view why = whyNoFileName(flags.weightFile);
  // A driver takes what comes before a plus sign.
  if (why.empty() && flags.weightFile.find('+') != std::string::npos)
    why = "it must not have a plus sign";
  if (!why.empty()) {
    driver.usageError("--weight-file " + flags.weightFile +
                          " is not a file name: " + std::string(why),
                      "the file is written next to the executable");
    return false;
  }
  driver.files.writes(
      (std::filesystem::path(flags.output).parent_path() / flags.weightFile)
          .string());
  return driver.files.canBeWritten(driver.diags);
}

/// The model as it is to be read. Nullopt after errors.
static std::optional<session::ModelSource>
sourceOf(const CompileFlags &flags, yarrow::DiagnosticEngine &diags) {
  auto import = importOptions(flags.reading, diags);
  auto variants =
      import ? shapeVariants(*import, flags.shapeRanges, diags) : std::nullopt;
  if (!variants)
    return std::nullopt;
  session::ModelSource source{flags.graph, flags.bin};
  source.imports = std::move(*variants);
  source.given = flags.given;
  source.use = flags.stopAfter == "read" ? session::LoadFor::Inspection
                                         : session::LoadFor::Execution;
  return source;
}

static bool compile(const CompileFlags &flags, Driver &driver) {
  bool canWrite = planFiles(flags, driver);
  std::optional<yarrow::isa::Machine> machine =
      targetAt(flags.target, {"--target"}, driver.diags);
  const std::string &irFolder = flags.instruments.irFolder;
  if (!canWrite || !machine ||
      (!irFolder.empty() && !makeFolder(irFolder, driver.diags)) ||
      !disabledPasses(flags.disabledPasses, {"--disable-pass"}, driver.diags))
    return false;
  auto source = sourceOf(flags, driver.diags);
  if (!source ||
      (!flags.cache.empty() && !makeFolder(flags.cache, driver.diags)))
    return false;
  auto network = session::load(*source, driver.call());
  // The text's own weights are known by now.
  if (!driver.files.check(driver.diags) || !network)
    return false;
  session::CompileSettings settings = settingsOf(flags, *machine);
  if (!flags.stopAfter.empty())
    return stopEarly(flags, std::move(network), settings, driver);
  std::size_t shapes = network->numVariants();
  session::Compiled compiled = session::compileToFiles(
      std::move(network), settings,
      {flags.output, flags.weightFile, flags.dumpNpu}, driver.call());
  printForms(compiled.forms, driver);
  if (!compiled.numbers)
    return false;
  driver.printNewDiagnostics();
  driver.printLine((shapes > 1
                        ? std::to_string(shapes) + " shapes; for the largest: "
                        : "") +
                   summary(flags, *compiled.numbers, *machine));
  return true;
}

void yarrow::addCompileCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<CompileFlags>();
  CLI::App *command = app.add_subcommand(
      "compile", "Compile integer IR, or an already quantized model, into an "
                 "executable for a target");
  command
      ->add_option(
          "graph", flags->graph,
          "Integer IR (text file), or a quantized ONNX or TFLite model")
      ->required();
  command->add_option(
      "-w,--weights", flags->bin,
      "Read the weights from this file (default: the header's model_bin)");
  command
      ->add_option("-t,--target", flags->target,
                   "Compile for this machine: a built-in one (`yarrow "
                   "targets`) or a .json file")
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "-o,--output",
          [flags](const std::string &path) {
            flags->output = path;
            flags->writesOutput = true;
          },
          "Write the executable, or with --stop-after the module, to this file")
      ->default_str(flags->output);
  addWinogradOption(*command, flags->winograd);
  addOptimizeOptions(*command, flags->optimize, flags->dontOptimize);
  addDisabledPassesOption(*command, flags->disabledPasses);
  addReadingOptions(*command, flags->reading);
  CLI::Option *ranges = addShapeRangeOption(*command, flags->shapeRanges);
  addRoundingOption(*command, flags->given);
  command
      ->add_option("--batch", flags->batch,
                   "Compute this many samples per run, along the first axis of "
                   "inputs and outputs, on all cores at once")
      ->check(CLI::Range(1, 64))
      ->excludes(ranges)
      ->capture_default_str();
  command->add_option("--weight-file", flags->weightFile,
                      "Write the constants to a separate file with this name "
                      "next to the executable, which needs it to run");
  command->add_option("--dump-npu", flags->dumpNpu,
                      "Write the scheduled commands as MLIR");
  command
      ->add_option(
          "--stop-after", flags->stopAfter,
          "Stop after this phase and print the module, or write it to --output "
          "(.mlirbc: as bytecode); yarrow-opt continues from it")
      ->check(CLI::IsMember(phasesToStopAfter(Stop::Compile)))
      ->excludes(ranges);
  command
      ->add_flag("--without-weights", flags->withoutWeights,
                 "Write readable text with --stop-after, without weights and "
                 "locations, as on a terminal")
      ->needs("--stop-after");
  command->add_flag("--timing", flags->instruments.timing,
                    "Print how long each pass takes");
  command->add_option("--ir-folder", flags->instruments.irFolder,
                      "Write the module to this folder after each pass");
  command
      ->add_flag("--verify-schedule", flags->verifySchedule,
                 "Accept this option without effect: every schedule is checked")
      ->group("For scripts of earlier versions");
  command->add_flag(
      "-p,--profile", flags->profile,
      "Add a profile tensor with each job's cycles, for applications of the "
      "Compass driver. `yarrow run --timed` does not need it");
  command
      ->add_option("--tiling", flags->tiling,
                   "Choose plans by cycles (fps) or by the SRAM that they take "
                   "(footprint)")
      ->check(CLI::IsMember({"fps", "footprint"}))
      ->capture_default_str();
  addCacheOption(*command, flags->cache);
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow compile net_o.txt -w net_o.bin --target X2_1204 -o "
          "aipu.bin\n"
          "  yarrow compile net_o.txt --target my_machine.json --stop-after "
          "schedule\n\n"
          "The executable runs on the simulator. Its instruction set is "
          "Yarrow's own\n(docs/isa.md): it does not run on a physical Zhouyi "
          "NPU.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(compile(*flags, driver)); });
}
