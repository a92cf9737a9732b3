//===- Targets.cpp - yarrow targets ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "isa/Machine.h"
#include "support/Format.h"
#include "support/TextTable.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

static std::string product(std::initializer_list<uint32_t> factors) {
  std::string text;
  for (uint32_t f : factors)
    text += (text.empty() ? "" : "x") + std::to_string(f);
  return text;
}

static void listTargets(const std::string &name, Driver &driver) {
  if (!name.empty()) {
    if (std::optional<isa::Machine> m = isa::findTarget(name, driver.diags))
      driver.printLine(m->toJson());
    return;
  }
  TextTable table;
  table.column("target").number("cores").number("TECs").column("MAC array");
  table.number("MACs/cycle").optional(2).number("SRAM");
  table.number("SRAM B/cycle").optional(1).number("DDR B/cycle");
  table.number("MHz").number("peak TOPS");
  for (const std::string &target : isa::builtinTargetNames()) {
    std::optional<isa::Machine> m = isa::findTarget(target, driver.diags);
    if (!m)
      continue;
    const isa::MacArray &a = m->macArray;
    double operations = 2.0 * m->macsPerCycle() * m->cores * m->clockMhz * 1e6;
    table.row({m->name, std::to_string(m->cores), std::to_string(m->tecs),
               product({a.inputLanes, a.outputLanes, a.pixels}),
               formatCount(m->macsPerCycle()), formatBytes(m->sramBytes),
               std::to_string(m->sramBytesPerCycle),
               std::to_string(m->ddrBytesPerCycle), std::to_string(m->clockMhz),
               formatFixed(operations / 1e12, 2)});
  }
  driver.printLine(table.str(driver.tableWidth()));
}

void yarrow::addTargetsCommand(CLI::App &app, Driver &driver) {
  auto name = std::make_shared<std::string>();
  CLI::App *command =
      app.add_subcommand("targets", "List the built-in machines");
  command->add_option("name", *name, "Print this machine's JSON file instead");
  command->footer("To describe a machine of your own, write a few lines:\n"
                  "  { \"name\": \"X2_big\", \"base\": \"X2_1204\", "
                  "\"sramBytes\": 8388608 }\n"
                  "  yarrow compile net_o.txt --target X2_big.json");
  command->callback([name, &driver] {
    listTargets(*name, driver);
    driver.finish();
  });
}
