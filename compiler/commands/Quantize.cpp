//===- Quantize.cpp - yarrow quantize -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Quantize.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/pipeline/ModuleFile.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/pipeline/WrittenIr.h"
#include "compiler/quantize/QuantizeNotes.h"
#include "compiler/quantize/WinogradKeys.h"
#include "compiler/report/ReportJson.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/FileName.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <unistd.h>

using namespace yarrow;

namespace {
struct CommandFlags {
  QuantizeFlags quantize;
  std::string outputDir = ".", modelName;
  std::string target = "X2_1204", winograd;
  std::string report, stopAfter;
  bool isBrief = false;
  PrequantizedOptions given;
};
} // namespace

static std::optional<config::BuildConfig> configOf(const CommandFlags &flags,
                                                   DiagnosticEngine &diags) {
  std::size_t before = diags.numErrors();
  if (std::string_view why = whyNoFileName(flags.modelName);
      !flags.modelName.empty() && !why.empty())
    diags
        .report(diag::ConfigBadValue, {"--model-name"},
                "the model's name is not valid")
        .found("'" + flags.modelName + "'")
        .expected(std::string(why));
  std::optional<config::BuildConfig> config = configOf(flags.quantize, diags);
  if (!config)
    return std::nullopt;
  warnOfPictureFlags(flags.quantize.pictures,
                     splitPaths(flags.quantize.calibrationData), diags);
  config->outputDir = flags.outputDir;
  config->target = flags.target;
  config->places["GBuilder.target"] = {"--target"};
  targetAt(config->target, config->place("GBuilder.target"), diags);
  applyWinogradFlag(flags.winograd, *config, diags);
  if (diags.numErrors() != before)
    return std::nullopt;
  return config;
}

namespace {
/// Where a process writes whose files nobody wants: all but the first one.
class ScratchFolder {
public:
  ScratchFolder() {
    llvm::SmallString<128> unique;
    if (!llvm::sys::fs::createUniqueDirectory("yarrow-rank", unique))
      path = unique.str().str();
  }
  ~ScratchFolder() {
    std::error_code error;
    if (!path.empty())
      std::filesystem::remove_all(path, error);
  }
  std::string path;
};
} // namespace

/// A model that is quantized already gives integer IR without calibration.
static bool writePrequantized(const session::Network &network,
                              const CommandFlags &flags,
                              const config::BuildConfig &config,
                              Driver &driver) {
  std::string name = flags.modelName.empty() ? network.name() : flags.modelName;
  std::string stem =
      (std::filesystem::path(config.outputDir) / (name + "_o")).string();
  if (!writeCheckedIr(network.module(), stem + ".txt", stem + ".bin",
                      config.graph, driver.diags))
    return false;
  driver.printNewDiagnostics();
  driver.printLine("the model's own integers: " +
                   formatCount(network.converted().inIntegers) + " of " +
                   formatCount(network.converted().layers) +
                   " operators in integers, wrote " + stem + ".txt and " +
                   stem + ".bin\n");
  return true;
}

/// Prints the module as it is after a phase: to a person without weights, to a
/// program with all that yarrow-opt needs to go on.
static bool stopEarly(std::shared_ptr<const session::Network> network,
                      const CommandFlags &flags,
                      const config::BuildConfig &config, Driver &driver) {
  session::PhaseModule stopped = session::quantizeUntil(
      std::move(network), config, flags.stopAfter, driver.call());
  if (!stopped.module)
    return false;
  driver.printNewDiagnostics();
  driver.printLine(moduleText(*stopped.module, isatty(STDOUT_FILENO)
                                                   ? ModuleForm::Brief
                                                   : ModuleForm::Complete));
  return true;
}

static bool quantize(const CommandFlags &flags, Driver &driver);

/// Every process does the whole, with its part of the calibration.
static bool quantizeSilently(CommandFlags flags, Driver &driver) {
  ScratchFolder folder;
  flags.outputDir = folder.path;
  flags.report.clear();
  return quantize(flags, driver);
}

/// The network that \p config names; null after errors.
static std::shared_ptr<const session::Network>
loadNetwork(const CommandFlags &flags, const config::BuildConfig &config,
            Driver &driver) {
  auto import = importOptions(flags.quantize.reading, driver.diags,
                              flags.quantize.calibrationData);
  if (!import)
    return nullptr;
  session::ModelSource source{config.graph, config.bin};
  source.imports = {*import};
  source.given = flags.given;
  source.use = config.calibrationData.empty() ? session::LoadFor::Execution
                                              : session::LoadFor::Quantization;
  return session::load(source, driver.call());
}

/// What became of the network, for a person and as a report.
static bool reportQuantized(const CommandFlags &flags,
                            const session::Quantized &result, Driver &driver) {
  const QuantizedModel &model = result.model;
  driver.printNewDiagnostics();
  driver.printLine(ruleTable(model.rules, driver.tableWidth()));
  if (!flags.isBrief && !model.layers.empty())
    driver.printLine(layerTable(model.layers, driver.tableWidth()) + "\n");
  if (model.winograd)
    driver.printLine(model.winograd->table(driver.tableWidth()) + "\n");
  driver.printLine(methodSummary(model.methods));
  if (!model.layers.empty())
    driver.printLine(layerSummary(model.layers));
  driver.printLine(calibratedWith(result.config, model) + ", wrote " +
                   model.txtPath + " and " + model.binPath + "\n");
  ReportDocument report = quantizeReport(result.config, model);
  report.written = {{"graph", model.txtPath},
                    {"weights", model.binPath},
                    {"opt_template", model.templatePath}};
  return writeReport(flags.report, report, driver.diags);
}

static bool quantize(const CommandFlags &flags, Driver &driver) {
  std::optional<config::BuildConfig> config = configOf(flags, driver.diags);
  if (!config)
    return false;
  driver.files.writes(flags.report);
  NewFolders folders;
  bool areThere = canRead({config->graph}, driver.diags);
  areThere &= canReadData(splitPaths(config->calibrationData), driver.diags);
  if (!areThere || !folders.make(config->outputDir, driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  auto network = loadNetwork(flags, *config, driver);
  if (!network)
    return false;
  if (network->converted().layers != 0) {
    warnOfEncodings(*config, driver.diags);
    return writePrequantized(*network, flags, *config, driver);
  }
  if (network->isQuantized()) {
    driver.diags
        .report(diag::QuantUnsupported, {config->graph},
                "the network is already quantized")
        .hint("give the float IR, or continue with `yarrow compile`");
    return false;
  }
  config->modelName =
      flags.modelName.empty() ? network->name() : flags.modelName;
  if (!flags.stopAfter.empty())
    return stopEarly(std::move(network), flags, *config, driver);
  config->outIrName = config->modelName + "_o";
  auto result = session::quantize(
      std::move(network), session::ConfiguredQuantization{std::move(*config)},
      driver.call());
  return result && reportQuantized(flags, *result, driver);
}

void yarrow::addQuantizeCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<CommandFlags>();
  CLI::App *command = app.add_subcommand(
      "quantize", "Convert float IR to integer IR, with calibration samples");
  command->add_option("-o,--output-dir", flags->outputDir,
                      "Write <model>_o.txt and <model>_o.bin to this folder");
  command->add_option("--model-name", flags->modelName,
                      "Set the first part of the files' names (default: the "
                      "header's model_name)");
  command->add_flag("--brief", flags->isBrief, "Leave out the table of layers");
  command->add_option(
      "--report,--json", flags->report,
      "Write the figures of every layer as JSON (docs/report.md)");
  command
      ->add_option("--stop-after", flags->stopAfter,
                   "Print the module after this phase and write no files; "
                   "after calibrate it shows the range of every tensor. "
                   "yarrow-opt continues from it")
      ->check(CLI::IsMember(phasesToStopAfter(Stop::Quantize)));
  addWinogradOption(*command, flags->winograd);
  addRoundingOption(*command, flags->given);
  command
      ->add_option("-t,--target", flags->target,
                   "Choose Winograd for this machine")
      ->capture_default_str();
  // Statistics of a file can take their place.
  addQuantizeFlags(*command, flags->quantize, /*needsSamples=*/false);
  addFoldOption(*command, flags->quantize.pictures);
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow quantize net.txt -w net.bin -c calibration.npy -o out \\\n"
          "    --quantize-method-for-weight "
          "per_channel_symmetric_restricted_range \\\n"
          "    --activation-bits '8 & <[Softmax]:16>'\n"
          "The last line gives Softmax layers 16 bits and all others 8.\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] {
    driver.finish(driver.isSilent() ? quantizeSilently(*flags, driver)
                                    : quantize(*flags, driver));
  });
}
