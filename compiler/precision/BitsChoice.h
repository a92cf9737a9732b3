//===- BitsChoice.h - Which layers are worth 16 bits ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A covering problem: every part of the outputs is to have no more noise than a
// target. Layers add noise to each of them, some by the rounding of their
// results and some by that of their weights; 16 bits take that away, for a
// price in cycles that neighbours share: a layer that reads two tensors of 16
// bits is paid for once, and one whose inputs and weights both have them takes
// twice as long again. It is solved greedily, by noise that is still too much
// for each cycle more.
//
//   BitsProblem problem = ...;
//   BitsChoice choice = chooseLayers(problem);
//   ... measure ...
//   problem.correct(choice, loss);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_BITSCHOICE_H
#define YARROW_COMPILER_PRECISION_BITSCHOICE_H

#include "quantizer/metrics/OutputLoss.h"

#include <optional>
#include <span>
#include <vector>

namespace yarrow {

struct BitsLayer {
  /// What it adds to each part of the outputs: noise by signal, both squared.
  std::vector<double> noise;
  /// The share of it that 16 bits of the result take away.
  double removable = 1;
  /// Rows of BitsProblem::prices that a result of 16 bits makes dearer: its
  /// own, which weights of 16 bits make dearer too, and then those of what
  /// reads its result.
  std::vector<unsigned> touched;
  /// The share that 16 bits of the weights take away; 0 where they cannot.
  double inWeights = 0;
  /// Its result is the network's: other samples than those measured may be
  /// smaller. Chosen before all others where that is cheap.
  bool isOutput = false;

  /// Its result has 16 bits, whatever is chosen.
  void takeResult();
};

/// Cycles more that a layer takes.
struct RowPrice {
  double results = 0; ///< With its result, or an input, of 16 bits.
  double weights = 0; ///< With weights of 16 bits.
  double both = 0;
};

/// What gets 16 bits.
struct BitsChoice {
  std::vector<unsigned> results = {}; ///< Layers by ascending number.
  std::vector<unsigned> weights = {}; ///< The same.
  double price = 0;                   ///< Cycles, as expected.
  bool isEnough = true;               ///< The target is expected to be met.
  std::vector<double> expected = {};  ///< Noise of each part.

  bool isEmpty() const { return results.empty() && weights.empty(); }
  bool isSameAs(const BitsChoice &other) const {
    return results == other.results && weights == other.weights;
  }
};

struct BitsProblem {
  std::vector<BitsLayer> layers;
  std::vector<double> measured; ///< Noise of each part with 8 bits.
  /// The same with all results at 16 bits and weights at 8, if it was measured:
  /// what is left is the weights', and what is gone the results'.
  std::vector<double> measuredWide = {};
  std::vector<RowPrice> prices;
  bool takesWeights = true; ///< Or results alone.
  double target = 1e-3;     ///< Noise of each part.
  double budget = 0;        ///< Cycles.
  double leastPrice = 1;    ///< Of a choice that costs nothing.
  double priceFactor = 1;   ///< What was found by what was expected.
  /// Noise of each part that no choice takes away, as far as it was found; the
  /// first choice expects what the layers say.
  std::vector<double> excess;

  /// Takes in what \p choice came to.
  void correct(const BitsChoice &choice, const OutputLoss &found);
  /// The same of cycles: how many more each row took, and all together. A row
  /// that reads both 8 and 16 bits may be dearer than with either alone.
  void correctPrices(const BitsChoice &choice, std::span<const double> rows,
                     double all);
};

BitsChoice chooseLayers(const BitsProblem &problem);

/// The cycles that are expected to be enough for the target, whatever the
/// budget; nullopt where none are.
std::optional<double> cyclesForTarget(BitsProblem problem);

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_BITSCHOICE_H
