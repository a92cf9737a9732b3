//===- Diagnose.cpp - yarrow diagnose -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Diagnose.h"
#include "compiler/commands/Commands.h"
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/diagnose/DiagnosisHtml.h"
#include "compiler/model/Models.h"
#include "compiler/report/ReportJson.h"
#include "compiler/work/Preflight.h"
#include "support/AtomicFile.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct DiagnoseFlags {
  QuantizeFlags quantize;
  std::string data, target = "X2_1204", html, report;
  bool isWhole = false;
  double seconds = 0, enoughDb = 30;
};
} // namespace

static session::DiagnoseTask taskOf(const DiagnoseFlags &flags,
                                    const isa::Machine &machine) {
  session::DiagnoseTask task{flags.quantize.recipe, flags.quantize.keys,
                             flags.quantize.calibrationData, flags.data,
                             machine};
  task.keys.insert(flags.quantize.pictures.keys.begin(),
                   flags.quantize.pictures.keys.end());
  task.enoughDb = flags.enoughDb;
  task.seconds = flags.seconds;
  return task;
}

static bool diagnose(const DiagnoseFlags &flags, Driver &driver) {
  driver.files.reads(flags.quantize.graph);
  driver.files.reads(splitPaths(flags.quantize.calibrationData));
  driver.files.reads(splitPaths(flags.data));
  driver.files.writes({flags.html, flags.report});
  if (!driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  auto machine = targetAt(flags.target, {"--target"}, driver.diags);
  auto network = loadFloats(flags.quantize, driver);
  if (!machine || !network)
    return false;
  std::string model = network->name();
  auto diagnosis = session::diagnose(std::move(network),
                                     taskOf(flags, *machine), driver.call());
  if (!diagnosis)
    return false;
  driver.printNewDiagnostics();
  driver.printLine(
      diagnosisText(*diagnosis, flags.isWhole, driver.tableWidth()));
  if (!flags.html.empty() &&
      !writeFile(flags.html, diagnosisHtml(*diagnosis, model, machine->name),
                 driver.diags))
    return false;
  ReportDocument report("diagnose");
  report.model = model;
  report.target = machine->name;
  report.diagnosis = diagnosisJson(*diagnosis);
  report.read = {
      {"graph", flags.quantize.graph},
      {"calibration_data", splitPaths(flags.quantize.calibrationData)}};
  if (!flags.data.empty())
    report.read["data"] = splitPaths(flags.data);
  if (!flags.html.empty())
    report.written["page"] = flags.html;
  return writeReport(flags.report, report, driver.diags);
}

void yarrow::addDiagnoseCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<DiagnoseFlags>();
  CLI::App *command =
      app.add_subcommand("diagnose", "Find where quantization loses accuracy, "
                                     "and which settings gain it back");
  addQuantizeFlags(*command, flags->quantize, /*needsSamples=*/true);
  command->add_option(
      "-d,--data", flags->data,
      "Measure networks with these samples (default: the calibration samples)");
  command
      ->add_option("-t,--target", flags->target,
                   "Count cycles for this machine")
      ->capture_default_str();
  command
      ->add_option("--enough", flags->enoughDb,
                   "Spend no cycles to raise the SQNR above this many dB")
      ->capture_default_str();
  command->add_option(
      "--time", flags->seconds,
      "Start no more remedies after this many seconds (default: try all)");
  command->add_flag("--all", flags->isWhole,
                    "Show all layers, not only the ten that lose most alone");
  command->add_option("--html", flags->html, "Write an HTML page with plots");
  command->add_option("--report,--json", flags->report,
                      "Write all figures as JSON (docs/report.md)");
  command->footer(
      std::string(
          "Own SQNR is for the layer alone, with the float network's inputs. "
          "SQNR in\nnetwork includes what earlier layers have lost.\n"
          "Example:\n"
          "  yarrow diagnose net.txt -w net.bin -c calibration.npy -t X2_1204\n"
          "\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(diagnose(*flags, driver)); });
}
