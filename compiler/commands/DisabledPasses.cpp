//===- DisabledPasses.cpp - Optimisations to leave out --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/DisabledPasses.h"

#include "support/diagnostics/Settings.h"

#include <CLI/CLI.hpp>

using namespace yarrow;

void yarrow::addDisabledPassesOption(CLI::App &command,
                                     std::vector<std::string> &to) {
  std::string help = "Optimisations to leave out, separated by commas:";
  for (const npu::OptimizationRecord &record : npu::kOptimizations)
    help +=
        " " + std::string(record.name) + " (" + std::string(record.doc) + ");";
  help.back() = '.';
  command.add_option("--disable-pass", to, help)
      ->delimiter(',')
      ->type_name("NAMES");
}

void yarrow::addOptimizeOptions(CLI::App &command, bool &on, bool &off) {
  command.add_flag("--optimize", on, "-O: optimize (the default)");
  command
      .add_flag("--no-optimize", off,
                "-O0: no fusion, nothing kept in SRAM, no prefetch")
      ->excludes("--optimize");
}

std::optional<std::vector<npu::Optimization>>
yarrow::disabledPasses(const std::vector<std::string> &names,
                       const Place &place, DiagnosticEngine &diags) {
  std::vector<npu::Optimization> disabled;
  std::vector<std::string> known;
  std::string all;
  for (const npu::OptimizationRecord &record : npu::kOptimizations) {
    known.emplace_back(record.name);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  bool isGood = true;
  for (const std::string &name : names) {
    if (auto found = npu::findOptimization(name)) {
      disabled.push_back(*found);
      continue;
    }
    isGood = false;
    std::string nearest = didYouMean(nearestName(name, known));
    diags
        .report(diag::ConfigBadValue, place,
                name + " is no optimisation that can be left out")
        .expected(all)
        .hint(nearest.empty() ? "--no-optimize leaves all of them out"
                              : nearest);
  }
  return isGood ? std::optional(disabled) : std::nullopt;
}
