//===- Sweep.cpp - yarrow sweep -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/sweep/Sweep.h"
#include "compiler/commands/CacheOption.h"
#include "compiler/commands/Commands.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/report/ReportJson.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/AtomicFile.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

namespace {
struct SweepFlags {
  std::string graph, bin, target = "X2_1204", html, report, cache;
  std::vector<std::string> axes;
  ReadingFlags reading;
  PrequantizedOptions given;
};
} // namespace

/// Nullopt after errors, all of which are told.
static std::optional<std::vector<MachineAxis>>
readAxes(const SweepFlags &flags, const isa::Machine &base, Driver &driver) {
  std::vector<MachineAxis> axes;
  bool ok = true;
  for (const std::string &text : flags.axes) {
    auto axis = parseMachineAxis(text, base, driver.diags);
    ok &= axis.has_value();
    if (!axis)
      continue;
    for (const MachineAxis &other : axes)
      if (other.key == axis->key) {
        driver.usageError("--vary " + axis->key + " is given twice",
                          "give all numbers of a key in one option");
        ok = false;
      }
    axes.push_back(std::move(*axis));
  }
  return ok ? std::optional(std::move(axes)) : std::nullopt;
}

static bool sweepMachines(const SweepFlags &flags, Driver &driver) {
  driver.files.reads({flags.graph, flags.bin});
  driver.files.writes({flags.html, flags.report});
  auto base = targetAt(flags.target, {"--target"}, driver.diags);
  auto axes = base ? readAxes(flags, *base, driver) : std::nullopt;
  auto import = importOptions(flags.reading, driver.diags);
  if (!axes || !import || !driver.files.canBeWritten(driver.diags) ||
      (!flags.cache.empty() && !makeFolder(flags.cache, driver.diags)))
    return false;
  session::ModelSource source{flags.graph, flags.bin};
  source.imports = {*import};
  source.given = flags.given;
  source.use = session::LoadFor::Execution;
  auto network = session::load(source, driver.call());
  // The text's own weights are known by now.
  if (!network || !driver.files.check(driver.diags))
    return false;
  session::CompileSettings settings;
  settings.cache = flags.cache;
  auto result =
      sweep(*network, *base, std::move(*axes), settings, driver.call());
  if (!result)
    return false;
  ReportDocument report("sweep");
  report.model = result->model;
  report.target = base->name;
  report.read["graph"] = flags.graph;
  if (!flags.html.empty())
    report.written["html"] = flags.html;
  report.sweep = result->json();
  bool isWritten =
      flags.html.empty() || writeFile(flags.html, result->html(), driver.diags);
  if (!isWritten || !writeReport(flags.report, report, driver.diags))
    return false;
  driver.printNewDiagnostics();
  driver.printLine(result->table(driver.tableWidth()));
  if (!flags.html.empty())
    driver.printLine("wrote " + flags.html + "\n");
  return true;
}

void yarrow::addSweepCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<SweepFlags>();
  CLI::App *command = app.add_subcommand(
      "sweep", "Compile for variations of a machine and compare the cycles");
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
                   "Vary this machine: a built-in one or a .json file")
      ->capture_default_str();
  command
      ->add_option("--vary", flags->axes,
                   "Vary a number of the machine: ddrBytesPerCycle=8,16,32, "
                   "sramBytes=256K:8M:x2 or tec.floatCycles=2:8:+2. Repeat it "
                   "to try all combinations")
      ->type_name("KEY=NUMBERS")
      ->allow_extra_args(false)
      ->required();
  command->add_option("--html", flags->html, "Write an HTML page with plots");
  command->add_option("--report,--json", flags->report,
                      "Write the figures as JSON (docs/report.md)");
  addReadingOptions(*command, flags->reading);
  addRoundingOption(*command, flags->given);
  addCacheOption(*command, flags->cache);
  command->footer(
      std::string("Example:\n"
                  "  yarrow sweep net_o.txt --vary sramBytes=256K:8M:x2 "
                  "--vary ddrBytesPerCycle=8,16,32 --html sweep.html\n"
                  "`yarrow targets X2_1204` prints the numbers that you can "
                  "vary. Inputs are zeros:\nthe engines' cycles do not depend "
                  "on values.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(sweepMachines(*flags, driver)); });
}
