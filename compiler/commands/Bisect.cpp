//===- Bisect.cpp - yarrow bisect -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/Bisect.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/Numbers.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/report/ReportJson.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

using namespace yarrow;

namespace {
struct BisectFlags {
  BisectOptions options;
  std::string inputs, report;
  ReadingFlags reading;
};
} // namespace

/// False if one cannot be written, or would replace another. The replay's
/// folder is made when there is something to put there.
static bool declareFiles(const BisectFlags &flags, Driver &driver) {
  for (const std::string &side :
       {flags.options.expected, flags.options.found, flags.options.model}) {
    auto [txt, bin] = splitModelPaths(side);
    driver.files.reads({txt, bin});
  }
  driver.files.reads(splitPaths(flags.inputs));
  driver.files.writes(flags.report);
  if (!driver.files.canBeWritten(driver.diags))
    return false;
  ReplayFiles replay = replayFiles(flags.options.folder, 1);
  if (!flags.options.folder.empty())
    driver.files.writes({replay.text, replay.weights, replay.inputs[0],
                         replay.expected, replay.actual});
  return driver.files.check(driver.diags);
}

static bool bisectExecutions(BisectFlags &flags, Driver &driver) {
  if (!declareFiles(flags, driver))
    return false;
  auto import = importOptions(flags.reading, driver.diags);
  if (!import)
    return false;
  flags.options.import = std::move(*import);
  flags.options.inputs = splitPaths(flags.inputs);
  Bisector bisector(flags.options, driver.call());
  if (!bisector.open()) {
    if (!bisector.misuse().empty())
      driver.usageError(bisector.misuse(),
                        "`yarrow bisect --help` lists what can be compared");
    return false;
  }
  auto answer = bisector.run();
  if (!answer)
    return false;
  ReportDocument report("bisect");
  report.bisection = answer->json();
  if (!writeReport(flags.report, report, driver.diags))
    return false;
  driver.printNewDiagnostics();
  driver.printLine(answer->text());
  driver.passCode = answer->differs ? ExitCheck : ExitOk;
  return true;
}

void yarrow::addBisectCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<BisectFlags>();
  BisectOptions &options = flags->options;
  options.folder = "bisect";
  CLI::App *command = app.add_subcommand(
      "bisect", "Find the first layer, and the first command in it, where two "
                "executions differ");
  command
      ->add_option("expected", options.expected,
                   "The reference: an IR (net.txt,net.bin) or model, an "
                   "executable, or recorded tensors (.npz)")
      ->required();
  command
      ->add_option("found", options.found,
                   "The one to check, of the same kinds")
      ->required();
  command->add_option(
      "-i,--inputs", flags->inputs,
      "Read inputs, in the order of input_tensors, with any number of samples: "
      "a.npy,b.npy (default: one random sample)");
  command
      ->add_option("--samples", options.samples, "Use only the first N samples")
      ->check(wholeNumber(1));
  command->add_option(
      "--model", options.model,
      "Replay the layer with this integer IR, if neither side is one");
  command
      ->add_option("-o,--output", options.folder,
                   "Write the layer alone, with its operands, to this folder")
      ->capture_default_str();
  command
      ->add_option(
          "--max-difference", options.mostFloats,
          "Allow floats to differ by this much; integers must be equal")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      ->add_option("--max-drop", options.limits.mostDropDb,
                   "Report a layer below 30 dB that is this many dB below the "
                   "median of all layers (float against integers)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command
      ->add_option("--min-sqnr", options.limits.leastDb,
                   "Report a layer below this many dB (float against integers)")
      ->capture_default_str();
  command->add_option("--report,--json", flags->report,
                      "Write the result as JSON (docs/report.md)");
  addBudgetOption(*command, options.budget);
  addReadingOptions(*command, flags->reading);
  addRoundingOption(*command, options.given);
  command->footer(
      std::string("You can compare: a float and an integer IR; two IRs; an IR "
                  "and an executable; two\nexecutables, of two targets or "
                  "versions; a recording and any of these. "
                  "Exit code 3: they differ.\n"
                  "Example:\n"
                  "  yarrow bisect net_o.txt aipu.bin -i images.npy\n"
                  "  yarrow bisect net.txt net_o.txt -i images.npy\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(bisectExecutions(*flags, driver)); });
}
