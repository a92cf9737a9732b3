//===- WinogradWeightsTest.cpp - Shifts and bounds of F(2x2,3x3) ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/WinogradWeights.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;

namespace {

/// F(2,3) as published (Lavin and Gray), not from the code under test.
constexpr int kBt[4][4] = {
    {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
constexpr int kAt[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
constexpr double kG[4][3] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};

std::vector<int64_t> randomWeights(std::mt19937 &generator, std::size_t count) {
  std::vector<int64_t> values(count);
  for (int64_t &v : values)
    v = int64_t(generator() % 255) - 127;
  return values;
}

/// Expected square error of the four results of a tile, for inputs of variance
/// 1 and mean 1, given the taps' errors [16, channels].
double resultError(const std::vector<double> &errors) {
  std::size_t channels = errors.size() / 16;
  double total = 0;
  for (unsigned output = 0; output < 4; ++output)
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (unsigned cell = 0; cell < 16; ++cell) {
        double weight = 0;
        for (unsigned t = 0; t < 16; ++t)
          weight += kAt[output / 2][t / 4] * kAt[output % 2][t % 4] *
                    kBt[t / 4][cell / 4] * kBt[t % 4][cell % 4] *
                    errors[t * channels + c];
        total += weight * weight;
        sum += weight;
      }
      total += sum * sum;
    }
  return total;
}

/// Y[y][x] of one channel for a tile d[4][4][c]; the largest sum on the way.
int64_t resultOf(const std::vector<int64_t> &weights,
                 const std::vector<unsigned> &shifts,
                 const std::vector<int64_t> &tile, unsigned y, unsigned x,
                 int64_t &largest) {
  std::size_t channels = weights.size() / 16;
  int64_t result = 0;
  for (unsigned t = 0; t < 16; ++t) {
    int64_t sum = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      int64_t v = 0;
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned j = 0; j < 4; ++j)
          v += kBt[t / 4][i] * kBt[t % 4][j] * tile[(i * 4 + j) * channels + c];
      sum += weights[t * channels + c] * v;
      largest = std::max(largest, std::abs(sum));
    }
    sum <<= shifts[t];
    largest = std::max(largest, std::abs(sum));
    result += kAt[y][t / 4] * kAt[x][t % 4] * sum;
    largest = std::max(largest, std::abs(result));
  }
  return result;
}

} // namespace

TEST(WinogradWeights, AreTransformedByTheMatrices) {
  std::mt19937 generator(1);
  std::vector<float> g(2 * 9 * 3);
  for (float &v : g)
    v = float(generator() % 2001) / 1000 - 1;
  std::vector<float> u = transformWeights2x2(g, 2, 3);
  ASSERT_EQ(u.size(), 2u * 16 * 3);
  for (unsigned o = 0; o < 2; ++o)
    for (unsigned t = 0; t < 16; ++t)
      for (unsigned c = 0; c < 3; ++c) {
        double sum = 0;
        for (unsigned i = 0; i < 3; ++i)
          for (unsigned j = 0; j < 3; ++j)
            sum += kG[t / 4][i] * kG[t % 4][j] *
                   double(g[((o * 3 + i) * 3 + j) * 3 + c]);
        EXPECT_FLOAT_EQ(u[(o * 16 + t) * 3 + c], float(sum));
      }
}

TEST(WinogradWeights, TapShiftIsTheSmallestThatFits) {
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

TEST(WinogradWeights, FinestShiftIgnoresEmptyTaps) {
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

TEST(WinogradWeights, NoSumExceedsTheBound) {
  std::mt19937 generator(3);
  double nearest = 0;
  for (unsigned turn = 0; turn < 200; ++turn) {
    std::size_t channels = 1 + generator() % 5;
    std::vector<int64_t> weights = randomWeights(generator, 16 * channels);
    std::vector<unsigned> shifts(16);
    for (unsigned &s : shifts)
      s = generator() % 6;
    int64_t bound = winogradSumBound(weights, shifts);
    // Weights of one tap alone, and the worst input for them, come near it.
    if (turn % 2)
      for (unsigned t = 0; t < 16; ++t)
        for (std::size_t c = 0; c < channels; ++c)
          if (t != turn / 2 % 16)
            weights[t * channels + c] = 0;
    if (turn % 2)
      bound = winogradSumBound(weights, shifts);
    for (unsigned y = 0; y < 2; ++y)
      for (unsigned x = 0; x < 2; ++x) {
        // The response to each input is linear: its sign gives the worst input.
        std::vector<int64_t> worst(16 * channels);
        for (std::size_t i = 0; i < worst.size(); ++i) {
          std::vector<int64_t> unit(16 * channels);
          unit[i] = 1;
          int64_t ignored = 0;
          worst[i] =
              resultOf(weights, shifts, unit, y, x, ignored) > 0 ? 127 : -128;
        }
        int64_t largest = 0;
        int64_t result = resultOf(weights, shifts, worst, y, x, largest);
        EXPECT_LE(std::abs(result), bound);
        EXPECT_LE(largest, bound);
        if (bound > 0)
          nearest = std::max(nearest, double(largest) / double(bound));
      }
  }
  EXPECT_GT(nearest, 0.99); // 127 for 128 on one side
}

TEST(WinogradWeights, ResponseToOnesIsThatOfEveryOutput) {
  std::mt19937 generator(4);
  std::vector<int64_t> weights = randomWeights(generator, 16 * 3);
  std::vector<unsigned> shifts(16);
  for (unsigned &s : shifts)
    s = generator() % 6;
  std::vector<int64_t> ones(16 * 3, 1);
  for (unsigned y = 0; y < 2; ++y)
    for (unsigned x = 0; x < 2; ++x) {
      int64_t ignored = 0;
      EXPECT_EQ(winogradResponseToOnes(weights, shifts),
                resultOf(weights, shifts, ones, y, x, ignored));
    }
}

TEST(WinogradWeights, TapsMakeUpForOneAnother) {
  std::mt19937 generator(5);
  constexpr std::size_t kChannels = 6;
  double together = 0, alone = 0;
  for (unsigned turn = 0; turn < 50; ++turn) {
    std::vector<double> steps(16);
    for (double &s : steps)
      s = std::ldexp(0.01, int(generator() % 4));
    std::vector<float> u(16 * kChannels);
    for (std::size_t i = 0; i < u.size(); ++i)
      u[i] = float((double(generator() % 20001) / 10000 - 1) * 120 *
                   steps[i / kChannels]);
    std::vector<int64_t> rounded(u.size());
    double expected = roundWinogradWeights(u, steps, -127, 127, rounded);
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
  // With equal steps and inputs of mean 0 rounding errors of R's eigenvectors
  // would fall by det(R)^(1/16) / mean(diag(R)) = 1.5 dB; the mean adds to it.
  EXPECT_LT(together, alone * 0.7);
}

TEST(WinogradWeights, StayInTheirRange) {
  std::vector<double> steps(16, 0.01);
  std::vector<float> u(16 * 2, 2.0f);
  u[3] = -5;
  std::vector<int64_t> rounded(u.size());
  roundWinogradWeights(u, steps, -7, 7, rounded);
  for (int64_t w : rounded)
    EXPECT_LE(std::abs(w), 7);
}
