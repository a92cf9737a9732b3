//===- BitsChoice.cpp - Which layers are worth 16 bits --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/BitsChoice.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace yarrow;

namespace {

/// Of a layer.
enum class Part { Result, Weights };

/// What may get 16 bits.
struct Item {
  unsigned layer;
  Part part;
};

/// Which rows are paid for.
class Till {
public:
  explicit Till(const BitsProblem &problem)
      : problem(problem), paid(problem.prices.size()) {}

  struct Paid {
    bool results = false, weights = false;
  };
  Paid of(unsigned row) const { return paid[row]; }

  double priceOf(Item item) const {
    double price = 0;
    for (unsigned row : rowsOf(item))
      price +=
          rowPrice(row, with(paid[row], item.part)) - rowPrice(row, paid[row]);
    return price * problem.priceFactor;
  }
  void pay(Item item) {
    for (unsigned row : rowsOf(item))
      paid[row] = with(paid[row], item.part);
  }

private:
  static Paid with(Paid paid, Part part) {
    (part == Part::Result ? paid.results : paid.weights) = true;
    return paid;
  }
  double rowPrice(unsigned row, Paid paid) const {
    const RowPrice &price = problem.prices[row];
    return paid.results && paid.weights ? price.both
           : paid.results               ? price.results
           : paid.weights               ? price.weights
                                        : 0;
  }
  std::span<const unsigned> rowsOf(Item item) const {
    std::span<const unsigned> rows = problem.layers[item.layer].touched;
    return item.part == Part::Result ? rows : rows.first(1);
  }

  const BitsProblem &problem;
  std::vector<Paid> paid;
};

class Greedy {
public:
  explicit Greedy(const BitsProblem &problem)
      : problem(problem), till(problem) {
    for (unsigned i = 0; i < problem.layers.size(); ++i) {
      items.push_back({i, Part::Result});
      if (problem.takesWeights && problem.layers[i].inWeights > 0)
        items.push_back({i, Part::Weights});
    }
    isChosen.resize(items.size());
    for (std::size_t p = 0; p < problem.measured.size(); ++p)
      scales.push_back(scaleOf(p));
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
    for (std::size_t k = 0; k < items.size(); ++k)
      if (isChosen[k])
        (items[k].part == Part::Result ? choice.results : choice.weights)
            .push_back(items[k].layer);
    return std::move(choice);
  }

private:
  /// Of the noise of results, and of weights, to what was measured.
  struct Scale {
    double results, weights;
  };
  /// Errors of layers do not add up quite as if nothing joined them.
  Scale scaleOf(std::size_t part) const {
    double all = 0, results = 0, weights = 0;
    for (const BitsLayer &layer : problem.layers) {
      all += layer.noise[part];
      results += layer.noise[part] * layer.removable;
      weights += layer.noise[part] * layer.inWeights;
    }
    auto by = [](double found, double expected) {
      return expected > 0 ? std::max(0.0, found) / expected : 0;
    };
    double measured = problem.measured[part];
    if (problem.measuredWide.empty())
      return {by(measured, all), by(measured, all)};
    double wide = problem.measuredWide[part];
    return {by(measured - wide, results), by(wide, weights)};
  }
  bool isEnough() const {
    return std::ranges::none_of(
        choice.expected, [&](double noise) { return noise > problem.target; });
  }
  bool isOutput(Item item) const {
    return item.part == Part::Result && problem.layers[item.layer].isOutput;
  }
  /// What was worth it before others made it needless: the dearest first.
  void dropUnneeded() {
    while (true) {
      std::optional<std::size_t> dearest;
      double most = -1;
      for (std::size_t k = 0; k < items.size(); ++k) {
        if (!isChosen[k] || isOutput(items[k]) || isNeeded(items[k]))
          continue;
        double spared = choice.price - priceWithout(k);
        if (spared > most)
          dearest = k, most = spared;
      }
      if (!dearest)
        return;
      choice.price -= most;
      isChosen[*dearest] = false;
      for (std::size_t p = 0; p < choice.expected.size(); ++p)
        choice.expected[p] += removed(items[*dearest], p);
    }
  }
  bool isNeeded(Item item) const {
    for (std::size_t p = 0; p < choice.expected.size(); ++p)
      if (choice.expected[p] + removed(item, p) > problem.target)
        return true;
    return false;
  }
  double priceWithout(std::size_t left) const {
    Till other(problem);
    double price = 0;
    for (std::size_t k = 0; k < items.size(); ++k)
      if (isChosen[k] && k != left) {
        price += other.priceOf(items[k]);
        other.pay(items[k]);
      }
    return price;
  }
  void takeOutputs() {
    for (std::size_t k = 0; k < items.size(); ++k)
      if (isOutput(items[k]) &&
          till.priceOf(items[k]) <= kOutputShare * problem.budget)
        take(k);
  }
  void take(std::size_t k) {
    choice.price += till.priceOf(items[k]);
    till.pay(items[k]);
    isChosen[k] = true;
    for (std::size_t p = 0; p < choice.expected.size(); ++p)
      choice.expected[p] -= removed(items[k], p);
  }

  /// How much of what is too much \p item takes away, in targets.
  double gainOf(Item item) const {
    double gain = 0;
    for (std::size_t p = 0; p < choice.expected.size(); ++p) {
      double tooMuch = choice.expected[p] - problem.target;
      if (tooMuch > 0)
        gain += std::min(tooMuch, removed(item, p)) / problem.target;
    }
    return gain;
  }
  double removed(Item item, std::size_t part) const {
    const BitsLayer &layer = problem.layers[item.layer];
    return layer.noise[part] * (item.part == Part::Result
                                    ? layer.removable * scales[part].results
                                    : layer.inWeights * scales[part].weights);
  }

  bool step() {
    std::size_t best = 0;
    double bestWorth = 0;
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (isChosen[k])
        continue;
      double gain = gainOf(items[k]), price = till.priceOf(items[k]);
      if (gain <= kLeastGain || choice.price + price > problem.budget)
        continue;
      double worth = gain / std::max(price, problem.leastPrice);
      if (worth > bestWorth)
        best = k, bestWorth = worth;
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
  std::vector<Item> items;
  std::vector<bool> isChosen;
  Till till;
  std::vector<Scale> scales;
  BitsChoice choice;
};

} // namespace

void BitsLayer::takeResult() {
  double left = 1 - removable;
  for (double &part : noise)
    part *= left;
  inWeights = left > 0 ? std::min(1.0, inWeights / left) : 0;
  removable = 0;
}

void BitsProblem::correct(const BitsChoice &choice, const OutputLoss &found) {
  excess.resize(measured.size());
  for (std::size_t p = 0; p < measured.size(); ++p) {
    const Similarity &part = found.parts[p];
    double noise =
        part.signalSquares > 0 ? part.noiseSquares / part.signalSquares : 0;
    excess[p] += noise - choice.expected[p];
  }
}

/// \p price with what was found of it.
static RowPrice corrected(RowPrice price, Till::Paid paid, double found) {
  double &expected = paid.results && paid.weights ? price.both
                     : paid.results               ? price.results
                                                  : price.weights;
  double more = found - expected;
  // Of both it is not known which one was dearer.
  bool isAll = paid.results && paid.weights;
  price.results += paid.results && !(isAll && more < 0) ? more : 0;
  price.weights += paid.weights && !(isAll && more < 0) ? more : 0;
  price.both += more;
  price.results = std::max(0.0, price.results);
  price.weights = std::max(0.0, price.weights);
  price.both = std::max({price.both, price.results, price.weights});
  return price;
}

void BitsProblem::correctPrices(const BitsChoice &choice,
                                std::span<const double> rows, double all) {
  Till till(*this);
  for (unsigned i : choice.results)
    till.pay({i, Part::Result});
  for (unsigned i : choice.weights)
    till.pay({i, Part::Weights});
  double listed = 0;
  for (unsigned row = 0; row < prices.size(); ++row)
    if (Till::Paid paid = till.of(row); paid.results || paid.weights) {
      prices[row] = corrected(prices[row], paid, rows[row]);
      listed += std::max(0.0, rows[row]);
    }
  // What rows took that had no choice.
  constexpr double kLeast = 0.5, kMost = 4;
  priceFactor = std::clamp(all / std::max(1.0, listed), kLeast, kMost);
}

BitsChoice yarrow::chooseLayers(const BitsProblem &problem) {
  return Greedy(problem).run();
}

std::optional<double> yarrow::cyclesForTarget(BitsProblem problem) {
  problem.budget = std::numeric_limits<double>::infinity();
  BitsChoice choice = chooseLayers(problem);
  return choice.isEnough ? std::optional(choice.price) : std::nullopt;
}
