//===- WinogradTable.cpp - The decision as a table and as JSON ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/WinogradDecision.h"
#include "support/Format.h"
#include "support/TextTable.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

static std::string cyclesText(const std::optional<uint64_t> &cycles) {
  return cycles ? formatCount(*cycles) : "-";
}
static std::string decibelText(const std::optional<double> &value) {
  return !value ? "-" : std::isinf(*value) ? "exact" : formatFixed(*value, 1);
}

/// Cycles of every form, and SQNR if it was measured.
static std::string layerTable(const WinogradDecision &decision) {
  bool hasSqnr = std::any_of(
      decision.rows.begin(), decision.rows.end(),
      [](const WinogradRow &row) { return row.forms[0].sqnrDb.has_value(); });
  TextTable table;
  table.column("layer");
  for (const std::string &form : decision.forms)
    table.number((&form == &decision.forms[0] ? "cycles " : "") + form);
  for (const std::string &form : decision.forms)
    if (hasSqnr)
      table.number((&form == &decision.forms[0] ? "SQNR dB " : "") + form);
  table.column("decision").column("reason");
  for (const WinogradRow &row : decision.rows) {
    if (!row.isSuitable)
      continue;
    std::vector<std::string> cells = {row.layer};
    for (const WinogradFigures &form : row.forms)
      cells.push_back(cyclesText(form.cycles));
    for (const WinogradFigures &form : row.forms)
      if (hasSqnr)
        cells.push_back(decibelText(form.sqnrDb));
    cells.push_back(row.isGiven ? "given" : decision.forms[row.chosen]);
    cells.push_back(row.reason);
    table.row(std::move(cells));
  }
  return table.str();
}

std::string WinogradDecision::table() const {
  std::size_t numChosen = 0, numOthers = 0;
  for (const WinogradRow &row : rows) {
    numChosen += row.chosen != 0;
    numOthers += !row.isSuitable;
  }
  std::string text = layerTable(*this) + "Winograd on " + target + ": " +
                     formatCount(numChosen) + " of " +
                     formatCount(rows.size()) + " convolutions";
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

static nlohmann::json layerJson(const WinogradDecision &decision,
                                const WinogradRow &row) {
  nlohmann::json forms = nlohmann::json::object();
  for (std::size_t form = 0; form < row.forms.size(); ++form) {
    const WinogradFigures &figures = row.forms[form];
    if (!figures.cycles)
      continue;
    nlohmann::json &entry = forms[decision.forms[form]];
    entry["cycles"] = *figures.cycles;
    entry["weight_bytes"] = figures.weightBytes;
    if (figures.sqnrDb)
      entry["sqnr_db"] = *figures.sqnrDb;
  }
  return {{"layer", row.layer},
          {"form", row.isGiven ? "given" : decision.forms[row.chosen]},
          {"reason", row.reason},
          {"forms", std::move(forms)}};
}

nlohmann::json WinogradDecision::json() const {
  nlohmann::json layers = nlohmann::json::array();
  for (const WinogradRow &row : rows)
    layers.push_back(layerJson(*this, row));
  nlohmann::json results = nlohmann::json::array();
  for (const WinogradOutput &output : outputs)
    results.push_back({{"tensor", output.tensor},
                       {"direct_sqnr_db", output.direct.sqnrDb()},
                       {"sqnr_db", output.chosen.sqnrDb()},
                       {"direct_cosine", output.direct.cosine()},
                       {"cosine", output.chosen.cosine()}});
  return {{"target", target},
          {"decision", kWinogradUses[std::size_t(settings.use)]},
          {"max_loss_db", settings.maxLossDb},
          {"max_output_loss_db", settings.maxOutputLossDb},
          {"direct_cycles", directCycles},
          {"cycles", cycles},
          {"outputs", std::move(results)},
          {"layers", std::move(layers)}};
}
