//===- CycleDiff.cpp - Where cycles came and went -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/compare/CycleDiff.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Runner.h"
#include "support/FileKind.h"
#include "support/Format.h"
#include "support/JsonFile.h"
#include "support/MappedFile.h"
#include "support/TextTable.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <map>

using namespace yarrow;
using nlohmann::json;

LayerFigures RunFigures::total() const {
  LayerFigures sum{"total", ""};
  for (const LayerFigures &layer : layers) {
    sum.cycles += layer.cycles;
    sum.macs += layer.macs;
    sum.ddrBytes += layer.ddrBytes;
  }
  return sum;
}

static std::optional<RunFigures> runOnce(const std::string &path,
                                         yarrow::DiagnosticEngine &diags) {
  auto opened = session::Executable::open(path, diags);
  auto profile = opened ? session::profileOnZeros(opened->program(), {diags})
                        : std::nullopt;
  if (!profile)
    return std::nullopt;
  RunFigures figures{profile->report.target, {}, {}};
  for (const runtime::LayerReport &layer : profile->report.layers)
    figures.layers.push_back(
        {layer.name, layer.type, layer.cycles, layer.macs, layer.ddrBytes});
  return figures;
}

/// Of "accuracy" of a report: percentages, and decibels to the float network.
static std::vector<std::pair<std::string, double>>
accuracyOf(const json &report) {
  std::vector<std::pair<std::string, double>> figures;
  auto add = [&](const std::string &name, const json &object, const char *key) {
    if (auto it = object.find(key); it != object.end() && it->is_number())
      figures.emplace_back(name + " " + key, it->get<double>());
  };
  auto accuracy = report.find("accuracy");
  if (accuracy == report.end() || !accuracy->is_object() ||
      !accuracy->contains("networks"))
    return figures;
  for (const auto &[name, network] : accuracy->at("networks").items()) {
    if (!network.is_object())
      continue;
    for (const char *key : {"top1", "top5"})
      add(name, network, key);
    if (auto it = network.find("to_float");
        it != network.end() && it->is_object())
      add(name, *it, "sqnr_db");
  }
  return figures;
}

static std::optional<RunFigures> readReport(const std::string &path,
                                            yarrow::DiagnosticEngine &diags) {
  std::optional<json> report = readJsonFile(path, diags);
  if (!report)
    return std::nullopt;
  auto isCount = [](const json &object, const char *key) {
    auto it = object.find(key);
    return it != object.end() && it->is_number_unsigned();
  };
  RunFigures figures;
  figures.accuracy =
      report->is_object() ? accuracyOf(*report) : figures.accuracy;
  auto performance =
      report->is_object() ? report->find("performance") : report->end();
  bool isReport = performance != report->end() && performance->is_object() &&
                  performance->contains("layers") &&
                  performance->at("layers").is_array();
  if (isReport)
    for (const json &layer : performance->at("layers")) {
      isReport &= layer.is_object() && layer.contains("name") &&
                  layer["name"].is_string() && isCount(layer, "cycles") &&
                  isCount(layer, "macs") && isCount(layer, "ddr_bytes");
      if (isReport)
        figures.layers.push_back({layer["name"], layer.value("type", ""),
                                  layer["cycles"], layer["macs"],
                                  layer["ddr_bytes"]});
    }
  if (!isReport && figures.accuracy.empty()) {
    diags
        .report(diag::TensorMismatch, {path},
                "the JSON file is not a report with cycles or accuracies")
        .hint("`yarrow run --report` and `yarrow build` write these reports");
    return std::nullopt;
  }
  if (auto it = report->find("target"); it != report->end() && it->is_string())
    figures.target = *it;
  return figures;
}

std::optional<RunFigures> yarrow::figuresOf(const std::string &path,
                                            yarrow::DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  return fileKindOf(file->bytes()) == FileKind::Json ? readReport(path, diags)
                                                     : runOnce(path, diags);
}

bool yarrow::areEqual(const RunFigures &before, const RunFigures &after) {
  return before.layers == after.layers && before.accuracy == after.accuracy &&
         before.target == after.target;
}

static std::string difference(uint64_t before, uint64_t after) {
  if (before == after)
    return "0";
  return after > before ? "+" + formatCount(after - before)
                        : "-" + formatCount(before - after);
}

static std::string percent(uint64_t before, uint64_t after) {
  if (before == 0)
    return "";
  double share = 100 * (double(after) - double(before)) / double(before);
  return (share > 0 ? "+" : "") + formatFixed(share, 1) + "%";
}

namespace {
/// A layer in both runs, or in one of them.
struct LayerPair {
  const LayerFigures *before = nullptr, *after = nullptr;

  uint64_t cyclesBefore() const { return before ? before->cycles : 0; }
  uint64_t cyclesAfter() const { return after ? after->cycles : 0; }
  uint64_t distance() const {
    uint64_t a = cyclesBefore(), b = cyclesAfter();
    return a > b ? a - b : b - a;
  }
  bool differs() const { return !before || !after || *before != *after; }
};
} // namespace

/// In the order of the runs; layers of one name are one after the other.
static std::vector<LayerPair> pairsOf(const RunFigures &before,
                                      const RunFigures &after) {
  std::multimap<std::string, const LayerFigures *> open;
  for (const LayerFigures &layer : after.layers)
    open.emplace(layer.name, &layer);
  std::vector<LayerPair> pairs;
  for (const LayerFigures &layer : before.layers) {
    auto it = open.find(layer.name);
    pairs.push_back({&layer, it == open.end() ? nullptr : it->second});
    if (it != open.end())
      open.erase(it);
  }
  for (const LayerFigures &layer : after.layers)
    for (auto [it, end] = open.equal_range(layer.name); it != end; ++it)
      if (it->second == &layer)
        pairs.push_back({nullptr, &layer});
  return pairs;
}

std::string yarrow::cycleTable(const RunFigures &before,
                               const RunFigures &after, std::size_t width) {
  std::vector<LayerPair> pairs = pairsOf(before, after);
  std::erase_if(pairs, [](const LayerPair &pair) { return !pair.differs(); });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const LayerPair &a, const LayerPair &b) {
                     return a.distance() > b.distance();
                   });
  TextTable table;
  table.column("layer").shortened().column("type").optional(3);
  table.number("before").number("after").number("cycles").number("");
  table.number("DDR bytes").optional(2);
  auto ddr = [](const LayerFigures *layer) {
    return layer ? layer->ddrBytes : 0;
  };
  auto addRow = [&](const LayerPair &pair) {
    const LayerFigures &named = pair.after ? *pair.after : *pair.before;
    uint64_t a = pair.cyclesBefore(), b = pair.cyclesAfter();
    table.row({named.name, named.type, pair.before ? formatCount(a) : "-",
               pair.after ? formatCount(b) : "-", difference(a, b),
               pair.before && pair.after ? percent(a, b) : "",
               difference(ddr(pair.before), ddr(pair.after))});
  };
  for (const LayerPair &pair : pairs)
    addRow(pair);
  if (!pairs.empty())
    table.rule();
  LayerFigures sumBefore = before.total(), sumAfter = after.total();
  addRow({&sumBefore, &sumAfter});
  std::string text = table.str(width);
  if (before.target != after.target)
    text = "target " + before.target + " -> " + after.target + "\n" + text;
  std::map<std::string, double> known(before.accuracy.begin(),
                                      before.accuracy.end());
  for (const auto &[name, value] : after.accuracy)
    if (auto it = known.find(name); it != known.end() && it->second != value)
      text += name + ": " + formatFixed(it->second, 2) + " -> " +
              formatFixed(value, 2) + "\n";
  return text;
}
