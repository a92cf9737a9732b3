//===- FormTable.cpp - The decision as a table ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/Form.h"
#include "compiler/forms/FormDecision.h"
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
static std::string decisionTable(const FormDecision &decision,
                                 std::size_t width) {
  bool hasSqnr = std::any_of(
      decision.rows.begin(), decision.rows.end(),
      [](const FormRow &row) { return row.forms[0].sqnrDb.has_value(); });
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
  for (const FormRow &row : decision.rows) {
    if (!row.isSuitable)
      continue;
    std::vector<std::string> cells = {row.layer};
    for (const FormFigures &form : row.forms)
      cells.push_back(cyclesText(form.cycles));
    for (const FormFigures &form : row.forms)
      if (hasSqnr)
        cells.push_back(decibelText(form.sqnrDb));
    cells.push_back(row.isFixed ? "given" : decision.forms[row.chosen]);
    cells.push_back(row.reason);
    table.row(std::move(cells));
  }
  return table.str(width);
}

/// "Winograd on X2_1204: 8 of 19 convolutions".
static std::string summary(const FormDecision &decision, const FamilyUse &use) {
  std::size_t numChosen = 0;
  for (const FormRow &row : decision.rows)
    numChosen += std::ranges::count(use.forms, row.chosen);
  return std::string(use.family->name) + " on " + decision.target + ": " +
         formatCount(numChosen) + " of " + formatCount(use.numLayers) + " " +
         use.family->layers;
}

std::string FormDecision::table(std::size_t width) const {
  std::string text = decisionTable(*this, width);
  for (const FamilyUse &use : families) {
    text += summary(*this, use);
    if (directCycles)
      text += ", network " + formatCount(directCycles) + " -> " +
              formatCount(cycles) + " cycles";
    text += "\n";
    if (use.numUnsuitable)
      text +=
          formatCount(use.numUnsuitable) + " more " + use.family->others + "\n";
  }
  for (const FormOutput &output : outputs)
    text += "output " + output.tensor + ": SQNR " +
            decibelText(output.direct.sqnrDb()) + " -> " +
            decibelText(output.chosen.sqnrDb()) + " dB, cosine " +
            formatFixed(output.direct.cosine(), 6) + " -> " +
            formatFixed(output.chosen.cosine(), 6) + " to float\n";
  return text;
}
