//===- DiagnosisHtml.cpp - A diagnosis as a page with plots ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/diagnose/DiagnosisHtml.h"
#include "support/Format.h"
#include "support/Svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace yarrow;
using svg::escaped, svg::key, svg::label, svg::line, svg::picture,
    svg::rectangle;

namespace {

constexpr int kWidth = 960;
/// Layers whose values are shown.
constexpr std::size_t kHistograms = 12;

constexpr const char kStyle[] = R"(
body { font: 14px/1.4 sans-serif; margin: 2em auto; max-width: 1000px; color: #222 }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid #ddd; padding: 3px 8px; text-align: left }
td.n, th.n { text-align: right } tr.taken { background: #e8f3e8 }
pre { background: #f4f4f4; padding: 8px } svg { display: block }
svg text { font: 11px sans-serif; fill: #444 } .key i { display: inline-block;
width: 10px; height: 10px; margin: 0 4px 0 12px } figure { display: inline-block;
margin: 0 12px 16px 0 } figcaption { font-size: 12px }
)";

/// By part.
constexpr const char *kPartColours[kErrorParts] = {
    svg::kGrey,   svg::kBlue,      svg::kSky,    svg::kPurple,
    svg::kYellow, svg::kVermilion, svg::kOrange, svg::kGreen};
constexpr const char *kOwnColour = svg::kVermilion,
                     *kNetworkColour = svg::kBlue;

using Layers = std::vector<const TensorMetric *>;

std::string titleOf(const TensorMetric &layer) {
  return layer.layer + " (" + layer.layerType + ", " + layer.dtype + ")";
}

/// Names are cut in the middle, as they differ at their ends.
std::string shortName(const std::string &name, std::size_t most) {
  if (name.size() <= most)
    return name;
  std::size_t half = (most - 1) / 2;
  return name.substr(0, half) + "…" + name.substr(name.size() - half);
}

//===--- Plots ------------------------------------------------------------===//

std::string ratioPlot(const Layers &layers) {
  constexpr double kHeight = 260, kLeft = 40, kTop = 10, kBottom = 20;
  double most = 10;
  auto finite = [](const Similarity &s) {
    return s.count && std::isfinite(s.sqnrDb());
  };
  for (const TensorMetric *layer : layers)
    for (const Similarity *s : {&layer->own, &layer->similarity})
      if (finite(*s))
        most = std::max(most, s->sqnrDb());
  most = std::ceil(most / 10) * 10;
  double step =
      (kWidth - kLeft - 10) / double(std::max<std::size_t>(layers.size(), 1));
  auto x = [&](std::size_t i) { return kLeft + (double(i) + 0.5) * step; };
  auto y = [&](double db) {
    return kTop +
           (1 - std::clamp(db / most, 0.0, 1.0)) * (kHeight - kTop - kBottom);
  };
  std::string text;
  for (double db = 0; db <= most; db += most > 60 ? 20 : 10)
    text += line(kLeft, y(db), kWidth, y(db), "#e4e4e4") +
            label(kLeft - 6, y(db) + 4, formatFixed(db, 0), "end");
  for (bool isOwn : {false, true}) {
    std::string points, marks;
    const char *colour = isOwn ? kOwnColour : kNetworkColour;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Similarity &s = isOwn ? layers[i]->own : layers[i]->similarity;
      if (!finite(s))
        continue;
      points += svg::point(x(i), y(s.sqnrDb()));
      marks += svg::circle(x(i), y(s.sqnrDb()), 3.5, colour,
                           titleOf(*layers[i]) + ": " + s.sqnrText(1) +
                               (isOwn ? " dB alone" : " dB in the network"));
    }
    text += svg::polyline(points, colour) + marks;
  }
  return "<p class=\"key\">" + key(kOwnColour, "alone") +
         key(kNetworkColour, "in the network") +
         " &nbsp; dB relative to the float network, layer by layer</p>\n" +
         picture(kWidth, kHeight, text);
}

/// Bars of one row for each layer.
template <typename Bar> std::string rows(const Layers &layers, Bar bar) {
  constexpr double kRow = 18, kName = 220;
  std::string text;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    double y = double(i) * kRow;
    text += label(kName - 6, y + 13, shortName(layers[i]->layer, 34), "end") +
            bar(*layers[i], kName, y + 2, kRow - 4);
  }
  return picture(kWidth, double(layers.size()) * kRow + 4, text);
}

std::string splitPlot(const Layers &layers) {
  std::string keys;
  for (std::size_t p = 0; p < kErrorParts; ++p) {
    std::string name = errorPartName(ErrorPart(p));
    std::replace(name.begin(), name.end(), '_', ' ');
    keys += key(kPartColours[p], name);
  }
  auto bar = [](const TensorMetric &layer, double x, double y, double height) {
    const ErrorParts &parts = layer.parts;
    double sum = 0;
    for (double energy : parts.energy)
      sum += energy;
    std::string text;
    double width = kWidth - x - 170;
    for (std::size_t p = 0; p < kErrorParts && sum > 0; ++p) {
      double share = parts.energy[p] / sum;
      text += rectangle(x, y, width * share, height, kPartColours[p],
                        titleOf(layer) + ": " + errorPartName(ErrorPart(p)) +
                            " " + formatFixed(100 * share, 1) + " %");
      x += width * share;
    }
    double db =
        parts.total > 0 ? 10 * std::log10(parts.signal / parts.total) : 0;
    return text +
           label(kWidth - 160, y + 11,
                 formatFixed(db, 1) + " dB, interaction " +
                     formatFixed(sum > 0 ? 100 * parts.interaction() / sum : 0,
                                 0) +
                     " %");
  };
  return "<p class=\"key\">" + keys + "</p>\n" + rows(layers, bar);
}

std::string sensitivityPlot(const Layers &layers) {
  double most = 0;
  for (const TensorMetric *layer : layers)
    most = std::max(most, layer->alone->value());
  auto bar = [&](const TensorMetric &layer, double x, double y, double height) {
    double width =
        (kWidth - x - 190) * (most > 0 ? layer.alone->value() / most : 0);
    char text[64];
    std::snprintf(text, sizeof(text), "%.2e, %.1f dB", layer.alone->value(),
                  std::min(layer.alone->sqnrDb(), 999.0));
    return rectangle(x, y, width, height, kNetworkColour,
                     titleOf(layer) + ": " + text) +
           label(x + width + 6, y + 11, text);
  };
  return rows(layers, bar);
}

/// Counts on a logarithmic scale; what is outside of the range is red.
std::string histogram(const TensorMetric &layer) {
  constexpr double kW = 300, kH = 110;
  const ValueHistogram &h = layer.histogram;
  // From the first bin that anything is in to the last, and the range.
  double bin = h.bound() / double(ValueHistogram::kHalf);
  double least = std::min(double(h.min()), layer.rangeMin),
         largest = std::max(double(h.max()), layer.rangeMax);
  // A range that is far wider than the values would hide them.
  least = std::max(least, -2 * h.bound());
  largest = std::min(largest, 2 * h.bound());
  double scale = kW / std::max(largest - least, 1e-30);
  auto x = [&](double value) { return (value - least) * scale; };
  uint64_t most = *std::max_element(h.counts().begin(), h.counts().end());
  std::string bars;
  for (std::size_t i = 0; i < ValueHistogram::kBins; ++i) {
    uint64_t count = h.counts()[i];
    if (!count)
      continue;
    double from = (double(i) - ValueHistogram::kHalf) * bin, to = from + bin;
    double height = kH * std::log1p(double(count)) / std::log1p(double(most));
    bool isClipped = layer.rangeMax > layer.rangeMin &&
                     (to <= layer.rangeMin || from >= layer.rangeMax);
    bars += rectangle(x(from), kH - height, std::max(bin * scale - 0.5, 1.0),
                      height, isClipped ? kOwnColour : kNetworkColour,
                      formatFixed(from, 4) + " to " + formatFixed(to, 4) +
                          ": " + formatCount(count));
  }
  for (double limit : {layer.rangeMin, layer.rangeMax})
    bars += line(x(limit), 0, x(limit), kH, "#222");
  bars += label(0, kH + 14, formatFixed(least, 3)) +
          label(kW, kH + 14, formatFixed(largest, 3), "end");
  return "<figure>" + picture(kW, kH + 18, bars) + "<figcaption>" +
         escaped(titleOf(layer)) + "<br>" +
         formatFixed(100 * layer.clippedShare(), 2) +
         " % clipped</figcaption></figure>\n";
}

std::string remedyTable(const Diagnosis &diagnosis) {
  std::string text =
      "<table><tr><th>remedy</th><th class=\"n\">SQNR dB</th><th "
      "class=\"n\">gain</th><th></th><th class=\"n\">cycles</th><th>why</th>"
      "</tr>\n";
  double most = 1;
  for (const TriedRemedy &tried : diagnosis.remedies)
    most = std::max(most, std::isfinite(tried.gainDb) ? tried.gainDb : 0);
  for (const TriedRemedy &tried : diagnosis.remedies) {
    double gain = std::isfinite(tried.gainDb) ? tried.gainDb : 0;
    text += std::string("<tr") + (tried.isTaken ? " class=\"taken\"" : "") +
            "><td>" + escaped(tried.remedy.what) + "</td><td class=\"n\">" +
            (tried.sqnrDb ? formatFixed(*tried.sqnrDb, 1) : "not possible") +
            "</td><td class=\"n\">" +
            (tried.sqnrDb ? formatFixed(tried.gainDb, 1) : "") + "</td><td>" +
            picture(80, 12,
                    rectangle(0, 1, 80 * std::max(gain, 0.0) / most, 10,
                              kPartColours[7], formatFixed(gain, 1) + " dB")) +
            "</td><td class=\"n\">" +
            (tried.cycles ? formatCount(*tried.cycles) : "") + "</td><td>" +
            escaped(tried.remedy.why) + "</td></tr>\n";
  }
  return text + "</table>\n";
}

} // namespace

std::string yarrow::diagnosisHtml(const Diagnosis &diagnosis,
                                  const std::string &model,
                                  const std::string &target) {
  Layers shown, split, alone, spread;
  for (const TensorMetric &layer : diagnosis.layers) {
    if (layer.own.count || layer.similarity.count)
      shown.push_back(&layer);
    if (layer.parts.isKnown())
      split.push_back(&layer);
    if (layer.alone)
      alone.push_back(&layer);
    if (layer.own.count && !layer.histogram.isEmpty() &&
        layer.rangeMax > layer.rangeMin)
      spread.push_back(&layer);
  }
  std::stable_sort(spread.begin(), spread.end(), [](auto *a, auto *b) {
    return a->own.sqnrDb() < b->own.sqnrDb();
  });
  spread.resize(std::min(spread.size(), kHistograms));
  const Diagnosis::Figures &before = diagnosis.before, &after = diagnosis.after;
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>yarrow diagnose: " +
      escaped(model) + "</title><style>" + kStyle + "</style></head><body>\n" +
      "<h1>" + escaped(model) + " on " + escaped(target) +
      "</h1>\n<p>Outputs: " + formatFixed(before.sqnrDb, 1) +
      " dB relative to float, " + formatCount(before.cycles) +
      " cycles; with the remedies " + formatFixed(after.sqnrDb, 1) + " dB, " +
      formatCount(after.cycles) + " cycles.</p>\n";
  if (!diagnosis.findings.empty())
    page += "<ul id=\"findings\">\n";
  for (const Finding &finding : diagnosis.findings)
    page += "<li>" + escaped(finding.what) + "<br><code>" +
            escaped(finding.remedy(SettingStyle::Option)) + "</code></li>\n";
  if (!diagnosis.findings.empty())
    page += "</ul>\n";
  page += "<h2 id=\"layers\">What each layer loses</h2>\n" + ratioPlot(shown);
  if (!split.empty())
    page +=
        "<h2 id=\"causes\">Where the error comes from</h2>\n"
        "<p>Energy of the error of each step from the float layer to the "
        "integer layer. At the right: the whole error relative to the signal, "
        "and how far the sum of the steps is below or above it.</p>\n" +
        splitPlot(split);
  if (!alone.empty())
    page += "<h2 id=\"sensitivity\">What each layer does to the outputs</h2>\n"
            "<p>" +
            std::string(alone.front()->alone->unit()) +
            " of the outputs if only this layer has its error.</p>\n" +
            sensitivityPlot(alone);
  page += "<h2 id=\"values\">Values and ranges</h2>\n<p>Counts on a "
          "logarithmic scale, for the layers that lose most alone. The lines "
          "are the ends of the range.</p>\n";
  for (const TensorMetric *layer : spread)
    page += histogram(*layer);
  page += "<h2 id=\"remedies\">Remedies</h2>\n" + remedyTable(diagnosis);
  if (!diagnosis.settings.empty()) {
    page += "<p>In [Optimizer]:</p>\n<pre>";
    for (const auto &[name, value] : diagnosis.settings)
      page += escaped(name + " = " + value) + "\n";
    page += "</pre>\n";
  }
  return page + "</body></html>\n";
}
