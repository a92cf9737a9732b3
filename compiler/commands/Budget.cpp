//===- Budget.cpp - The option --budget -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/Numbers.h"

#include <CLI/CLI.hpp>

void yarrow::addBudgetOption(CLI::App &command, uint64_t &budget) {
  command
      .add_option("--budget", budget,
                  "Stop a sample's run with E0803 after this much work, in "
                  "units of about 5 ns on this computer: a TEC instruction, 64 "
                  "multiplications of the tensor engine")
      ->check(wholeNumber(1))
      ->capture_default_str();
}
