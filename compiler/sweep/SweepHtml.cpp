//===- SweepHtml.cpp - A sweep as a page with plots -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/sweep/Sweep.h"
#include "support/Format.h"
#include "support/Svg.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

namespace {

constexpr double kWidth = 900, kHeight = 320, kLeft = 90, kRight = 20,
                 kTop = 12, kBottom = 40;

constexpr const char kStyle[] = R"(
body { font: 14px/1.4 sans-serif; margin: 2em auto; max-width: 960px; color: #222 }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse } td, th { border-bottom: 1px solid #ddd;
padding: 3px 10px; text-align: right } td.t, th.t { text-align: left }
tr.knee { background: #e8f3e8 } svg { display: block; max-width: 100% }
svg text { font: 11px sans-serif; fill: #444 } .key i { display: inline-block;
width: 10px; height: 10px; margin: 0 4px 0 12px }
)";

/// Lines that stay apart; from the ninth on they repeat.
constexpr const char *kColours[] = {svg::kBlue,   svg::kVermilion, svg::kGreen,
                                    svg::kPurple, svg::kSky,       svg::kOrange,
                                    svg::kYellow, svg::kGrey};

/// The numbers of all axes but the first: what a line stands for.
std::string lineName(const SweepResult &result, const SweepPoint &point) {
  std::string name;
  for (std::size_t k = 1; k < result.axes.size(); ++k)
    name += (name.empty() ? "" : ", ") + result.axes[k].key + " " +
            shortNumber(point.values[k]);
  return name;
}

/// Values of \p figure along the first axis; both scales are logarithmic, since
/// machines come in factors.
template <typename Figure>
std::string plot(const SweepResult &result, Figure figure) {
  const std::vector<uint64_t> &values = result.axes[0].values;
  std::size_t lines = result.points.size() / values.size();
  double least = 0, most = 0;
  for (const SweepPoint &point : result.points)
    if (point.problem.empty()) {
      double value = std::max(double(figure(point)), 1.0);
      least = least ? std::min(least, value) : value;
      most = std::max(most, value);
    }
  if (least == 0)
    return "<p>The network does not compile for any of the machines.</p>\n";
  // A flat line lies in the middle.
  double low = std::log2(least) - 0.2, high = std::log2(most) + 0.2;
  double first = std::log2(double(values.front())),
         span = std::max(std::log2(double(values.back())) - first, 1e-9);
  auto x = [&](uint64_t value) {
    return kLeft + (kWidth - kLeft - kRight) *
                       (values.size() == 1
                            ? 0.5
                            : (std::log2(double(value)) - first) / span);
  };
  auto y = [&](double value) {
    return kTop + (kHeight - kTop - kBottom) *
                      (high - std::log2(std::max(value, 1.0))) / (high - low);
  };
  std::string content, keys;
  constexpr int kTicks = 5;
  for (int tick = 0; tick < kTicks; ++tick) {
    double value = std::exp2(low + (high - low) * tick / double(kTicks - 1));
    content +=
        svg::line(kLeft, y(value), kWidth - kRight, y(value), "#e4e4e4") +
        svg::label(kLeft - 6, y(value) + 4,
                   formatCount(uint64_t(std::llround(value))), "end");
  }
  for (uint64_t value : values)
    content += svg::label(x(value), kHeight - kBottom + 18, shortNumber(value),
                          "middle");
  content += svg::label((kLeft + kWidth) / 2, kHeight - 4, result.axes[0].key,
                        "middle");
  for (std::size_t n = 0; n < lines; ++n) {
    const char *colour = kColours[n % std::size(kColours)];
    std::string points, marks, name = lineName(result, result.points[n]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const SweepPoint &point = result.points[i * lines + n];
      if (!point.problem.empty())
        continue;
      double value = double(figure(point));
      bool isKnee = point.isKnee[0];
      points += svg::point(x(values[i]), y(value));
      marks += svg::circle(x(values[i]), y(value), isKnee ? 5.5 : 3.5, colour,
                           result.axes[0].key + " " + shortNumber(values[i]) +
                               (name.empty() ? "" : ", " + name) + ": " +
                               formatCount(uint64_t(std::llround(value))) +
                               (isKnee ? ", the knee" : ""));
    }
    content += svg::polyline(points, colour) + marks;
    if (lines > 1)
      keys += svg::key(colour, name);
  }
  return (keys.empty() ? "" : "<p class=\"key\">" + keys + "</p>\n") +
         svg::picture(kWidth, kHeight, content);
}

std::string cell(const std::string &text, const char *kind = "td") {
  return std::string("<") + kind + ">" + svg::escaped(text) + "</" + kind + ">";
}

std::string tableOf(const SweepResult &result) {
  std::string text = "<table><tr>";
  for (const MachineAxis &axis : result.axes)
    text += cell(axis.key, "th");
  for (const char *head : {"cycles", "ms", "DDR bytes", "array use", "knee of"})
    text += cell(head, "th");
  text += "</tr>\n";
  for (const SweepPoint &point : result.points) {
    std::string row, knees;
    for (std::size_t k = 0; k < result.axes.size(); ++k) {
      row += cell(shortNumber(point.values[k]));
      if (point.isKnee[k])
        knees += (knees.empty() ? "" : ", ") + result.axes[k].key;
    }
    if (!point.problem.empty())
      row += "<td colspan=\"5\" class=\"t\">" + svg::escaped(point.problem) +
             "</td>";
    else
      row += cell(formatCount(point.cycles)) +
             cell(formatFixed(point.milliseconds, 3)) +
             cell(formatCount(point.ddrBytes)) +
             cell(formatFixed(100 * point.utilization, 1) + "%") + cell(knees);
    text += (knees.empty() ? "<tr>" : "<tr class=\"knee\">") + row + "</tr>\n";
  }
  return text + "</table>\n";
}

} // namespace

std::string SweepResult::html() const {
  std::string title = svg::escaped(model + " on variations of " + base);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<title>" +
         title + "</title><style>" + kStyle + "</style></head><body>\n<h1>" +
         title + "</h1>\n<p>Knee: a larger number saves fewer than " +
         formatFixed(100 * kKneeShare, 0) +
         " % of the cycles, with all others unchanged. Larger circles are "
         "knees of the axis below.</p>\n<h2>Cycles</h2>\n" +
         plot(*this, [](const SweepPoint &p) { return p.cycles; }) +
         "<h2>DDR bytes</h2>\n" +
         plot(*this, [](const SweepPoint &p) { return p.ddrBytes; }) +
         "<h2>All machines</h2>\n" + tableOf(*this) + "</body></html>\n";
}
