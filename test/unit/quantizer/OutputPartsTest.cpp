//===- OutputPartsTest.cpp - What of an output a loss is measured of ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/OutputParts.h"

#include "gtest/gtest.h"

#include <random>

using namespace yarrow;

namespace {

/// Values of \p count runs, each of a normal distribution with the deviation
/// and mean that \p ofElement gives.
template <typename OfElement>
std::vector<std::vector<float>> draw(std::size_t count, std::size_t elements,
                                     OfElement ofElement) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> runs(count, std::vector<float>(elements));
  for (std::vector<float> &run : runs)
    for (std::size_t i = 0; i < elements; ++i) {
      auto [mean, deviation] = ofElement(i);
      run[i] = mean + deviation * normal(random);
    }
  return runs;
}

OutputUse useOf(std::vector<int64_t> shape,
                const std::vector<std::vector<float>> &runs) {
  std::vector<std::span<const float>> spans(runs.begin(), runs.end());
  return outputUse(shape, spans);
}

using Draw = std::pair<float, float>;

TEST(OutputParts, BoxesBesideScores) {
  // Four rows of pixels and eight of shares, as detectors join them.
  auto runs = draw(4, 12 * 50, [](std::size_t i) {
    return i / 50 < 4 ? Draw{300, 100} : Draw{0.3f, 0.2f};
  });
  OutputUse use = useOf({1, 12, 50}, runs);
  ASSERT_EQ(use.parts.size(), 3u);
  EXPECT_EQ(use.parts[1].what, "0 to 3 of axis 1");
  EXPECT_EQ(use.parts[2].what, "4 to 11 of axis 1");

  // Scores that are all lost cost the whole nothing.
  std::vector<float> lost = runs[0];
  std::fill(lost.begin() + 4 * 50, lost.end(), 0.0f);
  Similarity whole, scores;
  use.parts[0].add(runs[0], lost, whole);
  use.parts[2].add(runs[0], lost, scores);
  EXPECT_GT(whole.sqnrDb(), 50);
  EXPECT_NEAR(scores.sqnrDb(), 0, 1e-9);
  EXPECT_EQ(scores.count, 8u * 50);
}

TEST(OutputParts, ColumnsOfTheLastAxis) {
  auto runs = draw(4, 50 * 6, [](std::size_t i) {
    return i % 6 < 4 ? Draw{0, 100} : Draw{0, 0.5f};
  });
  OutputUse use = useOf({1, 50, 6}, runs);
  ASSERT_EQ(use.parts.size(), 3u);
  EXPECT_EQ(use.parts[2].what, "4 to 5 of axis 2");
}

TEST(OutputParts, PictureIsOneQuantity) {
  // Dark at every other place, which is no block of an axis.
  auto runs = draw(4, 16 * 16, [](std::size_t i) {
    return i % 2 ? Draw{0, 1} : Draw{0, 100};
  });
  EXPECT_EQ(useOf({1, 16, 16}, runs).parts.size(), 1u);
}

TEST(OutputParts, LogitsOfADetector) {
  // Nearly all say no, from -5 to -400, and a few yes.
  auto runs = draw(4, 1000, [](std::size_t i) {
    return i % 100 == 0 ? Draw{1, 1} : Draw{-5 - float(i % 400), 1};
  });
  OutputUse use = useOf({1, 1000, 1}, runs);
  ASSERT_EQ(use.parts.size(), 2u);
  const OutputPart &part = use.parts[1];
  EXPECT_TRUE(part.isBehindSigmoid);
  // A step of 3 at -300 is nothing behind a sigmoid, at 0 it is a face.
  std::vector<float> far = runs[0], near = runs[0];
  for (std::size_t i = 0; i < far.size(); ++i)
    (i % 100 == 0 ? near : far)[i] -= runs[0][i] < -20 || i % 100 == 0 ? 3 : 0;
  Similarity unseen, seen;
  part.add(runs[0], far, unseen);
  part.add(runs[0], near, seen);
  EXPECT_GT(unseen.sqnrDb(), 60);
  EXPECT_LT(seen.sqnrDb(), 10);
}

TEST(OutputParts, ScoresOfClassesAndLandmarks) {
  auto scores = draw(8, 10, [](std::size_t) { return Draw{0, 3}; });
  EXPECT_EQ(useOf({1, 10}, scores).classes, 10u);
  // Each number has a place of its own: points of a face.
  auto points = draw(8, 10, [](std::size_t i) {
    return Draw{20 * float(i), 2};
  });
  EXPECT_EQ(useOf({1, 10}, points).classes, 0u);
}

} // namespace
