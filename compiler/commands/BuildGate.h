//===- BuildGate.h - Figures that a build must reach ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --gate cosine=0.99: each output by itself, compared with the float network
// on the data that are evaluated, or else on the calibration samples. One that
// is below makes the exit code 3, and is a warning (BuildGate).
//
//   std::optional<std::vector<Gate>> gates = readGates(flags.gates, driver);
//   ...
//   report.gates = gatesJson(*gates, figures);
//   return passesGates(*gates, figures, place, hint, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDGATE_H
#define YARROW_COMPILER_COMMANDS_BUILDGATE_H

#include "compiler/driver/Driver.h"
#include "quantizer/math/Similarity.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct Gate {
  std::string figure; ///< cosine or sqnr.
  double least = 0;
};

/// An output and how far it is from the float network's.
struct OutputFigures {
  std::string output;
  double cosine = 1;
  double sqnrDb = 0; ///< Infinite without noise.
};

/// "cosine=0.99", "sqnr=30"; nullopt after UsageInvalid.
std::optional<std::vector<Gate>>
readGates(const std::vector<std::string> &texts, Driver &driver);

/// False if an output is below a gate, each of which is told. \p hint is what
/// to do then. No outputs pass nothing.
bool passesGates(const std::vector<Gate> &gates,
                 const std::vector<OutputFigures> &outputs, const Place &place,
                 const std::string &hint, DiagnosticEngine &diags);

/// Each gate with its result for each output, of a report; null without gates.
nlohmann::ordered_json gatesJson(const std::vector<Gate> &gates,
                                 const std::vector<OutputFigures> &outputs);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDGATE_H
