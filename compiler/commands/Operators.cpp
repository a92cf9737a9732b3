//===- Operators.cpp - yarrow operators -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "dialects/compass/Records.h"
#include "support/TextTable.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

/// How the quantizer treats a rule class, in a user's words.
static std::string_view ruleText(compass::RuleClass rule) {
  switch (rule) {
#define RULE(NAME)                                                             \
  case compass::RuleClass::NAME:                                               \
    return #NAME;
#include "dialects/compass/IrNames.inc"
  }
  return "?";
}

static void listOperators(bool withKeys, Driver &driver) {
  TextTable table;
  table.column("layer_type").column("rule").number("keys");
  if (withKeys)
    table.column("names (i: integer IR only)");
  for (const compass::OperatorRecord &r : compass::allOperators()) {
    std::string names;
    for (const compass::KeyRecord &key : r.keys)
      names += (names.empty() ? "" : " ") + key.name.str() +
               (key.intOnly ? "(i)" : "");
    std::vector<std::string> row = {r.layerType.str(),
                                    std::string(ruleText(r.rule)),
                                    std::to_string(r.keys.size())};
    if (withKeys)
      row.push_back(names);
    table.row(std::move(row));
  }
  driver.say(table.str() + std::to_string(compass::allOperators().size()) +
             " layer types\n");
}

void yarrow::addOperatorsCommand(CLI::App &app, Driver &driver) {
  auto withKeys = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand(
      "operators", "List the layer types that are supported");
  command->add_flag("--keys", *withKeys, "With the keys of each");
  command->footer("Every layer type is read, written, quantized, compiled and "
                  "simulated;\nthe rule says how it is quantized.");
  command->callback([withKeys, &driver] {
    listOperators(*withKeys, driver);
    driver.finish();
  });
}
