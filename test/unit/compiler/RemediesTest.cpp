//===- RemediesTest.cpp - Which settings are tried and taken --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Networks are made up here: a function of the settings says how exact and how
// fast one is.
//
//===----------------------------------------------------------------------===//
#include "compiler/diagnose/Remedies.h"

#include <gtest/gtest.h>

using namespace yarrow;

namespace {

TensorMetric layer(const std::string &name, int64_t id, double noise,
                   double clipped = 0) {
  TensorMetric m;
  m.layer = name, m.layerType = "Convolution", m.dtype = "int8";
  m.layerId = id;
  m.own.signalSquares = 1, m.own.noiseSquares = noise, m.own.count = 1;
  m.values = 1000, m.clipped = uint64_t(1000 * clipped);
  return m;
}

/// What a remedy changes a key to; "" if no remedy does.
std::string proposedFor(const Settings &given,
                        const std::vector<TensorMetric> &layers,
                        const std::string &key, const std::string &what) {
  for (const Remedy &remedy : proposeRemedies(given, layers, 64))
    if (auto it = remedy.settings.find(key);
        it != remedy.settings.end() &&
        remedy.what.find(what) != std::string::npos)
      return it->second;
  return "";
}

TEST(Remedies, ClippedLayersGetARuleOfTheirOwn) {
  std::vector<TensorMetric> layers = {layer("a", 3, 0.1, 0.05),
                                      layer("b", 7, 0.01)};
  const std::string key = "calibration_strategy_for_activation";
  EXPECT_EQ(proposedFor({}, layers, key, "range of a"),
            "mean & <[(3,3)]:extrema>");
  EXPECT_EQ(proposedFor({}, layers, key, "range of b"), "");
  EXPECT_EQ(proposedFor({{key, "3std & <[Softmax]:mean>"}}, layers, key,
                        "range of a"),
            "3std & <[(3,3)]:extrema> <[Softmax]:mean>");
  // For all layers, rules stay.
  EXPECT_EQ(proposedFor({{key, "3std & <[Softmax]:mean>"}}, layers, key,
                        "activations by extrema"),
            "extrema & <[Softmax]:mean>");
}

TEST(Remedies, TheWorstLayersGetMoreBits) {
  std::vector<TensorMetric> layers;
  for (int i = 0; i < 9; ++i)
    layers.push_back(layer("l" + std::to_string(i), i, 0.01 * (i + 1)));
  EXPECT_EQ(proposedFor({}, layers, "activation_bits", "for l8"),
            "8 & <[(8,8)]:16>");
  EXPECT_EQ(proposedFor({}, layers, "weight_bits", "for l5"),
            "8 & <[(5,5)]:16>");
  EXPECT_EQ(proposedFor({}, layers, "activation_bits", "for l4"), "");
  EXPECT_EQ(proposedFor({{"activation_bits", "16"}}, layers, "activation_bits",
                        "for l8"),
            "");
}

/// A network by its settings.
std::optional<Trial> madeUp(const Settings &settings, CompareDetail) {
  Trial trial{{layer("a", 1, 0.1)}};
  trial.sqnrDb = 10;
  uint64_t cycles = 1000;
  if (settingOf(settings, "calibration_batch_size") == "32")
    trial.sqnrDb += 3;
  if (settingOf(settings, "activation_bits") != "8")
    trial.sqnrDb += 5, cycles = 1500; // 0.1 dB for a percent
  if (settingOf(settings, "quantize_method_for_activation") ==
      "per_tensor_asymmetric")
    return std::nullopt;
  trial.countCycles = [cycles] { return std::optional(cycles); };
  return trial;
}

TEST(RemedySearch, TakesWhatGainsMostForItsCycles) {
  RemedySearch search({}, 64, madeUp);
  auto found = search.run(*madeUp({}, CompareDetail::Layers));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->before.sqnrDb, 10);
  EXPECT_EQ(found->after.sqnrDb, 18);
  EXPECT_EQ(found->after.cycles, 1500u);
  ASSERT_GE(found->remedies.size(), 3u);
  EXPECT_EQ(found->remedies[0].remedy.what, "calibration in batches of 32");
  EXPECT_EQ(found->remedies[0].gainDb, 3);
  EXPECT_EQ(found->remedies[1].remedy.what, "16 bits for a (Convolution)");
  EXPECT_TRUE(found->remedies[1].isTaken);
  EXPECT_FALSE(found->remedies[2].isTaken);
  // What cannot be made stands last.
  EXPECT_FALSE(found->remedies.back().sqnrDb);
  EXPECT_EQ(found->settings, (Settings{{"activation_bits", "8 & <[(1,1)]:16>"},
                                       {"calibration_batch_size", "32"},
                                       {"weight_bits", "8 & <[(1,1)]:16>"}}));
}

TEST(RemedySearch, PaysNothingForMoreThanEnough) {
  RemedySearch search({}, 64, madeUp);
  search.enoughDb = 12;
  auto found = search.run(*madeUp({}, CompareDetail::Layers));
  ASSERT_TRUE(found);
  // The batches cost nothing; bits would.
  EXPECT_EQ(found->after.sqnrDb, 13);
  EXPECT_EQ(found->after.cycles, 1000u);
}

TEST(RemedySearch, StopsInTime) {
  RemedySearch search({}, 64, madeUp);
  search.isOutOfTime = [] { return true; };
  auto found = search.run(*madeUp({}, CompareDetail::Layers));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->isOutOfTime);
  EXPECT_TRUE(found->remedies.empty());
  EXPECT_EQ(found->numTrials, 0u);
}

} // namespace
