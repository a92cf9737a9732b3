//===- Compile.cpp - yarrow compile ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/commands/CacheOption.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/DisabledPasses.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/model/ShapeRange.h"
#include "compiler/pipeline/ModuleFile.h"
#include "compiler/quantize/FormOptions.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/FileName.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

#include <filesystem>

#include <unistd.h>

using namespace yarrow;
using namespace mlir;

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

/// Integer weights can take the form of Winograd's algorithm that keeps every
/// byte.
static void addWinograd(const CompileFlags &flags,
                        const yarrow::isa::Machine &machine, Driver &driver,
                        CompileOptions &options) {
  // A module that is printed is all that the standard output gets.
  bool isReported = flags.stopAfter.empty() || flags.writesOutput;
  options.chooseForms = exactForms(
      {formUseOf(flags.winograd)}, machine, options, driver.work(),
      [&driver, isReported](const FormDecision &decision) {
        if (isReported)
          driver.printLine(decision.table(driver.tableWidth()) + "\n");
      });
}

/// Prints the module as it is after a phase before the last one, or writes it
/// where --output says.
static bool stopEarly(const CompileFlags &flags, ModuleOp network,
                      const yarrow::isa::Machine &machine,
                      const CompileOptions &options, Driver &driver) {
  OwningOpRef<ModuleOp> module =
      compileUntil(network, machine, options, flags.stopAfter, driver.diags);
  if (!module)
    return false;
  // A person at a terminal reads it; a program goes on with it.
  bool isRead = flags.writesOutput || !isatty(STDOUT_FILENO);
  ModuleForm form = isRead && !flags.withoutWeights ? ModuleForm::Complete
                                                    : ModuleForm::Brief;
  if (flags.writesOutput)
    return writeModule(*module, flags.output, form, driver.diags);
  driver.printLine(moduleText(*module, form));
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

static CompileOptions
compileOptions(const CompileFlags &flags,
               const std::vector<npu::Optimization> &disabled) {
  CompileOptions options;
  options.optimize = !flags.dontOptimize;
  options.disabled = disabled;
  options.isFootprintWanted = flags.tiling == "footprint";
  options.cache = flags.cache;
  options.samples = flags.batch;
  options.hasProfile = flags.profile;
  options.weightFile = flags.weightFile;
  options.instruments = flags.instruments;
  return options;
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

/// One executable with a program for each variant of the inputs' shapes.
static bool compileRange(const CompileFlags &flags,
                         const std::vector<graph::ImportOptions> &imports,
                         const yarrow::isa::Machine &machine,
                         const CompileOptions &options, Driver &driver) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto variants = readVariants(*context, flags.graph, flags.bin, driver.diags,
                               imports, flags.given);
  if (!driver.files.check(driver.diags) || variants.empty())
    return false;
  std::vector<ModuleOp> networks;
  networks.reserve(variants.size());
  for (OwningOpRef<ModuleOp> &variant : variants)
    networks.push_back(*variant);
  CompileOptions withDump = options;
  withDump.dumpNpuPath = flags.dumpNpu;
  CompileResult result;
  if (!compileVariants(networks, machine, withDump, flags.output, driver.diags,
                       &result))
    return false;
  driver.printNewDiagnostics();
  driver.printLine(
      std::to_string(networks.size()) +
      " shapes; for the largest: " + summary(flags, result, machine));
  return true;
}

static bool compile(const CompileFlags &flags, Driver &driver) {
  bool canWrite = planFiles(flags, driver);
  std::optional<yarrow::isa::Machine> machine =
      targetAt(flags.target, {"--target"}, driver.diags);
  const std::string &irFolder = flags.instruments.irFolder;
  if (!canWrite || !machine ||
      (!irFolder.empty() && !makeFolder(irFolder, driver.diags)))
    return false;
  auto disabled =
      disabledPasses(flags.disabledPasses, {"--disable-pass"}, driver.diags);
  if (!disabled)
    return false;
  auto import = importOptions(flags.reading, driver.diags);
  auto variants = import
                      ? shapeVariants(*import, flags.shapeRanges, driver.diags)
                      : std::nullopt;
  if (!variants ||
      (!flags.cache.empty() && !makeFolder(flags.cache, driver.diags)))
    return false;
  CompileOptions options = compileOptions(flags, *disabled);
  addWinograd(flags, *machine, driver, options);
  if (variants->size() > 1)
    return compileRange(flags, *variants, *machine, options, driver);
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module =
      readModel(*context, flags.graph, flags.bin, driver.diags,
                flags.stopAfter == "read" ? compass::ReadFor::Inspection
                                          : compass::ReadFor::Execution,
                variants->front(), flags.given);
  // The text's own weights are known by now.
  if (!driver.files.check(driver.diags) || !module)
    return false;
  if (!flags.stopAfter.empty())
    return stopEarly(flags, *module, *machine, options, driver);
  options.dumpNpuPath = flags.dumpNpu;
  CompileResult result;
  if (!compileNetwork(*module, *machine, options, flags.output, driver.diags,
                      &result))
    return false;
  driver.printNewDiagnostics();
  driver.printLine(summary(flags, result, *machine));
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
