//===- MetricsTable.cpp - What quantization costs, as text ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Metrics.h"
#include "support/Format.h"
#include "support/TextTable.h"

using namespace yarrow;

std::string yarrow::layerTable(const std::vector<TensorMetric> &layers,
                               std::size_t width) {
  TextTable table;
  table.column("layer").shortened().column("type").optional(2);
  table.column("output").number("scale").number("zp").number("cosine");
  table.number("SQNR dB").number("own dB").optional(1);
  table.number("clipped %").optional(1);
  for (const TensorMetric &m : layers) {
    bool isKnown = m.similarity.count != 0;
    table.row({m.layer, m.layerType, m.dtype, formatFixed(m.scale, 4),
               std::to_string(m.zp),
               isKnown ? formatFixed(m.similarity.cosine(), 6) : "-",
               isKnown ? m.similarity.sqnrText(1) : "-",
               m.own.count ? m.own.sqnrText(1) : "-",
               m.own.count ? formatFixed(100 * m.clippedShare(), 2) : "-"});
  }
  return table.str(width);
}

/// What is worth a line of its own.
static constexpr double kMuchClipped = 0.01;

/// One line, and one for each group of columns that differ in size.
static std::string outputSummary(const TensorMetric &m) {
  std::string text = "output " + m.output + ": cosine " +
                     formatFixed(m.similarity.cosine(), 6) + ", SQNR " +
                     m.similarity.sqnrText(1) + " dB to float";
  if (m.scores.areScores())
    text += ", " + formatCount(m.scores.agreeing()) + " of " +
            formatCount(m.scores.rows()) + " answers as float";
  text += "\n  max error " + formatFixed(m.similarity.maxError, 4) + "\n";
  if (m.sides.isKnown())
    text += "  " + m.sides.str() + "\n";
  for (const ColumnGroup &group : m.columns)
    text += "  " + group.str() + ": SQNR " + group.sqnrText(1) + " dB\n";
  return text;
}

std::string yarrow::layerSummary(const std::vector<TensorMetric> &layers) {
  const TensorMetric *worst = nullptr;
  std::string text;
  for (const TensorMetric &m : layers) {
    if (m.isOutput && m.similarity.count)
      text += outputSummary(m);
    if (m.own.count && (!worst || m.own.sqnrDb() < worst->own.sqnrDb()))
      worst = &m;
  }
  if (worst)
    text += "loses most alone: " + worst->layer + " (" + worst->layerType +
            "), " + worst->own.sqnrText(1) + " dB, " +
            formatFixed(100 * worst->clippedShare(), 2) + " % clipped\n";
  if (worst && worst->clippedShare() >= kMuchClipped)
    text +=
        "its range clips many values: `yarrow diagnose` tries other ranges\n";
  return text;
}
