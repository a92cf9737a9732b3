//===- Sampler.cpp - The next token from its logits -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/Sampler.h"
#include "kernels/Math.h"

#include <algorithm>
#include <numeric>

using namespace yarrow;

/// From [0, 1): splitmix64, as the distributions of <random> differ from host
/// to host.
double Sampler::uniform() {
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  constexpr double step = 1.0 / double(uint64_t(1) << 53);
  return double((z ^ (z >> 31)) >> 11) * step;
}

std::int32_t Sampler::choose(std::span<const float> logits) {
  if (options.temperature == 0)
    return std::int32_t(std::ranges::max_element(logits) - logits.begin());
  std::vector<std::int32_t> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  auto isLikelier = [&](std::int32_t a, std::int32_t b) {
    float x = logits[std::size_t(a)], y = logits[std::size_t(b)];
    return x != y ? x > y : a < b;
  };
  std::size_t kept =
      options.topK ? std::min(options.topK, tokens.size()) : tokens.size();
  std::ranges::partial_sort(tokens, tokens.begin() + std::ptrdiff_t(kept),
                            isLikelier);
  tokens.resize(kept);
  double most = logits[std::size_t(tokens.front())], sum = 0;
  std::vector<double> sums;
  for (std::int32_t token : tokens)
    sums.push_back(sum +=
                   kernels::math::exp((logits[std::size_t(token)] - most) /
                                      options.temperature));
  auto chosen = std::ranges::upper_bound(sums, uniform() * sum);
  return chosen == sums.end() ? tokens.back()
                              : tokens[std::size_t(chosen - sums.begin())];
}
