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

std::vector<OutputPart> partsOf(std::vector<int64_t> shape,
                                const std::vector<std::vector<float>> &runs) {
  std::vector<std::span<const float>> spans(runs.begin(), runs.end());
  return outputParts(shape, spans);
}

using Draw = std::pair<float, float>;

TEST(OutputParts, WhatIsRoundingBesideOthersIsNoPart) {
  // Landmarks in pixels; the first one's depth is 0 but for rounding.
  auto runs = draw(4, 12, [](std::size_t i) {
    return i == 2 ? Draw{0, 1e-5f} : Draw{100, 30};
  });
  EXPECT_EQ(partsOf({1, 12}, runs).size(), 1u);
  // A hundredth of a pixel may be meant.
  auto meant = draw(4, 12, [](std::size_t i) {
    return i == 2 ? Draw{0, 1e-2f} : Draw{100, 30};
  });
  EXPECT_EQ(partsOf({1, 12}, meant).size(), 3u);
}

TEST(OutputParts, BoxesBesideScores) {
  // Four rows of pixels and eight of shares, as detectors join them.
  auto runs = draw(4, 12 * 50, [](std::size_t i) {
    return i / 50 < 4 ? Draw{300, 100} : Draw{0.3f, 0.2f};
  });
  auto parts = partsOf({1, 12, 50}, runs);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].what, "columns 0-3 of axis 1");
  EXPECT_EQ(parts[2].what, "columns 4-11 of axis 1");

  // Scores that are all lost cost the whole nothing.
  std::vector<float> lost = runs[0];
  std::fill(lost.begin() + 4 * 50, lost.end(), 0.0f);
  Similarity whole, scores;
  parts[0].add(runs[0], lost, whole);
  parts[2].add(runs[0], lost, scores);
  EXPECT_GT(whole.sqnrDb(), 50);
  EXPECT_NEAR(scores.sqnrDb(), 0, 1e-9);
  EXPECT_EQ(scores.count, 8u * 50);
}

TEST(OutputParts, ColumnsOfTheLastAxis) {
  auto runs = draw(4, 50 * 6, [](std::size_t i) {
    return i % 6 < 4 ? Draw{0, 100} : Draw{0, 0.5f};
  });
  auto parts = partsOf({1, 50, 6}, runs);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[2].what, "columns 4-5 of axis 2");
}

TEST(OutputParts, PictureIsOneQuantity) {
  auto runs = draw(4, 16 * 16, [](std::size_t i) {
    return Draw{0, i / 16 % 3 ? 1.0f : 3.0f};
  });
  EXPECT_EQ(partsOf({1, 16, 16}, runs).size(), 1u);
}

TEST(OutputParts, LogitsOfADetector) {
  // Nearly all say no, from -5 to -400, and a few yes.
  auto runs = draw(4, 1000, [](std::size_t i) {
    return i % 100 == 0 ? Draw{1, 1} : Draw{-5 - float(i % 400), 1};
  });
  auto parts = partsOf({1, 1000, 1}, runs);
  ASSERT_EQ(parts.size(), 2u);
  const OutputPart &part = parts[1];
  EXPECT_TRUE(part.isAfterSigmoid);
  // A step of 3 at -300 is nothing after a sigmoid, at 0 it is a face.
  std::vector<float> far = runs[0], near = runs[0];
  for (std::size_t i = 0; i < far.size(); ++i)
    (i % 100 == 0 ? near : far)[i] -= runs[0][i] < -20 || i % 100 == 0 ? 3 : 0;
  Similarity unseen, seen;
  part.add(runs[0], far, unseen);
  part.add(runs[0], near, seen);
  EXPECT_GT(unseen.sqnrDb(), 60);
  EXPECT_LT(seen.sqnrDb(), 10);
}

TEST(OutputParts, LogitsReachFurtherBelow0) {
  // As far above it as below, most below.
  std::vector<std::vector<float>> runs(4, std::vector<float>(1000, -5));
  for (std::vector<float> &run : runs)
    run[10] = 8, run[20] = -8;
  EXPECT_EQ(partsOf({1, 1000, 1}, runs).size(), 1u);
  for (std::vector<float> &run : runs)
    run[20] = -8.5f;
  EXPECT_EQ(partsOf({1, 1000, 1}, runs).size(), 2u);
}

} // namespace
