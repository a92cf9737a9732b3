//===- PricedBits.h - 16 bits in some places, and their price ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Choices of 16 bits for results and weights as quantized networks, and what
// these take on the target: what the choice of AutoBits pays with.
//
//   PricedBits bits(finished, cost);
//   if (!bits.findPrices(problem, progress)) return; // does not compile
//   auto found = bits.chooseAffordable(problem);
//   if (found) quantize(bits.optionsFor(found->choice));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_PRICEDBITS_H
#define YARROW_COMPILER_PRECISION_PRICEDBITS_H

#include "compiler/precision/BitsChoice.h"
#include "compiler/precision/LayerPrices.h"
#include "quantizer/methods/ApplyMethods.h"
#include "runtime/Report.h"

#include <functional>
#include <optional>
#include <vector>

namespace yarrow {

/// A choice as it was simulated.
struct AffordableBits {
  BitsChoice choice = {};
  double cycles = 0;
};

class PricedBits {
public:
  /// What a network takes on the target. Nullopt after errors.
  using Cost = std::function<std::optional<runtime::Report>(
      mlir::ModuleOp network, DiagnosticEngine &diags)>;
  using Progress = std::function<void(std::size_t done, std::size_t total)>;

  PricedBits(const FinishedTask &finished, Cost cost);

  /// Those that may get 16 bits; a choice counts them.
  const std::vector<mlir::Operation *> &layers() const { return listed; }
  /// With 8 bits, and with 16 for all results; after findPrices.
  double narrowCycles() const { return prices->narrowCycles; }
  double wideCycles() const { return prices->wideCycles; }

  /// Adds what 16 bits cost each layer to \p problem, which has their noise.
  /// False where the network cannot be compiled, or not in 16 bits.
  bool findPrices(BitsProblem &problem, const Progress &progress);

  /// 16 bits for every result.
  BitsChoice allResults() const;
  /// Beside what was widened before.
  QuantizerOptions optionsFor(const BitsChoice &choice) const;

  /// What \p problem's budget is enough for, which learns what rows really
  /// take; nullopt where it is for nothing.
  std::optional<AffordableBits> chooseAffordable(BitsProblem &problem) const;

  /// Results of convolutions on their way to one function or sum in the same
  /// command, as far as 16 bits of them cost nothing.
  std::optional<AffordableBits> chooseFree(const BitsProblem &problem) const;
  /// Gives all further choices what \p choice has.
  void widen(const BitsChoice &choice) { base = optionsFor(choice); }

private:
  /// Rounded by no method yet, which changes no cycles.
  std::optional<runtime::Report> simulate(const BitsChoice &choice) const;

  const FinishedTask &finished;
  const Cost cost;
  std::vector<mlir::Operation *> listed;
  QuantizerOptions base;
  std::optional<LayerPrices> prices;
};

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_PRICEDBITS_H
