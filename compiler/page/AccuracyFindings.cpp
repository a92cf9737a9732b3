//===- AccuracyFindings.cpp - Where a network loses -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/FindingParts.h"
#include "compiler/page/PageFindings.h"
#include "quantizer/metrics/DecisionSides.h"

#include <algorithm>
#include <set>

using namespace yarrow;
using namespace yarrow::finding;

/// A layer that loses less by itself is not a cause.
static constexpr double kHarmlessDb = 30;

namespace {

class AccuracyDoctor {
public:
  explicit AccuracyDoctor(const PageBuild &build) : build(build) {}

  std::vector<PageFinding> find() {
    findLostOutputs();
    findSides();
    findClippedLayers();
    return std::move(findings);
  }

private:
  const Json *comparedLayers() const {
    for (const char *part : {"quantization", "diagnosis"})
      if (auto it = build.report.find(part);
          it != build.report.end() && it->is_object() && it->contains("layers"))
        return &it->at("layers");
    return nullptr;
  }

  /// In dB; nullopt of what was not compared or does not differ.
  static std::optional<double> sqnrOf(const Json &layer, const char *key) {
    auto it = layer.find(key);
    if (it == layer.end() || !it->is_object() || !it->at("sqnr_db").is_number())
      return std::nullopt;
    return it->at("sqnr_db").get<double>();
  }

  /// What most of the layer's own noise comes from, as far as it is known.
  std::string causeOf(const Json &layer) const {
    // Of each part but the first, ErrorPart::Inherited.
    static_assert(unsigned(ErrorPart::Inherited) == 0);
    static constexpr const char *kTexts[kErrorParts - 1] = {
        "rounding of its weights", "clipping of its weights",
        "rounding of its bias",    "rounding of its scale",
        "clipping of its result",  "rounding of its result",
        "its integer method"};
    std::string stored = textOrNone(layer, "element_type");
    for (const LayerFacts &facts : build.facts) {
      if (facts.name != textOrNone(layer, "name"))
        continue;
      for (const ShownValues &values : facts.results)
        if (values.tensor == textOrNone(layer, "tensor") &&
            values.parts.isKnown() && values.parts.total > 0) {
          // What the inputs bring is not the layer's own.
          auto most = std::max_element(values.parts.energy.begin() + 1,
                                       values.parts.energy.end());
          return shareText(*most / values.parts.signal, 1, 2) +
                 " of the signal is noise from " +
                 kTexts[most - values.parts.energy.begin() - 1] + ", " + stored;
        }
    }
    return stored;
  }

  /// Layers that lose most by themselves.
  void addCauses(const Json &layers, PageFinding &finding) const {
    std::vector<std::pair<double, const Json *>> worst;
    for (const Json &layer : layers)
      if (std::optional<double> own = sqnrOf(layer, "own");
          own && *own < kHarmlessDb)
        worst.push_back({*own, &layer});
    std::ranges::stable_sort(
        worst, [](auto &a, auto &b) { return a.first < b.first; });
    finding.others = worst.size() - std::min(worst.size(), kMostLayers);
    worst.resize(std::min(worst.size(), kMostLayers));
    for (auto &[own, layer] : worst)
      finding.layers.push_back(
          {textOrNone(*layer, "name"), causeOf(*layer), {}, {}, own});
  }

  void findLostOutputs() {
    const Json *layers = comparedLayers();
    if (!layers)
      return;
    std::vector<std::pair<double, std::string>> lost;
    std::size_t outputs = 0;
    for (const Json &layer : *layers) {
      if (!layer.value("is_output", false))
        continue;
      ++outputs;
      std::optional<double> db = sqnrOf(layer, "to_float");
      std::string name = textOrNone(layer, "output");
      if (db && *db < PageThresholds().sqnrDb[0])
        lost.push_back({*db, name.empty() ? textOrNone(layer, "name") : name});
    }
    if (lost.empty())
      return;
    std::ranges::stable_sort(
        lost, [](auto &a, auto &b) { return a.first < b.first; });
    auto decibels = [](double db) { return formatFixed(db, 1) + " dB"; };
    PageFinding finding{PageFinding::Subject::Accuracy,
                        lost[0].first < PageThresholds().sqnrDb[1],
                        "",
                        "",
                        {},
                        0};
    std::string worst = lost[0].second + " has " + decibels(lost[0].first);
    finding.title =
        outputs == 1 ? "Output " + worst + " relative to the float network"
                     : formatCount(lost.size()) + " of " +
                           formatCount(outputs) + " outputs have less than " +
                           decibels(PageThresholds().sqnrDb[0]) + ": " + worst;
    addCauses(*layers, finding);
    finding.help = "These layers lose most alone. `yarrow diagnose` tries "
                   "remedies and prints their price in cycles; most often, 16 "
                   "bits for these layers help.";
    findings.push_back(std::move(finding));
  }

  /// Scores that changed sides.
  void findSides() {
    const Json *layers = comparedLayers();
    if (!layers)
      return;
    PageFinding finding{PageFinding::Subject::Accuracy, false, "", "", {}, 0};
    std::set<double> thresholds;
    for (const Json &layer : *layers) {
      auto sides = layer.find("decisions");
      if (sides == layer.end() || !sides->is_object())
        continue;
      double same = sides->value("same_share", 1.0);
      uint64_t found = countOf(*sides, "found"),
               above = countOf(*sides, "above");
      double least = PageThresholds().sameSideShare[0];
      if (same >= least && double(found) >= least * double(above))
        continue;
      double threshold = sides->value("threshold", 0.5);
      thresholds.insert(threshold);
      finding.isBad |=
          same < PageThresholds().sameSideShare[1] || found * 2 < above;
      finding.layers.push_back(
          {textOrNone(layer, "name"),
           formatCount(found) + " of " + formatCount(above) + " scores above " +
               thresholdText(threshold) + " are found, " +
               shareText(same, 1, 2) + " are on the same side",
           {},
           {},
           sqnrOf(layer, "to_float")});
    }
    if (finding.layers.empty())
      return;
    finding.title = "Scores of " + formatCount(finding.layers.size()) +
                    (finding.layers.size() == 1 ? " output" : " outputs") +
                    " are on the other side of " +
                    (thresholds.size() == 1 ? thresholdText(*thresholds.begin())
                                            : "their thresholds");
    finding.help =
        "The detector then finds different objects. More samples of those "
        "objects help, and so do 16 bits for the layers that lose most.";
    findings.push_back(std::move(finding));
  }

  void findClippedLayers() {
    const Json *layers = comparedLayers();
    if (!layers)
      return;
    auto shareOf = [](const Json *layer) {
      auto it = layer->find("clipped_share");
      return it != layer->end() && it->is_number() ? it->get<double>() : 0.0;
    };
    std::vector<const Json *> clipped;
    for (const Json &layer : *layers)
      if (shareOf(&layer) >= PageThresholds().clippedShare[0])
        clipped.push_back(&layer);
    if (clipped.empty())
      return;
    std::ranges::stable_sort(
        clipped, [&](auto *a, auto *b) { return shareOf(a) > shareOf(b); });
    PageFinding finding{PageFinding::Subject::Accuracy,
                        shareOf(clipped[0]) >= PageThresholds().clippedShare[1],
                        layersText(clipped.size()) + " clip 1 % or more of "
                                                     "their values",
                        "Ranges by extrema clip nothing. Narrower ranges are "
                        "better only if the largest values are rare.",
                        {},
                        0};
    if (clipped.size() == 1)
      finding.title = "1 layer clips 1 % or more of its values";
    finding.others = clipped.size() - std::min(clipped.size(), kMostLayers);
    clipped.resize(std::min(clipped.size(), kMostLayers));
    for (const Json *layer : clipped)
      finding.layers.push_back({textOrNone(*layer, "name"),
                                shareText(shareOf(layer), 1, 2) +
                                    " of its values, " +
                                    textOrNone(*layer, "element_type"),
                                {},
                                {},
                                sqnrOf(*layer, "own")});
    findings.push_back(std::move(finding));
  }

  const PageBuild &build;
  std::vector<PageFinding> findings;
};

} // namespace

std::vector<PageFinding> yarrow::accuracyFindings(const PageBuild &build) {
  return AccuracyDoctor(build).find();
}
