//===- CutOptions.cpp - Which part of a model is imported -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/CutOptions.h"

#include "compiler/model/NamedValues.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <optional>

using namespace yarrow;

/// "16000" or "8,8"; nullopt if it is not a list of numbers.
static std::optional<std::vector<double>> numbersOf(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    double value = 0;
    auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr double kMost = 1e15; // any integer up to there is exact
    if (error != std::errc() || !(std::abs(value) <= kMost))
      return std::nullopt;
    numbers.push_back(value);
    text.remove_prefix(std::size_t(stop - text.data()));
    if (text.empty())
      return numbers;
    if (text.front() != ',')
      return std::nullopt;
    text.remove_prefix(1);
  }
}

bool yarrow::takeCut(const CutFlags &flags, graph::ImportOptions &options,
                     DiagnosticEngine &diags) {
  bool ok =
      addNamedValues({"--input-value", "a name and numbers",
                      "NAME=NUMBER,..., for example sr=16000 or starts=8,8"},
                     flags.inputValues, numbersOf, options.values, diags);
  if (!flags.inputs.empty())
    options.inputs = flags.inputs;
  if (!flags.outputs.empty())
    options.outputs = flags.outputs;
  return ok;
}

void yarrow::addCutOptions(CLI::App &command, CutFlags &flags) {
  command
      .add_option("--input-value", flags.inputValues,
                  "Replace an input by a constant: sr=16000 sets all elements, "
                  "starts=8,8 each of two")
      ->type_name("NAME=NUMBERS")
      ->allow_extra_args(false);
  command
      .add_option("--input", flags.inputs,
                  "Begin at these nodes or tensors of the model")
      ->delimiter(',');
  command
      .add_option("--output", flags.outputs,
                  "End at these nodes or tensors of the model")
      ->delimiter(',');
}
