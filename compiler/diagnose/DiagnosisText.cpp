//===- DiagnosisText.cpp - A diagnosis for a terminal ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/diagnose/Remedies.h"
#include "support/Format.h"
#include "support/TextTable.h"

#include <algorithm>
#include <limits>

using namespace yarrow;

/// Layers in a table that is not whole.
static constexpr std::size_t kShownLayers = 10;

static std::string layersText(const std::vector<TensorMetric> &layers,
                              bool isWhole, std::size_t width) {
  std::vector<const TensorMetric *> shown;
  for (const TensorMetric &loss : layers)
    if (loss.own.count || loss.similarity.count)
      shown.push_back(&loss);
  if (!isWhole) {
    auto ownDb = [](const TensorMetric *loss) {
      return loss->own.count ? loss->own.sqnrDb()
                             : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(shown.begin(), shown.end(),
                     [&](auto *a, auto *b) { return ownDb(a) < ownDb(b); });
    shown.resize(std::min(shown.size(), kShownLayers));
  }
  TextTable table;
  table.column("layer").shortened().column("type").optional(2);
  table.column("output").number("own SQNR dB").number("in network");
  table.number("clipped %").optional(1);
  for (const TensorMetric *loss : shown)
    table.row({loss->layer, loss->layerType, loss->dtype,
               loss->own.count ? loss->own.sqnrText(1) : "-",
               loss->similarity.count ? loss->similarity.sqnrText(1) : "-",
               formatFixed(100 * loss->clippedShare(), 2)});
  return table.str(width);
}

/// Layers whose causes are told.
static constexpr std::size_t kExplainedLayers = 5;

/// The parts that make up most of a layer's error, in percent of all of them.
static std::string causesText(const std::vector<TensorMetric> &layers,
                              std::size_t width) {
  std::vector<const TensorMetric *> worst;
  for (const TensorMetric &loss : layers)
    if (loss.parts.isKnown() && loss.parts.total > 0)
      worst.push_back(&loss);
  std::stable_sort(worst.begin(), worst.end(), [](auto *a, auto *b) {
    return a->own.sqnrDb() < b->own.sqnrDb();
  });
  worst.resize(std::min(worst.size(), kExplainedLayers));
  if (worst.empty())
    return "";
  TextTable table;
  table.column("noise from, in % of the signal").shortened();
  for (const char *head : {"input", "w round", "w clip", "bias", "scale",
                           "clip", "round", "method"})
    table.number(head);
  table.number("together");
  for (const TensorMetric *loss : worst) {
    const ErrorParts &parts = loss->parts;
    std::vector<std::string> row = {loss->layer};
    for (std::size_t p = 0; p < kErrorParts; ++p)
      row.push_back(formatFixed(100 * parts.share(ErrorPart(p)), 2));
    row.push_back(formatFixed(100 * parts.total / parts.signal, 2));
    table.row(std::move(row));
  }
  return table.str(width) + "\n";
}

/// The layers whose errors the outputs feel most.
static std::string sensitivityText(const std::vector<TensorMetric> &layers,
                                   std::size_t width) {
  std::vector<const TensorMetric *> worst;
  for (const TensorMetric &loss : layers)
    if (loss.alone && loss.alone->value() > 0)
      worst.push_back(&loss);
  std::stable_sort(worst.begin(), worst.end(), [](auto *a, auto *b) {
    return a->alone->value() > b->alone->value();
  });
  worst.resize(std::min(worst.size(), kExplainedLayers));
  if (worst.empty())
    return "";
  TextTable table;
  table.column("outputs with the error of one layer").shortened();
  table.number("SQNR dB").number(worst.front()->alone->unit());
  for (const TensorMetric *loss : worst)
    table.row({loss->layer, formatFixed(loss->alone->sqnrDb(), 1),
               formatFixed(loss->alone->value(), 5)});
  return table.str(width) + "\n";
}

static std::string remediesText(const Diagnosis &diagnosis, std::size_t width) {
  TextTable table;
  table.column("remedy").shortened().number("SQNR dB").number("gain");
  table.number("cycles").column("taken");
  for (const TriedRemedy &tried : diagnosis.remedies)
    table.row({tried.remedy.what,
               tried.sqnrDb ? formatFixed(*tried.sqnrDb, 1) : "-",
               tried.sqnrDb ? formatFixed(tried.gainDb, 1) : "not possible",
               tried.cycles ? formatCount(*tried.cycles) : "-",
               tried.isTaken ? "yes" : ""});
  return table.str(width);
}

std::string yarrow::diagnosisText(const Diagnosis &diagnosis, bool isWhole,
                                  std::size_t width) {
  const Diagnosis::Figures &before = diagnosis.before, &after = diagnosis.after;
  std::string text = layersText(diagnosis.layers, isWhole, width) + "\n" +
                     causesText(diagnosis.layers, width) +
                     sensitivityText(diagnosis.layers, width) +
                     "outputs: " + formatFixed(before.sqnrDb, 1) +
                     " dB to float, " + formatCount(before.cycles) +
                     " cycles\n\n";
  if (diagnosis.isOutOfTime)
    text += "stopped by --time: not all remedies were tried\n";
  if (!diagnosis.remedies.empty())
    text += remediesText(diagnosis, width);
  if (diagnosis.settings.empty())
    return text + "no remedy improves the outputs\n";
  for (const TriedRemedy &tried : diagnosis.remedies)
    if (tried.isTaken)
      text += "  " + tried.remedy.what + ": " + tried.remedy.why + "\n";
  double more = double(after.cycles) / double(before.cycles) - 1;
  text += "together: " + formatFixed(after.sqnrDb, 1) + " dB to float, " +
          formatCount(after.cycles) + " cycles (" + (more >= 0 ? "+" : "") +
          formatFixed(100 * more, 1) + " %). In [Optimizer]:\n";
  for (const auto &[key, value] : diagnosis.settings)
    text += key + " = " + value + "\n";
  return text;
}
