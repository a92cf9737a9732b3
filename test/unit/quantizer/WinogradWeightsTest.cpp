//===- WinogradWeightsTest.cpp - Rounding, shifts and bounds --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/WinogradWeights.h"

#include "test/unit/quantizer/PublishedTile.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;

namespace {

/// Of both forms; the parameter is PublishedTile::is2D.
class WinogradWeights : public ::testing::TestWithParam<bool> {
protected:
  double resultError(const std::vector<double> &errors) const;
  int64_t resultOf(const std::vector<int64_t> &weights,
                   const std::vector<unsigned> &shifts,
                   const std::vector<int64_t> &cells, int output,
                   int64_t &largest) const;

  const PublishedTile published{.is2D = GetParam()};
  const unsigned taps = unsigned(published.taps());
  const WinogradTile tile{winogradMatrices(GetParam() ? 2 : 1, 3),
                          winogradMatrices(2, 3)};
};

std::vector<int64_t> randomWeights(std::mt19937 &generator, std::size_t count) {
  std::vector<int64_t> values(count);
  for (int64_t &v : values)
    v = int64_t(generator() % 255) - 127;
  return values;
}

std::vector<unsigned> randomShifts(std::mt19937 &generator, unsigned taps) {
  std::vector<unsigned> shifts(taps);
  for (unsigned &s : shifts)
    s = generator() % 6;
  return shifts;
}

} // namespace

/// Expected square error of the results of a tile, for inputs of variance 1 and
/// mean 1, given the taps' errors [taps, channels].
double WinogradWeights::resultError(const std::vector<double> &errors) const {
  std::size_t channels = errors.size() / taps;
  double total = 0;
  for (int output = 0; output < published.outputs(); ++output)
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (unsigned cell = 0; cell < taps; ++cell) {
        double weight = 0;
        for (unsigned t = 0; t < taps; ++t)
          weight += published.at(output, int(t)) *
                    published.bt(int(t), int(cell)) * errors[t * channels + c];
        total += weight * weight;
        sum += weight;
      }
      total += sum * sum;
    }
  return total;
}

/// An output for cells [taps, channels]; the largest sum on the way.
int64_t WinogradWeights::resultOf(const std::vector<int64_t> &weights,
                                  const std::vector<unsigned> &shifts,
                                  const std::vector<int64_t> &cells, int output,
                                  int64_t &largest) const {
  std::size_t channels = weights.size() / taps;
  int64_t result = 0;
  for (unsigned t = 0; t < taps; ++t) {
    int64_t sum = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      int64_t v = 0;
      for (unsigned cell = 0; cell < taps; ++cell)
        v += published.bt(int(t), int(cell)) * cells[cell * channels + c];
      sum += weights[t * channels + c] * v;
      largest = std::max(largest, std::abs(sum));
    }
    sum <<= shifts[t];
    largest = std::max(largest, std::abs(sum));
    result += published.at(output, int(t)) * sum;
    largest = std::max(largest, std::abs(result));
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Forms, WinogradWeights, ::testing::Bool());

TEST_P(WinogradWeights, AreTransformedByTheMatrices) {
  std::mt19937 generator(1);
  std::vector<float> g(2 * 9 * 3);
  for (float &v : g)
    v = float(generator() % 2001) / 1000 - 1;
  EXPECT_EQ(tile.taps(), taps);
  EXPECT_EQ(tile.window(), 9u);
  EXPECT_EQ(tile.outputs(), unsigned(published.outputs()));
  std::vector<float> u = tile.transformWeights(g, 2, 3);
  std::vector<float> expected = published.transformWeights(g, 3);
  ASSERT_EQ(u.size(), expected.size());
  for (std::size_t i = 0; i < u.size(); ++i)
    EXPECT_FLOAT_EQ(u[i], expected[i]);
}

TEST(WinogradShifts, TapShiftIsTheSmallestThatFits) {
  EXPECT_EQ(winogradTapShift(1, 127, 127.5), 0u);
  EXPECT_EQ(winogradTapShift(1, 128, 127.5), 1u);
  EXPECT_EQ(winogradTapShift(1, 255, 127.5), 1u);
  EXPECT_EQ(winogradTapShift(1, 256, 127.5), 2u);
  EXPECT_EQ(winogradTapShift(0, 1e30f, 127.5), 0u);
  std::mt19937 generator(2);
  for (unsigned i = 0; i < 1000; ++i) {
    float largest = float(generator() % 10000 + 1) / 1000;
    float scale = float(generator() % 100000 + 1) / 10;
    unsigned shift = winogradTapShift(largest, scale, 127.5);
    EXPECT_LE(std::ldexp(double(largest) * scale, -int(shift)), 127.5);
    if (shift)
      EXPECT_GT(std::ldexp(double(largest) * scale, 1 - int(shift)), 127.5);
  }
}

TEST(WinogradShifts, FinestShiftIgnoresEmptyTaps) {
  std::vector<float> largest(16, 1.0f);
  EXPECT_EQ(winogradFinestShift(largest, 1), 0u);
  largest[3] = 0;
  EXPECT_EQ(winogradFinestShift(largest, 1), 0u);
  largest[5] = 0.25f;
  EXPECT_EQ(winogradFinestShift(largest, 1), 2u);
  largest[6] = 0.24f;
  EXPECT_EQ(winogradFinestShift(largest, 1), 2u);
  EXPECT_EQ(winogradFinestShift(largest, 2), 3u);
  largest[7] = 1e-6f;
  EXPECT_EQ(winogradFinestShift(largest, 1), kMaxWinogradTapShift);
  EXPECT_EQ(winogradFinestShift(std::vector<float>(16, 0.0f), 1), 0u);
}

TEST_P(WinogradWeights, NoSumExceedsTheBound) {
  std::mt19937 generator(3);
  double nearest = 0;
  for (unsigned turn = 0; turn < 200; ++turn) {
    std::size_t channels = 1 + generator() % 5;
    std::vector<int64_t> weights = randomWeights(generator, taps * channels);
    std::vector<unsigned> shifts = randomShifts(generator, taps);
    // Weights of one tap alone, and the worst input for them, come near it.
    if (turn % 2)
      for (unsigned t = 0; t < taps; ++t)
        for (std::size_t c = 0; c < channels; ++c)
          if (t != turn / 2 % taps)
            weights[t * channels + c] = 0;
    int64_t bound = tile.sumBound(weights, shifts);
    for (int output = 0; output < published.outputs(); ++output) {
      // The response to each input is linear: its sign gives the worst input.
      std::vector<int64_t> worst(taps * channels);
      for (std::size_t i = 0; i < worst.size(); ++i) {
        std::vector<int64_t> unit(taps * channels);
        unit[i] = 1;
        int64_t ignored = 0;
        worst[i] =
            resultOf(weights, shifts, unit, output, ignored) > 0 ? 127 : -128;
      }
      int64_t largest = 0;
      int64_t result = resultOf(weights, shifts, worst, output, largest);
      EXPECT_LE(std::abs(result), bound);
      EXPECT_LE(largest, bound);
      if (bound > 0)
        nearest = std::max(nearest, double(largest) / double(bound));
    }
  }
  EXPECT_GT(nearest, 0.99); // 127 for 128 on one side
}

TEST_P(WinogradWeights, ResponseToOnesIsThatOfEveryOutput) {
  std::mt19937 generator(4);
  std::vector<int64_t> weights = randomWeights(generator, taps * 3);
  std::vector<unsigned> shifts = randomShifts(generator, taps);
  std::vector<int64_t> ones(taps * 3, 1);
  for (int output = 0; output < published.outputs(); ++output) {
    int64_t ignored = 0;
    EXPECT_EQ(tile.responseToOnes(weights, shifts),
              resultOf(weights, shifts, ones, output, ignored));
  }
}

TEST_P(WinogradWeights, TapsMakeUpForOneAnother) {
  std::mt19937 generator(5);
  constexpr std::size_t kChannels = 6;
  double together = 0, alone = 0;
  for (unsigned turn = 0; turn < 50; ++turn) {
    std::vector<double> steps(taps);
    for (double &s : steps)
      s = std::ldexp(0.01, int(generator() % 4));
    std::vector<float> u(taps * kChannels);
    for (std::size_t i = 0; i < u.size(); ++i)
      u[i] = float((double(generator() % 20001) / 10000 - 1) * 120 *
                   steps[i / kChannels]);
    std::vector<int64_t> rounded(u.size());
    double expected = tile.roundWeights(u, steps, -127, 127, rounded);
    std::vector<double> errors, errorsAlone;
    for (std::size_t i = 0; i < u.size(); ++i) {
      double step = steps[i / kChannels];
      EXPECT_LE(std::abs(rounded[i]), 127);
      errors.push_back(double(u[i]) - double(rounded[i]) * step);
      errorsAlone.push_back(double(u[i]) -
                            std::nearbyint(double(u[i]) / step) * step);
    }
    EXPECT_NEAR(expected, resultError(errors), 1e-9);
    together += expected;
    alone += resultError(errorsAlone);
  }
  // With equal steps errors fall by det(R)^(1/taps) / mean(diag(R)): 2.4 dB in
  // 1-D, 3.0 in 2-D.
  EXPECT_LT(together, alone * 0.7);
}

TEST_P(WinogradWeights, StayInTheirRange) {
  std::vector<double> steps(taps, 0.01);
  std::vector<float> u(taps * 2, 2.0f);
  u[3] = -5;
  std::vector<int64_t> rounded(u.size());
  tile.roundWeights(u, steps, -7, 7, rounded);
  for (int64_t w : rounded)
    EXPECT_LE(std::abs(w), 7);
}
