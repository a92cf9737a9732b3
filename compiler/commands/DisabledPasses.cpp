//===- DisabledPasses.cpp - Optimisations to leave out --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/DisabledPasses.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

void yarrow::addDisabledPassesOption(CLI::App &command,
                                     std::vector<std::string> &to) {
  std::string help = "Leave out these optimisations, separated by commas:";
  for (const npu::OptimizationRecord &record : npu::kOptimizations)
    help +=
        " " + std::string(record.name) + " (" + std::string(record.doc) + ");";
  help.back() = '.';
  command.add_option("--disable-pass", to, help)
      ->delimiter(',')
      ->type_name("NAMES");
}

void yarrow::addOptimizeOptions(CLI::App &command, bool &on, bool &off) {
  command.add_flag("--optimize", on, "Optimize, as -O does (the default)");
  command
      .add_flag("--no-optimize", off,
                "Do not fuse, keep tensors in SRAM, or prefetch, as -O0 does")
      ->excludes("--optimize");
}
