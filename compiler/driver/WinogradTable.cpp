//===- WinogradTable.cpp - The decision as a table and as JSON ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/WinogradDecision.h"
#include "support/Format.h"
#include "support/TextTable.h"

#include <cmath>

using namespace yarrow;

static std::string cyclesText(const std::optional<uint64_t> &cycles) {
  return cycles ? formatCount(*cycles) : "-";
}
static std::string decibelText(const std::optional<double> &value) {
  return !value ? "-" : std::isinf(*value) ? "exact" : formatFixed(*value, 1);
}

std::string WinogradDecision::table() const {
  TextTable table;
  table.column("layer").number("cycles direct").number("Winograd");
  if (!isExact)
    table.number("SQNR dB direct").number("Winograd");
  table.column("decision").column("reason");
  unsigned numChosen = 0, numOthers = 0;
  for (const WinogradRow &row : rows) {
    if (!row.isSuitable) {
      ++numOthers;
      continue;
    }
    std::vector<std::string> cells = {row.layer, cyclesText(row.directCycles),
                                      cyclesText(row.winogradCycles)};
    if (!isExact) {
      cells.push_back(decibelText(row.directSqnrDb));
      cells.push_back(decibelText(row.winogradSqnrDb));
    }
    cells.push_back(row.isChosen ? "Winograd" : "direct");
    cells.push_back(row.reason);
    table.row(std::move(cells));
    numChosen += row.isChosen;
  }
  std::string text = table.str();
  text += "Winograd" + std::string(isExact ? ", exact," : "") + " on " +
          target + ": " + std::to_string(numChosen) + " of " +
          std::to_string(rows.size()) + " convolutions";
  if (directCycles)
    text += ", network " + formatCount(directCycles) + " -> " +
            formatCount(cycles) + " cycles";
  text += "\n";
  if (numOthers)
    text += formatCount(numOthers) +
            " more have another window than 3x3, or a stride, dilation or "
            "group above 1\n";
  for (const WinogradOutput &output : outputs)
    text += "output " + output.tensor + ": SQNR " +
            decibelText(output.direct.sqnrDb()) + " -> " +
            decibelText(output.chosen.sqnrDb()) + " dB, cosine " +
            formatFixed(output.direct.cosine(), 6) + " -> " +
            formatFixed(output.chosen.cosine(), 6) + " to float\n";
  return text;
}

nlohmann::json WinogradDecision::json() const {
  auto orNull = [](const auto &value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  nlohmann::json layers = nlohmann::json::array();
  for (const WinogradRow &row : rows)
    layers.push_back({{"layer", row.layer},
                      {"direct_cycles", orNull(row.directCycles)},
                      {"winograd_cycles", orNull(row.winogradCycles)},
                      {"direct_sqnr_db", orNull(row.directSqnrDb)},
                      {"winograd_sqnr_db", orNull(row.winogradSqnrDb)},
                      {"direct_weight_bytes", row.directWeightBytes},
                      {"winograd_weight_bytes", row.winogradWeightBytes},
                      {"is_winograd", row.isChosen},
                      {"reason", row.reason}});
  nlohmann::json results = nlohmann::json::array();
  for (const WinogradOutput &output : outputs)
    results.push_back({{"tensor", output.tensor},
                       {"direct_sqnr_db", output.direct.sqnrDb()},
                       {"sqnr_db", output.chosen.sqnrDb()},
                       {"direct_cosine", output.direct.cosine()},
                       {"cosine", output.chosen.cosine()}});
  return {{"target", target},
          {"form", isExact ? "exact" : "requantized"},
          {"decision", settings.use == WinogradUse::All ? "all" : "auto"},
          {"max_loss_db", settings.maxLossDb},
          {"max_output_loss_db", settings.maxOutputLossDb},
          {"direct_cycles", directCycles},
          {"cycles", cycles},
          {"outputs", std::move(results)},
          {"layers", std::move(layers)}};
}
