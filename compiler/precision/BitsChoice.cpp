//===- BitsChoice.cpp - Which layers are worth 16 bits --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/BitsChoice.h"

#include <algorithm>
#include <cassert>

using namespace yarrow;

namespace {

class Greedy {
public:
  explicit Greedy(const BitsProblem &problem)
      : problem(problem), isChosen(problem.layers.size()),
        isPaid(problem.prices.size()) {
    std::vector<double> sums(problem.measured.size());
    for (const BitsLayer &layer : problem.layers)
      for (std::size_t p = 0; p < sums.size(); ++p)
        sums[p] += layer.noise[p];
    // Errors of layers do not add up quite as if nothing joined them.
    for (std::size_t p = 0; p < sums.size(); ++p)
      scale.push_back(sums[p] > 0 ? problem.measured[p] / sums[p] : 0);
    choice.expected = problem.measured;
    for (std::size_t p = 0; p < problem.excess.size(); ++p)
      choice.expected[p] += problem.excess[p];
  }

  BitsChoice run() {
    // None where nothing is missing.
    if (!isEnough())
      takeOutputs();
    while (step())
      ;
    choice.isEnough = isEnough();
    if (choice.isEnough)
      dropUnneeded();
    for (unsigned i = 0; i < isChosen.size(); ++i)
      if (isChosen[i])
        choice.layers.push_back(i);
    return std::move(choice);
  }

private:
  bool isEnough() const {
    return std::ranges::none_of(
        choice.expected, [&](double noise) { return noise > problem.target; });
  }
  /// What was worth it before others made it needless.
  void dropUnneeded() {
    std::fill(isPaid.begin(), isPaid.end(), false);
    choice.price = 0;
    for (unsigned i = 0; i < isChosen.size(); ++i) {
      const BitsLayer &layer = problem.layers[i];
      bool isNeeded = layer.isOutput;
      for (std::size_t p = 0; p < choice.expected.size(); ++p)
        isNeeded |= choice.expected[p] + removed(layer, p) > problem.target;
      if (!isChosen[i])
        continue;
      isChosen[i] = isNeeded;
      if (isNeeded)
        pay(layer);
      else
        for (std::size_t p = 0; p < choice.expected.size(); ++p)
          choice.expected[p] += removed(layer, p);
    }
  }
  void pay(const BitsLayer &layer) {
    choice.price += priceOf(layer);
    for (unsigned row : layer.touched)
      isPaid[row] = true;
  }
  void takeOutputs() {
    for (unsigned i = 0; i < isChosen.size(); ++i)
      if (const BitsLayer &layer = problem.layers[i];
          layer.isOutput && priceOf(layer) <= kOutputShare * problem.budget)
        take(i);
  }
  void take(unsigned i) {
    const BitsLayer &layer = problem.layers[i];
    pay(layer);
    isChosen[i] = true;
    for (std::size_t p = 0; p < choice.expected.size(); ++p)
      choice.expected[p] -= removed(layer, p);
  }

  /// How much of what is too much \p layer takes away, in targets.
  double gainOf(const BitsLayer &layer) const {
    double gain = 0;
    for (std::size_t p = 0; p < choice.expected.size(); ++p) {
      double tooMuch = choice.expected[p] - problem.target;
      if (tooMuch > 0)
        gain += std::min(tooMuch, removed(layer, p)) / problem.target;
    }
    return gain;
  }
  double removed(const BitsLayer &layer, std::size_t part) const {
    return layer.noise[part] * scale[part] * layer.removable;
  }
  double priceOf(const BitsLayer &layer) const {
    double price = 0;
    for (unsigned row : layer.touched)
      if (!isPaid[row])
        price += problem.prices[row];
    return price * problem.priceFactor;
  }

  bool step() {
    unsigned best = 0;
    double bestWorth = 0;
    for (unsigned i = 0; i < isChosen.size(); ++i) {
      const BitsLayer &layer = problem.layers[i];
      double gain = isChosen[i] ? 0 : gainOf(layer), price = priceOf(layer);
      if (gain <= kLeastGain || choice.price + price > problem.budget)
        continue;
      double worth = gain / std::max(price, problem.leastPrice);
      if (worth > bestWorth)
        best = i, bestWorth = worth;
    }
    if (bestWorth == 0)
      return false;
    take(best);
    return true;
  }

  /// Of the budget: the most that one output may take of it.
  static constexpr double kOutputShare = 0.05;
  /// In targets: less is not worth a tensor.
  static constexpr double kLeastGain = 1e-3;

  const BitsProblem &problem;
  std::vector<bool> isChosen, isPaid;
  std::vector<double> scale;
  BitsChoice choice;
};

} // namespace

void BitsProblem::correct(const BitsChoice &choice, const OutputLoss &found) {
  excess.resize(measured.size());
  for (std::size_t p = 0; p < measured.size(); ++p) {
    const Similarity &part = found.parts[p];
    double noise =
        part.signalSquares > 0 ? part.noiseSquares / part.signalSquares : 0;
    excess[p] += noise - choice.expected[p];
  }
}

BitsChoice yarrow::chooseLayers(const BitsProblem &problem) {
  return Greedy(problem).run();
}
