//===- Winograd.cpp - The option --winograd -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/forms/FormDecision.h"

#include <CLI/CLI.hpp>

void yarrow::addWinogradOption(CLI::App &command, std::string &use) {
  command
      .add_option("--winograd", use,
                  "Use Winograd convolution: off, auto (where it makes the "
                  "simulated network faster and loses little accuracy) or all")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kFormUses),
                                                     std::end(kFormUses))));
}
