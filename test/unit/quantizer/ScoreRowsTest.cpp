//===- ScoreRowsTest.cpp - Which numbers are scores of classes ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/ScoreRows.h"
#include "quantizer/metrics/ColumnLoss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace yarrow;

namespace {

constexpr std::size_t kClasses = 10;
constexpr RowShape kPossible{kClasses, ScoreEvidence::Possible};

/// Logits: each sample has another answer.
std::vector<float> logits(std::size_t sample) {
  std::vector<float> row(kClasses);
  for (std::size_t i = 0; i < kClasses; ++i)
    row[i] = i == sample % kClasses ? 6 : std::sin(float(i * 7 + sample * 3));
  return row;
}

/// Landmarks around 0: each has its place, and moves a little. Now one of the
/// last two is further, now the other.
std::vector<float> landmarks(std::size_t sample) {
  std::vector<float> row(kClasses);
  for (std::size_t i = 0; i < kClasses; ++i)
    row[i] = 20 * (std::min(float(i), 8.0f) - 4.5f) +
             3 * std::sin(float(i + sample * 5));
  return row;
}

} // namespace

TEST(ScoreRows, LogitsAreScores) {
  ScoreRows rows(kPossible);
  for (std::size_t s = 0; s < 20; ++s) {
    std::vector<float> row = logits(s), other = s == 4 ? logits(s + 1) : row;
    rows.add(row, other);
  }
  EXPECT_TRUE(rows.areScores());
  EXPECT_EQ(rows.rows(), 20u);
  EXPECT_EQ(rows.agreeing(), 19u);
}

TEST(ScoreRows, LandmarksAndBoxesAreNot) {
  ScoreRows around0(kPossible), positive(kPossible), oneAnswer(kPossible);
  for (std::size_t s = 0; s < 20; ++s) {
    std::vector<float> row = landmarks(s), same = logits(3);
    around0.add(row, row);
    oneAnswer.add(same, same);
    for (float &x : row = logits(s))
      x += 8;
    positive.add(row, row);
  }
  EXPECT_FALSE(around0.areScores());
  EXPECT_FALSE(positive.areScores());
  EXPECT_FALSE(oneAnswer.areScores());
}

TEST(ScoreRows, ASoftmaxIsCertain) {
  ScoreRows rows({kClasses, ScoreEvidence::Certain}), none;
  std::vector<float> row(kClasses, 0.1f);
  rows.add(row, row);
  none.add(row, row);
  EXPECT_TRUE(rows.areScores());
  EXPECT_FALSE(none.areScores());
}

TEST(ScoreRows, MergedRowsAreThoseOfOneSum) {
  ScoreRows whole(kPossible), first(kPossible), second(kPossible), merged;
  for (std::size_t s = 0; s < 20; ++s) {
    std::vector<float> row = logits(s);
    whole.add(row, row);
    (s < 10 ? first : second).add(row, row);
  }
  merged.merge(first);
  merged.merge(second);
  EXPECT_EQ(merged.rows(), whole.rows());
  EXPECT_EQ(merged.areScores(), whole.areScores());
}

/// Boxes of 0 to 640 in rows 0 to 3, scores of 0 to 1 behind them, rounded to
/// \p step.
static ColumnLoss boxesBesideScores(float step) {
  constexpr std::size_t kRows = 12, kPlaces = 50;
  std::vector<float> values(kRows * kPlaces), rounded;
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t p = 0; p < kPlaces; ++p)
      values[r * kPlaces + p] =
          std::fabs(std::sin(float(r * 31 + p * 7))) * (r < 4 ? 640.0f : 1.0f);
  for (float x : values)
    rounded.push_back(std::round(x / step) * step);
  ColumnLoss loss({1, int64_t(kRows), int64_t(kPlaces)});
  loss.add(values, rounded);
  return loss;
}

TEST(ColumnLoss, FindsColumnsOfAnotherSize) {
  std::vector<ColumnGroup> groups = boxesBesideScores(2.5f).groups();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].str(), "columns 0-3 of axis 1");
  EXPECT_EQ(groups[1].str(), "columns 4-11 of axis 1");
  EXPECT_GT(groups[0].sqnrDb(), 40);
  EXPECT_LT(groups[1].sqnrDb(), 1);
  EXPECT_LE(groups[1].peak, 1);
}

TEST(ColumnLoss, ColumnsOfOneSizeAreOneGroup) {
  std::vector<float> values(8 * 50);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(float(i)) * float(1 + i % 8);
  ColumnLoss loss({1, 50, 8});
  loss.add(values, values);
  EXPECT_TRUE(loss.groups().empty());
}

TEST(ColumnLoss, ClassesThatAreThereAreNoGroup) {
  // Scattered among those that are not.
  std::vector<float> values(40 * 20);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t c = i % 40;
    bool isThere = c == 3 || c == 11 || c == 12 || c == 26;
    values[i] = isThere ? 0.8f : 0.001f;
  }
  ColumnLoss loss({1, 20, 40});
  loss.add(values, values);
  EXPECT_TRUE(loss.groups().empty());
}
