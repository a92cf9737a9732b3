//===- SamplerTest.cpp - The next token from its logits -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/Sampler.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace yarrow;

namespace {
const std::vector<float> logits = {0.5f, 2.0f, -1.0f, 2.0f, 1.0f};

/// How often each token comes in so many draws.
std::vector<double> shares(const SamplerOptions &options, int draws) {
  Sampler sampler(options);
  std::vector<double> counts(logits.size());
  for (int i = 0; i < draws; ++i)
    counts[std::size_t(sampler.choose(logits))] += 1.0 / draws;
  return counts;
}
} // namespace

TEST(Sampler, TakesTheFirstOfTheLikeliestTokens) {
  EXPECT_EQ(Sampler({}).choose(logits), 1);
}

TEST(Sampler, DrawsWithTheProbabilitiesAtATemperature) {
  std::vector<double> found = shares({.temperature = 2, .seed = 5}, 20000);
  double sum = 0;
  for (float v : logits)
    sum += std::exp(v / 2.0);
  for (std::size_t i = 0; i < logits.size(); ++i)
    EXPECT_NEAR(found[i], std::exp(logits[i] / 2.0) / sum, 0.02);
}

TEST(Sampler, DrawsFromTheLikeliestTokensOnly) {
  std::vector<double> found =
      shares({.temperature = 1, .topK = 2, .seed = 1}, 2000);
  EXPECT_EQ(found[0] + found[2] + found[4], 0);
  EXPECT_NEAR(found[1], 0.5, 0.05);
  EXPECT_NEAR(shares({.temperature = 1, .topK = 1}, 10)[1], 1, 1e-9);
  EXPECT_GT(shares({.temperature = 1, .topK = 99}, 2000)[2], 0);
}

TEST(Sampler, DrawsTheSameWithTheSameSeed) {
  auto draw = [](uint64_t seed) {
    Sampler sampler({.temperature = 1, .seed = seed});
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < 50; ++i)
      tokens.push_back(sampler.choose(logits));
    return tokens;
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
}
