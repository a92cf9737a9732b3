//===- Phases.cpp - yarrow phases -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Phases.h"
#include "compiler/commands/Commands.h"
#include "support/TextTable.h"

#include "llvm/Support/ErrorHandling.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

/// The commands whose --stop-after has the phase.
static std::string stopOf(const Phase &phase) {
  switch (phase.stop) {
  case Stop::None:
    return "";
  case Stop::Quantize:
    return "quantize";
  case Stop::Compile:
    return "compile";
  case Stop::Both:
    return "both";
  }
  llvm_unreachable("a phase has one of these");
}

void yarrow::addPhasesCommand(CLI::App &app, Driver &driver) {
  CLI::App *command =
      app.add_subcommand("phases", "List the phases of a build, in order");
  command->footer("`yarrow quantize --stop-after <phase>` and `yarrow compile "
                  "--stop-after <phase>` print the\nmodule after the phases "
                  "that the column \"stop\" marks.");
  command->callback([&driver] {
    TextTable table;
    table.column("phase").column("stop").column("what it does").wrapped();
    table.column("what holds afterwards").wrapped();
    for (const Phase &phase : phases())
      table.row(
          {phase.name, stopOf(phase), phase.description, phase.postCondition});
    driver.printLine(table.str(driver.tableWidth()));
    driver.finish();
  });
}
