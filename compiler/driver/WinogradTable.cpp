//===- WinogradTable.cpp - The decision as a table -----------------------===//
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
static std::string layerTable(const WinogradDecision &decision,
                              std::size_t width) {
  bool hasSqnr = std::any_of(
      decision.rows.begin(), decision.rows.end(),
      [](const WinogradRow &row) { return row.forms[0].sqnrDb.has_value(); });
  TextTable table;
  table.column("layer").shortened();
  for (const std::string &form : decision.forms)
    table.number((&form == &decision.forms[0] ? "cycles " : "") + form)
        .optional(2);
  for (const std::string &form : decision.forms)
    if (hasSqnr)
      table.number((&form == &decision.forms[0] ? "SQNR dB " : "") + form)
          .optional(1);
  table.column("decision").column("reason").wrapped();
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
  return table.str(width);
}

std::string WinogradDecision::table(std::size_t width) const {
  std::size_t numChosen = 0, numOthers = 0;
  for (const WinogradRow &row : rows) {
    numChosen += row.chosen != 0;
    numOthers += !row.isSuitable;
  }
  std::string text = layerTable(*this, width) + "Winograd on " + target + ": " +
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
