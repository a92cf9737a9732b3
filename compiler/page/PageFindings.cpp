//===- PageFindings.cpp - What is wrong with a build, and where -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/PageFindings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

using namespace yarrow;
using Json = nlohmann::ordered_json;

Json PageThresholds::json() const {
  return {{"sqnr_db", sqnrDb},
          {"cosine", cosine},
          {"clipped_share", clippedShare},
          {"same_side_share", sameSideShare},
          {"cycle_share", cycleShare}};
}

std::vector<PageFinding> yarrow::findingsOf(const PageBuild &build) {
  std::vector<PageFinding> all = speedFindings(build);
  std::ranges::move(accuracyFindings(build), std::back_inserter(all));
  return all;
}

Json yarrow::findingsJson(const std::vector<PageFinding> &findings) {
  auto orNull = [](const auto &value) { return value ? Json(*value) : Json(); };
  Json list = Json::array();
  for (const PageFinding &finding : findings) {
    Json layers = Json::array();
    for (const FoundLayer &layer : finding.layers)
      layers.push_back({{"name", layer.name},
                        {"why", layer.why},
                        {"cycles", orNull(layer.cycles)},
                        {"saves", orNull(layer.savedCycles)},
                        {"sqnr_db", orNull(layer.sqnrDb)}});
    list.push_back({{"subject", finding.subject == PageFinding::Subject::Speed
                                    ? "speed"
                                    : "accuracy"},
                    {"severity", finding.isBad ? "bad" : "look"},
                    {"title", finding.title},
                    {"help", finding.help},
                    {"layers", std::move(layers)},
                    {"others", finding.others}});
  }
  return list;
}
