//===- PageOption.cpp - --html --------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

CLI::Option *yarrow::addPageOption(CLI::App &command, std::string &path) {
  return command.add_option("--html", path,
                            "Write an HTML page with the network, the time "
                            "line, the memory and all figures (docs/page.md)");
}
