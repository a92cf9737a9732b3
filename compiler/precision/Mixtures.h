//===- Mixtures.h - One choice for each of many layers ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each layer has choices with a price and a loss; a mixture takes one of each,
// and both add up. This is the knapsack problem with several choices, solved by
// dynamic programming over the layers: of all mixtures of the layers so far,
// only those remain that no other one beats in price and loss. At the end, they
// answer every budget at once.
//
//   Mixtures mixtures = Mixtures::of(layers);
//   std::size_t best = mixtures.withinPrice(budget);
//   mixtures.choices(best); // by layer
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_MIXTURES_H
#define YARROW_COMPILER_PRECISION_MIXTURES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yarrow {

struct MixtureChoice {
  int64_t price = 0;
  double loss = 0; ///< Not negative.
};

class Mixtures {
public:
  /// The result is exact as long as no more mixtures than these are kept at a
  /// time. Beyond, prices are told apart in so many steps, and of each step the
  /// mixture with the least loss goes on.
  static constexpr std::size_t kMostKept = 1 << 14;

  /// \p layers have one choice at least.
  static Mixtures of(std::span<const std::vector<MixtureChoice>> layers,
                     std::size_t mostKept = kMostKept);

  /// The mixtures that no other one beats, by rising price and falling loss.
  std::size_t size() const { return front().size(); }
  int64_t price(std::size_t mixture) const { return front()[mixture].price; }
  double loss(std::size_t mixture) const { return front()[mixture].loss; }
  /// The number of the choice of each layer.
  std::vector<unsigned> choices(std::size_t mixture) const;

  /// The mixture of least loss that costs no more than \p budget; the cheapest
  /// one if all cost more.
  std::size_t withinPrice(int64_t budget) const;
  /// The cheapest mixture that loses no more than \p loss; the best one if all
  /// lose more.
  std::size_t withinLoss(double loss) const;

private:
  struct State {
    int64_t price;
    double loss;
    uint32_t before; ///< The mixture of the layers before.
    uint32_t choice;
  };
  static std::vector<State> unbeaten(std::vector<State> states);
  static std::vector<State> thinned(std::vector<State> states,
                                    std::size_t most);
  const std::vector<State> &front() const { return stages.back(); }

  std::vector<std::vector<State>> stages; ///< After 0, 1, ... layers.
};

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_MIXTURES_H
