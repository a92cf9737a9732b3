//===- BitsChoice.h - Which layers are worth 16 bits ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A covering problem: every part of the outputs is to have no more noise than a
// target, layers add noise to each of them, most of which 16 bits take away,
// and that has a price in cycles, which neighbours share: a layer that reads
// two tensors of 16 bits is paid for once. It is solved greedily, by noise that
// is still too much for each cycle more.
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

#include <vector>

namespace yarrow {

struct BitsLayer {
  /// What it adds to each part of the outputs: noise by signal, both squared.
  std::vector<double> noise;
  double removable = 1; ///< The share of it that 16 bits take away.
  /// Rows of BitsProblem::prices that it makes dearer: its own, and those of
  /// what reads its result.
  std::vector<unsigned> touched;
  /// Its result is the network's: other samples than those measured may be
  /// smaller. Chosen before all others where that is cheap.
  bool isOutput = false;
};

struct BitsChoice {
  std::vector<unsigned> layers; ///< By ascending number.
  double price = 0;             ///< Cycles, as expected.
  bool isEnough = true;         ///< The target is expected to be met.
  std::vector<double> expected; ///< Noise of each part.
};

struct BitsProblem {
  std::vector<BitsLayer> layers;
  std::vector<double> measured; ///< Noise of each part with 8 bits.
  std::vector<double> prices;   ///< Cycles more, by row.
  double target = 1e-3;         ///< Noise of each part.
  double budget = 0;            ///< Cycles.
  double leastPrice = 1;        ///< Of a choice that costs nothing.
  double priceFactor = 1;       ///< What was found by what was expected.
  /// Noise of each part that no choice takes away, as far as it was found; the
  /// first choice expects what the layers say.
  std::vector<double> excess;

  /// Takes in what \p choice came to.
  void correct(const BitsChoice &choice, const OutputLoss &found);
};

BitsChoice chooseLayers(const BitsProblem &problem);

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_BITSCHOICE_H
