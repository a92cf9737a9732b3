//===- Mixtures.cpp - One choice for each of many layers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/Mixtures.h"

#include <algorithm>
#include <cassert>

using namespace yarrow;

/// Of equal ones, the first choice of the first mixture stays, so that the
/// result is the same everywhere.
std::vector<Mixtures::State> Mixtures::unbeaten(std::vector<State> states) {
  std::stable_sort(
      states.begin(), states.end(), [](const State &a, const State &b) {
        return a.price != b.price ? a.price < b.price : a.loss < b.loss;
      });
  std::size_t kept = 0;
  for (const State &state : states)
    if (kept == 0 || state.loss < states[kept - 1].loss)
      states[kept++] = state;
  states.resize(kept);
  return states;
}

std::vector<Mixtures::State> Mixtures::thinned(std::vector<State> states,
                                               std::size_t most) {
  if (states.size() <= most)
    return states;
  // As losses fall, the last one of a step loses least. The cheapest of all is
  // kept beside: a budget may leave room for nothing else.
  int64_t first = states.front().price, range = states.back().price - first + 1,
          step = (range + int64_t(most) - 2) / (int64_t(most) - 1);
  std::size_t kept = 1;
  for (std::size_t i = 1; i < states.size(); ++i)
    if (i + 1 == states.size() || (states[i].price - first) / step !=
                                      (states[i + 1].price - first) / step)
      states[kept++] = states[i];
  states.resize(kept);
  return states;
}

Mixtures Mixtures::of(std::span<const std::vector<MixtureChoice>> layers,
                      std::size_t mostKept) {
  Mixtures mixtures;
  mixtures.stages.push_back({State{0, 0, 0, 0}});
  for (const std::vector<MixtureChoice> &choices : layers) {
    assert(!choices.empty() && "a layer without a choice");
    const std::vector<State> &before = mixtures.front();
    std::vector<State> states;
    states.reserve(before.size() * choices.size());
    for (uint32_t b = 0; b < before.size(); ++b)
      for (uint32_t c = 0; c < choices.size(); ++c)
        states.push_back({before[b].price + choices[c].price,
                          before[b].loss + choices[c].loss, b, c});
    mixtures.stages.push_back(thinned(unbeaten(std::move(states)), mostKept));
  }
  return mixtures;
}

std::vector<unsigned> Mixtures::choices(std::size_t mixture) const {
  std::vector<unsigned> result(stages.size() - 1);
  for (std::size_t layer = result.size(); layer-- != 0;) {
    const State &state = stages[layer + 1][mixture];
    result[layer] = state.choice;
    mixture = state.before;
  }
  return result;
}

std::size_t Mixtures::withinPrice(int64_t budget) const {
  auto above = std::partition_point(
      front().begin(), front().end(),
      [&](const State &state) { return state.price <= budget; });
  return above == front().begin() ? 0
                                  : std::size_t(above - front().begin()) - 1;
}

std::size_t Mixtures::withinLoss(double loss) const {
  auto first = std::partition_point(
      front().begin(), front().end(),
      [&](const State &state) { return state.loss > loss; });
  return std::min(std::size_t(first - front().begin()), size() - 1);
}
