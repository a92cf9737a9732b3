//===- TopKTest.cpp - Metrics of classes ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/MeanScore.h"
#include "test/unit/scores/Scoring.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace yarrow;

namespace {

TestTensor label(float value) { return {{value}, {}}; }

TEST(TopK, CountsLabelsAmongTheLargest) {
  Samples samples;
  samples.add({{{3, 1, 2, 0}, {4}}}, {label(0)});
  samples.add({{{3, 1, 2, 0}, {4}}}, {label(2)});
  samples.add({{{3, 1, 2, 0}, {4}}}, {label(3)});
  EXPECT_DOUBLE_EQ(samples.score("TopKMetric"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(samples.score("topkmetric", {"2"}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(samples.score("TopKMetric", {"K=4"}), 1);
  EXPECT_DOUBLE_EQ(samples.score("TopKMetric", {"9"}), 1);
}

TEST(TopK, TakesClassNumbers) {
  Samples samples;
  samples.add({{{7}, {1}}}, {label(7)});
  samples.add({{{6}, {1}}}, {label(7)});
  EXPECT_DOUBLE_EQ(samples.score("TopKMetric", {"1", "True"}), 0.5);
  EXPECT_DOUBLE_EQ(samples.score("TopKMetric", {"with_argmax=true"}), 0.5);
}

/// The k largest are those of a sort, whatever the order of equal ones.
TEST(TopK, IsASelectionOfTheLargest) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<float> values(1 + random() % 200);
    for (float &v : values)
      v = float(int(random() % 12));
    std::size_t k = 1 + random() % 8;
    std::vector<float> wanted = values, found;
    std::sort(wanted.rbegin(), wanted.rend());
    wanted.resize(std::min(k, wanted.size()));
    std::vector<std::size_t> indices = torchTopK(values, k);
    for (std::size_t i : indices)
      found.push_back(values[i]);
    EXPECT_TRUE(std::is_sorted(found.rbegin(), found.rend()));
    EXPECT_EQ(found, wanted);
    std::ranges::sort(indices);
    EXPECT_EQ(std::ranges::adjacent_find(indices), indices.end());
  }
}

/// Of many values the first of the equal ones, as a scan finds it.
TEST(TopK, TakesTheFirstOfManyEqual) {
  std::vector<float> values(64, 1);
  values[20] = values[40] = 5;
  EXPECT_EQ(torchTopK(values, 1), std::vector<std::size_t>{20});
}

TEST(KeywordSpotting, ComparesLargest) {
  Samples samples;
  samples.add({{{0, 9, 1}, {3}}}, {{{0, 1, 0}, {3}}});
  samples.add({{{0, 9, 1}, {3}}}, {{{1, 0, 0}, {3}}});
  EXPECT_DOUBLE_EQ(samples.score("KeywordSpottingMetric"), 0.5);
  EXPECT_DOUBLE_EQ(samples.score("KeywordSpottingMetric", {"1"}), 0.5);
}

TEST(Imdb, IsTwoClassAccuracy) {
  Samples samples;
  samples.add({{{2, 1}, {2}}}, {label(0)});
  samples.add({{{1, 2}, {2}}}, {label(1)});
  samples.add({{{1, 2}, {2}}}, {label(0)});
  samples.add({{{0, 1, 2}, {3}}}, {label(2)});
  EXPECT_DOUBLE_EQ(samples.score("IMDBMetric"), 0.5);
}

/// Of logits that are logarithms of shares p, the perplexity of one token is
/// 1 / p; of two, the geometric mean.
TEST(LmHead, IsPerplexityOfTheLastStep) {
  auto logs = [](float a, float b) {
    return TestTensor{{5, 6, std::log(a), std::log(b)}, {2, 2}};
  };
  Samples samples;
  samples.add({logs(1, 3)}, {label(0)});
  samples.add({logs(1, 1)}, {label(1)});
  EXPECT_NEAR(samples.score("LMHeadMetric"), std::sqrt(4.0 * 2.0), 1e-6);
  Samples outside;
  outside.add({logs(1, 3)}, {label(2)});
  EXPECT_TRUE(std::isnan(outside.score("LMHeadMetric")));
}

/// Pairs on a line of angles: the same person is within 0.1, another one 1 rad
/// apart, so every threshold between separates them; one label is wrong.
TEST(Roc, ChoosesThresholdsByOtherFolds) {
  Samples samples;
  auto point = [](double angle) {
    return TestTensor{{float(3 * std::cos(angle)), float(3 * std::sin(angle))},
                      {2}};
  };
  constexpr int pairs = 20;
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 2 * pairs; ++i) {
      int pair = i / 2;
      bool isSame = pair % 2 == 0;
      double angle = i % 2 == 0 ? 0 : isSame ? 0.1 : 1.0;
      // The label of pair p is the p-th sample's.
      int labelled = half * 2 * pairs + i;
      bool reported = labelled % 2 == 0;
      if (labelled == 4)
        reported = !reported;
      samples.add({point(angle)}, {label(reported)});
    }
  EXPECT_NEAR(samples.score("ROCMetric"), 1 - 1.0 / pairs, 1e-12);
  EXPECT_NEAR(samples.score("ROCMetric", {"5"}), 1 - 1.0 / pairs, 1e-12);
  EXPECT_TRUE(std::isnan(samples.score("ROCMetric", {"11"})));
  EXPECT_NE(samples.problem.find("88 samples"), std::string::npos);
}

} // namespace
