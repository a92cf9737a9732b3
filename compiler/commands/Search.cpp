//===- Search.cpp - yarrow search -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Search.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/Numbers.h"
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/model/Models.h"
#include "compiler/precision/PrecisionResult.h"
#include "compiler/report/ReportJson.h"
#include "compiler/work/Preflight.h"
#include "support/AtomicFile.h"

#include <CLI/CLI.hpp>

#include <charconv>

using namespace yarrow;

namespace {
struct SearchFlags {
  QuantizeFlags quantize;
  std::string data, label, target = "X2_1204", bits = "4,8,16";
  std::string budgetCycles, output, report;
  std::optional<int64_t> budgetBytes;
  std::optional<double> maxLoss, maxDrop;
  std::size_t samples = 64;
  bool isWhole = false;
};
} // namespace

static std::optional<std::vector<Precision>>
readPrecisions(const SearchFlags &flags, Driver &driver) {
  std::vector<Precision> precisions;
  for (const std::string &word : splitList(flags.bits)) {
    std::optional<Precision> precision = Precision::parse(word);
    if (!precision) {
      driver.usageError("--bits " + word + " is not a precision",
                        std::string(Precision::forms()) + " are");
      return std::nullopt;
    }
    precisions.push_back(std::move(*precision));
  }
  if (!precisions.empty())
    return precisions;
  driver.usageError("--bits needs a precision", "--bits 8,16, for example");
  return std::nullopt;
}

/// "20000", or "110%" of the network as it is configured.
static bool readBudget(const std::string &text, PrecisionGoal &goal,
                       Driver &driver) {
  if (text.empty())
    return true;
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest(end, text.data() + text.size());
  if (error == std::errc() && value > 0 && value < 1e15) {
    if (rest == "%")
      return (goal.maxCyclesRatio = value / 100).has_value();
    if (rest.empty())
      return (goal.maxCycles = int64_t(value)).has_value();
  }
  driver.usageError("--budget-cycles " + text + " is not a number of cycles",
                    "give a number such as 20000, or 110% of the configured "
                    "network's cycles");
  return false;
}

static std::optional<PrecisionGoal> readGoal(const SearchFlags &flags,
                                             Driver &driver) {
  int given = int(!flags.budgetCycles.empty()) + int(!!flags.budgetBytes) +
              int(!!flags.maxLoss) + int(!!flags.maxDrop);
  if (given > 1) {
    driver.usageError("only one budget can be given",
                      "--budget-cycles, --budget-bytes, --max-loss or --drop");
    return std::nullopt;
  }
  if (flags.maxDrop && flags.label.empty()) {
    driver.usageError(
        "--drop needs the expected classes",
        "--data images.npy --label labels.npy; without labels, use --max-loss, "
        "which bounds the divergence from the float network");
    return std::nullopt;
  }
  PrecisionGoal goal;
  goal.maxWeightBytes = flags.budgetBytes;
  goal.maxLoss = flags.maxLoss;
  if (!readBudget(flags.budgetCycles, goal, driver))
    return std::nullopt;
  return goal;
}

static bool planFiles(const SearchFlags &flags, Driver &driver) {
  driver.files.reads(flags.quantize.graph);
  for (const std::string &paths :
       {flags.quantize.calibrationData, flags.data, flags.label})
    driver.files.reads(splitPaths(paths));
  driver.files.writes({flags.output, flags.report});
  return driver.files.check(driver.diags) &&
         driver.files.canBeWritten(driver.diags);
}

/// Text for a person, and the files that were asked for.
static bool reportPlan(const SearchFlags &flags,
                       const session::FoundPrecisions &found,
                       const std::string &name, Driver &driver) {
  const PrecisionPlan &plan = found.plan;
  Settings settings = plannedSettings(plan, flags.quantize.settings());
  driver.printNewDiagnostics();
  driver.printLine(precisionText(plan, flags.isWhole, driver.tableWidth()));
  if (!plan.isMet)
    driver.printLine("no mixture keeps the budget; this is the nearest one\n");
  if (!settings.empty())
    driver.printLine("In [Optimizer]:\n");
  for (const auto &[key, value] : settings)
    driver.printLine(key + " = " + value + "\n");
  if (!flags.output.empty() &&
      !writeFile(flags.output, optConfigJson(plan, found.given).dump(2) + "\n",
                 driver.diags))
    return false;
  ReportDocument report("search");
  report.model = name;
  report.target = flags.target;
  report.search = precisionJson(plan, settings);
  report.read = {
      {"graph", flags.quantize.graph},
      {"calibration_data", splitPaths(flags.quantize.calibrationData)}};
  if (!flags.data.empty())
    report.read["data"] = splitPaths(flags.data);
  if (!flags.label.empty())
    report.read["labels"] = flags.label;
  if (!flags.output.empty())
    report.written["opt_config"] = flags.output;
  return writeReport(flags.report, report, driver.diags) && plan.isMet;
}

static bool search(const SearchFlags &flags, Driver &driver) {
  auto precisions = readPrecisions(flags, driver);
  std::optional<PrecisionGoal> goal = readGoal(flags, driver);
  if (!precisions || !goal || !planFiles(flags, driver))
    return false;
  auto machine = targetAt(flags.target, {"--target"}, driver.diags);
  std::optional<config::BuildConfig> config =
      configOf(flags.quantize, driver.diags);
  auto network = loadFloats(flags.quantize, driver);
  if (!machine || !config || !network)
    return false;
  session::SearchTask task{std::move(*config), std::move(*machine),
                           std::move(*precisions), std::move(*goal)};
  task.data = flags.data;
  task.maxSamples = flags.samples;
  task.maxDrop = flags.maxDrop;
  task.label = flags.label;
  std::string name = network->name();
  auto found = session::search(std::move(network), task, driver.call());
  return found && reportPlan(flags, *found, name, driver);
}

void yarrow::addSearchCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<SearchFlags>();
  CLI::App *command = app.add_subcommand(
      "search",
      "Find which layers need more bits and which need fewer, within a budget");
  addQuantizeFlags(*command, flags->quantize, /*needsSamples=*/true);
  command->add_option(
      "-d,--data", flags->data,
      "Measure losses with these samples (default: the calibration samples)");
  command->add_option(
      "-l,--label", flags->label,
      "Read the class number of each sample of --data from this .npy");
  command
      ->add_option("-t,--target", flags->target,
                   "Count cycles for this machine")
      ->capture_default_str();
  command
      ->add_option("--bits", flags->bits,
                   std::string("Choose among these precisions: ") +
                       Precision::forms())
      ->capture_default_str();
  command->add_option("--budget-cycles", flags->budgetCycles,
                      "Keep to this many cycles; 110%: of the configured "
                      "network's (the default)");
  command
      ->add_option("--budget-bytes", flags->budgetBytes,
                   "Keep to this many bytes of weights")
      ->check(wholeNumber());
  command
      ->add_option("--max-loss", flags->maxLoss,
                   "Use as few cycles as possible, with at most this "
                   "divergence from the float network")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--drop", flags->maxDrop,
                      "Use as few cycles as possible, with top1 at most this "
                      "many percentage points below the float network");
  command
      ->add_option("--samples", flags->samples,
                   "Measure losses with this many samples")
      ->capture_default_str()
      ->check(wholeNumber(1));
  command->add_flag("--all", flags->isWhole,
                    "Show all layers, not only those that differ from most");
  command->add_option("-o,--output", flags->output,
                      "Write the precision of each layer as JSON for the key "
                      "opt_config");
  command->add_option("--report,--json", flags->report,
                      "Write all figures as JSON (docs/report.md)");
  command->footer(
      std::string(
          "Exit code 3: no mixture keeps the budget; the nearest one is "
          "printed.\n"
          "Example:\n"
          "  yarrow search net.txt -w net.bin -c calibration.npy -t X2_1204 "
          "\\\n"
          "    --bits 4,8,16 --budget-cycles 90% -o opt_config.json\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(search(*flags, driver)); });
}
