//===- DepthwiseMomentsTest.cpp - Moments of depthwise layers -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/rounding/DepthwiseMoments.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace yarrow;

namespace {

constexpr std::size_t kTaps = 3, kChannels = 19, kRows = 300;

/// Rows of [tap, channel] that no two elements of are alike.
std::vector<float> drawnRows(double phase) {
  std::vector<float> rows(kRows * kTaps * kChannels);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = float(0.5 + std::sin(0.7 * double(i) + phase));
  return rows;
}

/// E[a b] - E[a] E[b] of two taps of a channel, in double.
double covariance(const std::vector<float> &a, std::size_t tapOfA,
                  const std::vector<float> &b, std::size_t tapOfB,
                  std::size_t channel) {
  double products = 0, sumOfA = 0, sumOfB = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    double x = double(a[(row * kTaps + tapOfA) * kChannels + channel]);
    double y = double(b[(row * kTaps + tapOfB) * kChannels + channel]);
    products += x * y, sumOfA += x, sumOfB += y;
  }
  double count = kRows;
  return products / count - sumOfA / count * (sumOfB / count);
}

TEST(DepthwiseMomentsTest, OfBothNetworks) {
  std::vector<float> floats = drawnRows(0), integers = drawnRows(0.1);
  DepthwiseMoments moments(kTaps, kChannels, /*isCross=*/true);
  // In two parts, as chunks of samples come.
  std::size_t half = kRows / 2 * kTaps * kChannels;
  std::span<const float> f(floats), x(integers);
  moments.add(f.first(half), x.first(half));
  moments.add(f.subspan(half), x.subspan(half));
  std::vector<InputMoments> result = moments.finish();
  ASSERT_EQ(result.size(), kChannels);
  for (std::size_t c = 0; c < kChannels; ++c) {
    EXPECT_EQ(result[c].count, kRows);
    for (std::size_t i = 0; i < kTaps; ++i)
      for (std::size_t j = 0; j < kTaps; ++j) {
        EXPECT_NEAR(result[c].second.at(i, j),
                    covariance(integers, i, integers, j, c), 1e-5);
        EXPECT_NEAR(result[c].cross.at(i, j),
                    covariance(floats, i, integers, j, c), 1e-5);
      }
  }
}

TEST(DepthwiseMomentsTest, OfFloatsAlone) {
  std::vector<float> floats = drawnRows(0);
  DepthwiseMoments moments(kTaps, kChannels, /*isCross=*/false);
  moments.add(floats, {});
  std::vector<InputMoments> result = moments.finish();
  EXPECT_EQ(result[18].floatMean, result[18].intMean);
  EXPECT_NEAR(result[18].second.at(0, 2), covariance(floats, 0, floats, 2, 18),
              1e-5);
}

} // namespace
