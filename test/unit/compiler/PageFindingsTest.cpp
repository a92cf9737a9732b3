//===- PageFindingsTest.cpp - What pages find wrong -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/page/PageFindings.h"
#include "compiler/page/PrivatePaths.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace yarrow;
using Json = nlohmann::ordered_json;
using Subject = PageFinding::Subject;

namespace {

Json layerOf(const char *name, uint64_t cycles, const char *limit,
             uint64_t boundCycles, const char *onTecs = "") {
  return {{"name", name},     {"type", "Softmax"},
          {"cycles", cycles}, {"bound_cycles", boundCycles},
          {"macs", 0},        {"ddr_bytes", 2048},
          {"sram_bytes", 0},  {"limit", limit},
          {"on_tecs", onTecs}};
}

PageBuild buildOf(Json layers, uint64_t cycles) {
  Json performance{{"cycles", cycles},
                   {"peak_macs_per_cycle", 4096},
                   {"layers", std::move(layers)}};
  return {"net", {{"performance", std::move(performance)}}, std::nullopt};
}

Json comparedOf(const char *name, double ownDb, double farDb, double clipped,
                bool isOutput) {
  return {{"name", name},
          {"tensor", name},
          {"is_output", isOutput},
          {"output", isOutput ? Json("scores") : Json()},
          {"element_type", "int8"},
          {"to_float", {{"sqnr_db", farDb}, {"cosine", 0.9}}},
          {"own", {{"sqnr_db", ownDb}, {"cosine", 0.9}}},
          {"clipped_share", clipped},
          {"decisions", nullptr}};
}

TEST(PageFindings, NothingIsWrongWithAFullArray) {
  EXPECT_TRUE(
      findingsOf(buildOf({layerOf("conv", 900, "mac array", 890)}, 1000))
          .empty());
}

TEST(PageFindings, WithoutCyclesThereIsNothingToPrint) {
  EXPECT_TRUE(
      findingsOf({"net", {{"performance", nullptr}}, std::nullopt}).empty());
  EXPECT_TRUE(findingsOf({"net", Json::object(), std::nullopt}).empty());
}

TEST(PageFindings, LayersOnTecsComeWithReasonsAndWhatTheyCost) {
  std::vector<PageFinding> found = findingsOf(
      buildOf({layerOf("conv", 100, "mac array", 90),
               layerOf("small", 200, "tec", 50, "no engine computes yk_a"),
               layerOf("large", 700, "tec", 20, "no engine computes yk_b")},
              1000));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].subject, Subject::Speed);
  EXPECT_TRUE(found[0].isBad);
  EXPECT_EQ(found[0].title,
            "90.0 % of the cycles go by on the TECs, in 2 layers");
  ASSERT_EQ(found[0].layers.size(), 2u);
  EXPECT_EQ(found[0].layers[0].name, "large");
  EXPECT_EQ(found[0].layers[0].why, "no engine computes yk_b");
  EXPECT_EQ(found[0].layers[0].savedCycles, 680u);
  EXPECT_EQ(found[0].layers[1].savedCycles, 150u);
  EXPECT_NE(found[0].help.find("830 cycles, 83.0 % of the run"),
            std::string::npos);
}

TEST(PageFindings, TheCostliestLimitComesFirst) {
  std::vector<PageFinding> found = findingsOf(
      buildOf({layerOf("a", 300, "tec", 0, "why"), layerOf("b", 600, "ddr", 64),
               layerOf("c", 10, "start", 0)},
              1000));
  ASSERT_EQ(found.size(), 2u) << "a limit of one per cent is none";
  EXPECT_EQ(found[0].layers[0].name, "b");
  EXPECT_EQ(found[0].layers[0].why, "Softmax: 2.00 KB over the bus");
  EXPECT_EQ(found[1].layers[0].name, "a");
}

TEST(PageFindings, WhatCannotBeSavedIsNotReported) {
  EXPECT_TRUE(
      findingsOf(buildOf({layerOf("a", 995, "sram", 990)}, 1000)).empty());
}

TEST(PageFindings, ScoresThatChangeSidesAreReported) {
  Json layer = comparedOf("cls", 45, 45, 0, true);
  layer["decisions"] = {{"same_share", 0.9}, {"above", 40}, {"found", 30}};
  PageBuild build{"net",
                  {{"quantization", {{"layers", Json::array({layer})}}}},
                  std::nullopt};
  std::vector<PageFinding> found = findingsOf(build);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].isBad);
  EXPECT_EQ(found[0].title, "Scores of 1 output are on the other side of 0.5");
  EXPECT_EQ(found[0].layers[0].why,
            "30 of 40 scores above 0.5 are found, 90.00 % are on the same "
            "side");
}

TEST(PageFindings, ScoresHaveTheirOwnThresholds) {
  auto scoresOf = [](const char *name, double threshold) {
    Json layer = comparedOf(name, 45, 45, 0, true);
    layer["decisions"] = {{"threshold", threshold},
                          {"same_share", 0.9},
                          {"above", 40},
                          {"found", 30}};
    return layer;
  };
  auto findingOf = [](Json layers) {
    PageBuild build{
        "net", {{"quantization", {{"layers", std::move(layers)}}}}, {}};
    return findingsOf(build).at(0);
  };
  PageFinding one = findingOf(Json::array({scoresOf("cls", 0.3)}));
  EXPECT_EQ(one.title, "Scores of 1 output are on the other side of 0.3");
  EXPECT_EQ(one.layers[0].why,
            "30 of 40 scores above 0.3 are found, 90.00 % are on the same "
            "side");
  EXPECT_EQ(findingOf(Json::array({scoresOf("cls", 0.3), scoresOf("obj", 0.5)}))
                .title,
            "Scores of 2 outputs are on the other side of their thresholds");
}

TEST(PageFindings, OfManyLayersSixAreListed) {
  Json layers = Json::array();
  for (int i = 0; i < 10; ++i)
    layers.push_back(
        layerOf(("l" + std::to_string(i)).c_str(), 100, "tec", 0, "why"));
  std::vector<PageFinding> found = findingsOf(buildOf(layers, 1000));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].layers.size(), 6u);
  EXPECT_EQ(found[0].others, 4u);
  EXPECT_NE(found[0].title.find("60.0 % in these 6"), std::string::npos);
}

TEST(PageFindings, LostOutputsNameTheLayersThatLoseMost) {
  PageBuild build{"net",
                  {{"quantization",
                    {{"layers",
                      {comparedOf("fine", 50, 50, 0, false),
                       comparedOf("poor", 15, 15, 0, false),
                       comparedOf("worst", 8, 8.25, 0, true)}}}}},
                  std::nullopt};
  LayerFacts facts{"worst", {}, {}, {{"worst", {}, 0, 0, {}}}};
  facts.results[0].parts.signal = 1;
  facts.results[0].parts.total = 0.2;
  facts.results[0].parts.energy[unsigned(ErrorPart::Inherited)] = 0.19;
  facts.results[0].parts.energy[unsigned(ErrorPart::OutputClip)] = 0.15;
  build.facts = {facts};
  std::vector<PageFinding> found = findingsOf(build);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].subject, Subject::Accuracy);
  EXPECT_TRUE(found[0].isBad);
  EXPECT_EQ(found[0].title,
            "Output scores has 8.2 dB relative to the float network");
  ASSERT_EQ(found[0].layers.size(), 2u);
  EXPECT_EQ(found[0].layers[0].name, "worst");
  EXPECT_EQ(found[0].layers[0].why,
            "15.00 % of the signal is noise from clipping of its result, int8");
  EXPECT_EQ(found[0].layers[1].name, "poor");
}

TEST(PageFindings, ClippedLayersAreReported) {
  PageBuild build{"net",
                  {{"quantization",
                    {{"layers",
                      {comparedOf("a", 45, 45, 0.02, false),
                       comparedOf("b", 45, 45, 0.001, true)}}}}},
                  std::nullopt};
  std::vector<PageFinding> found = findingsOf(build);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].isBad);
  EXPECT_EQ(found[0].layers[0].why, "2.00 % of its values, int8");
}

TEST(PrivatePaths, FoldersOfFilesGoAndNamesOfLayersStay) {
  Json report{
      {"files",
       {{"read", {{"graph", "/home/me/nets/a.onnx"}}},
        {"written", {{"outputs", {"/home/me/out/y.npy", "out/z.npy"}}}}}},
      {"diagnostics",
       {{{"file", "/home/me/nets/a.onnx"},
         {"message", "layer /home/Conv of /home/me/nets/a.onnx"}}}},
      {"performance", {{"layers", {{{"name", "/home/me"}}}}}}};
  EXPECT_EQ(withoutFolders(report, "/home/me/out/aipu.bin"), "aipu.bin");
  EXPECT_EQ(report["files"]["read"]["graph"], "a.onnx");
  EXPECT_EQ(report["files"]["written"]["outputs"],
            Json({"y.npy", "out/z.npy"}));
  EXPECT_EQ(report["diagnostics"][0]["file"], "a.onnx");
  EXPECT_EQ(report["diagnostics"][0]["message"], "layer /home/Conv of a.onnx");
  EXPECT_EQ(report["performance"]["layers"][0]["name"], "/home/me");
}

TEST(PrivatePaths, AReportWithoutFilesStays) {
  Json report{{"model", "a"}};
  EXPECT_EQ(withoutFolders(report, "a"), "a");
  EXPECT_EQ(report, Json({{"model", "a"}}));
}

} // namespace
