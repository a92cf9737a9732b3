//===- Phases.cpp - yarrow phases -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Phases.h"
#include "compiler/commands/Commands.h"
#include "support/TextTable.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

void yarrow::addPhasesCommand(CLI::App &app, Driver &driver) {
  CLI::App *command =
      app.add_subcommand("phases", "List the phases of a build, in order");
  command->footer("`yarrow compile --stop-after <phase>` prints the module "
                  "after those\nthat are marked.");
  command->callback([&driver] {
    TextTable table;
    table.column("phase").column("stop").column("what it does").wrapped();
    table.column("what holds afterwards").wrapped();
    for (const Phase &phase : phases())
      table.row({phase.name, phase.canStop ? "yes" : "", phase.description,
                 phase.postCondition});
    driver.say(table.str(driver.tableWidth()));
    driver.finish();
  });
}
