//===- AccuracyTable.cpp - Figures of networks as text --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Accuracy.h"
#include "support/Format.h"
#include "support/TextTable.h"

#include <algorithm>

using namespace yarrow;

const AccuracyRow *AccuracyResult::row(const std::string &name) const {
  for (const AccuracyRow &r : rows)
    if (r.name == name)
      return &r;
  return nullptr;
}

const OutputDistance *AccuracyRow::worst() const {
  auto worst =
      std::ranges::min_element(outputs, {}, [](const OutputDistance &d) {
        return d.similarity.sqnrDb();
      });
  return worst == outputs.end() ? nullptr : &*worst;
}

/// Cells of three columns.
static void addDistance(const OutputDistance &distance,
                        std::vector<std::string> &cells) {
  cells.push_back(formatFixed(distance.meanCosine, 6));
  cells.push_back(distance.similarity.sqnrText(2));
  cells.push_back(formatFixed(distance.similarity.maxError, 4));
}

/// A network in each row; of several outputs, one row for each.
static std::string distances(const AccuracyResult &result, std::size_t width) {
  TextTable table;
  table.column(formatCount(result.samples) + " samples");
  bool hasTop = !result.rows.empty() && !result.rows[0].topPercent.empty();
  for (std::size_t k = 0; hasTop && k < result.topK.size(); ++k)
    table.number("top" + std::to_string(result.topK[k]) + " %");
  table.number("cosine").number("SQNR dB").number("max error");
  for (const AccuracyRow &r : result.rows) {
    std::vector<std::string> cells = {r.name};
    for (double percent : r.topPercent)
      cells.push_back(formatFixed(percent, 2));
    if (r.outputs.size() == 1)
      addDistance(r.outputs[0], cells);
    table.row(std::move(cells));
    for (const OutputDistance &distance : r.outputs) {
      if (r.outputs.size() == 1)
        break;
      cells = {"  " + distance.tensor};
      cells.resize(1 + r.topPercent.size());
      addDistance(distance, cells);
      table.row(std::move(cells));
    }
  }
  return table.str(width);
}

/// The deviation is that of the difference of top-1.
static std::string answers(const AccuracyResult &result, std::size_t width) {
  TextTable table;
  table.column("answers as " + result.reference).number("agree %");
  if (result.hasClasses)
    table.number("lost").number("won").number("top1 +- points");
  table.number("mean KL");
  for (const AccuracyRow &r : result.rows) {
    if (!r.agreement)
      continue;
    const Agreement &a = *r.agreement;
    std::vector<std::string> cells = {r.name,
                                      formatFixed(a.agreedPercent(), 2)};
    if (result.hasClasses) {
      cells.push_back(formatCount(a.lost));
      cells.push_back(formatCount(a.won));
      cells.push_back(formatFixed(a.deviationPoints(), 2));
    }
    cells.push_back(formatFixed(a.meanDivergence(), 6));
    table.row(std::move(cells));
  }
  return table.empty() ? "" : "\n" + table.str(width);
}

/// Of scores near 0 and 1, a line for each.
static std::string decisions(const AccuracyResult &result) {
  std::string text;
  for (const AccuracyRow &r : result.rows)
    for (const OutputDistance &of : r.outputs)
      if (of.sides.isKnown())
        text += r.name + ", " + of.tensor + ": " + of.sides.str() + "\n";
  return text.empty() ? "" : "\n" + text;
}

/// A metric in each row.
static std::string scores(const AccuracyResult &result, std::size_t width) {
  TextTable table;
  table.column("metric").shortened();
  for (const AccuracyRow &r : result.rows)
    table.number(r.name);
  for (std::size_t s = 0; s < result.scoreNames.size(); ++s) {
    std::vector<std::string> cells = {result.scoreNames[s]};
    for (const AccuracyRow &r : result.rows)
      cells.push_back(formatFixed(r.scores[s], 6));
    table.row(std::move(cells));
    std::size_t outputs = result.rows[0].scoresByOutput[s].size();
    for (std::size_t k = 0; outputs > 1 && k < outputs; ++k) {
      cells = {"  output " + std::to_string(k)};
      for (const AccuracyRow &r : result.rows)
        cells.push_back(formatFixed(r.scoresByOutput[s][k], 6));
      table.row(std::move(cells));
    }
  }
  return table.empty() ? "" : "\n" + table.str(width);
}

std::string AccuracyResult::table(std::size_t width) const {
  std::string text =
      distances(*this, width) + decisions(*this) + answers(*this, width);
  if (!rows.empty())
    text += scores(*this, width);
  if (comparedBytes)
    text += "int and npu: " + formatCount(differingBytes) + " of " +
            formatCount(comparedBytes) + " output bytes differ\n";
  return text;
}

std::optional<unsigned>
yarrow::topKOf(const std::string &name,
               const std::vector<std::string> &arguments) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  std::string digits;
  if (lower == "topkmetric" || lower == "topk")
    digits = arguments.empty() ? "1" : arguments[0];
  else if (lower.starts_with("top"))
    digits = lower.substr(3);
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos ||
      std::stoul(digits) == 0)
    return std::nullopt;
  return unsigned(std::stoul(digits));
}
