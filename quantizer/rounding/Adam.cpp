//===- Adam.cpp - Steps along slopes, and samples by turns ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/Adam.h"

#include <cmath>
#include <numeric>

using namespace yarrow;

void Adam::step(std::span<const float> gradient, std::span<float> values) {
  constexpr float kFirst = 0.9f, kSecond = 0.999f, kEpsilon = 1e-8f;
  ++count;
  auto toFirst = float(1 / (1 - std::pow(double(kFirst), double(count))));
  auto toSecond = float(1 / (1 - std::pow(double(kSecond), double(count))));
  for (std::size_t i = 0; i < values.size(); ++i) {
    float g = gradient[i];
    first[i] = kFirst * first[i] + (1 - kFirst) * g;
    second[i] = kSecond * second[i] + (1 - kSecond) * g * g;
    values[i] -= float(rate) * (first[i] * toFirst) /
                 (std::sqrt(second[i] * toSecond) + kEpsilon);
  }
}

SampleOrder::SampleOrder(std::size_t samples, uint64_t seed)
    : random(seed), order(samples), at(samples) {
  std::iota(order.begin(), order.end(), std::size_t(0));
}

const std::vector<std::size_t> &SampleOrder::next(std::size_t count) {
  batch.clear();
  while (batch.size() < count && !order.empty()) {
    if (at == order.size()) {
      // std::shuffle is another one on another library.
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
      at = 0;
    }
    batch.push_back(order[at++]);
  }
  return batch;
}
