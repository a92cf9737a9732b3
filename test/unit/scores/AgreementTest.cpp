//===- AgreementTest.cpp - Whether two networks answer alike --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Agreement.h"
#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace yarrow;

namespace {

Agreement compare(std::vector<float> a, std::vector<float> b,
                  std::optional<int64_t> label = std::nullopt,
                  AnswerKind kind = AnswerKind::Logits) {
  return compareAnswers(a, b, label, kind);
}

TEST(Agreement, CountsLostAndWon) {
  Agreement sum;
  sum.merge(compare({1, 0}, {1, 0}, 0));
  sum.merge(compare({1, 0}, {0, 1}, 0));       // lost
  sum.merge(compare({1, 0}, {0, 1}, 1));       // won
  sum.merge(compare({1, 0, 0}, {0, 1, 0}, 2)); // wrong in both, differently
  EXPECT_EQ(sum.samples, 4u);
  EXPECT_EQ(sum.agreed, 1u);
  EXPECT_EQ(sum.lost, 1u);
  EXPECT_EQ(sum.won, 1u);
  EXPECT_DOUBLE_EQ(sum.agreedPercent(), 25);
  EXPECT_DOUBLE_EQ(sum.deviationPoints(), 100 * std::sqrt(2.0) / 4);
}

TEST(Agreement, TakesTheFirstOfEqualAnswers) {
  EXPECT_EQ(compare({2, 2, 1}, {3, 0, 0}).agreed, 1u);
  EXPECT_EQ(compare({2, 2, 1}, {0, 3, 0}).agreed, 0u);
}

/// The divergence of two distributions p and q, given as their logarithms and
/// any constant.
TEST(Agreement, HasTheDivergenceOfTheSoftmax) {
  double p[] = {0.5, 0.25, 0.25}, q[] = {0.25, 0.25, 0.5}, expected = 0;
  std::vector<float> a, b;
  for (int i = 0; i < 3; ++i) {
    a.push_back(float(std::log(p[i])) + 700);
    b.push_back(float(std::log(q[i])) - 80);
    expected += p[i] * std::log(p[i] / q[i]);
  }
  EXPECT_NEAR(compare(a, b).divergence, expected, 2e-4); // float32 at 700
  EXPECT_EQ(compare(a, a).divergence, 0);
}

TEST(Agreement, TakesSharesAsTheyAre) {
  double expected = 0.75 * std::log(0.75 / 0.5) + 0.25 * std::log(0.25 / 0.5);
  EXPECT_NEAR(
      compare({0.75f, 0.25f}, {0.5f, 0.5f}, {}, AnswerKind::Shares).divergence,
      expected, 1e-12);
  // A share that was rounded to nothing is small, and the figure finite.
  double lost =
      compare({0.9f, 0.1f}, {1, 0}, {}, AnswerKind::Shares).divergence;
  EXPECT_NEAR(lost, 0.9 * std::log(0.9) + 0.1 * std::log(0.1 / 1e-6), 1e-4);
}

} // namespace
