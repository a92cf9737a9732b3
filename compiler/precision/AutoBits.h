//===- AutoBits.h - 16 bits for the tensors that need them ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Gives 16 bits to tensors until a goal is met or a price is spent. After all
// methods, each part of each output is compared with the goal. If some miss it,
// a few runs measure how much noise each layer alone adds to every part, and
// how much of that is the rounding of its result or its weights to 8 bits
// (LayerNoise.h); simulated networks measure the price of 16 bits
// (LayerPrices.h). Results and weights that remove most noise per cycle get 16
// bits first (BitsChoice.h). The chosen network is simulated, and chosen again
// if it is too expensive. Then it is quantized with all methods and measured,
// and the measurement corrects the expectation.
//
//   task.improve = [&](const FinishedTask &finished) {
//     return chooseBits(finished, {{30}, 1.3, cost}, diags);
//   };
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_AUTOBITS_H
#define YARROW_COMPILER_PRECISION_AUTOBITS_H

#include "quantizer/methods/ApplyMethods.h"
#include "runtime/Report.h"

#include <functional>
#include <optional>

namespace yarrow {

struct AccuracyGoal {
  double leastDb = 30; ///< Of every part of every output.
  /// Share of samples with the float network's class. Where an output is scores
  /// of classes it does as well, from kLeastClassDb on.
  double agreement = 0.99;
  /// So few samples as there are agree easily.
  static constexpr double kLeastClassDb = 20;
};

struct AutoBitsTask {
  AccuracyGoal goal;
  /// Cycles by those of the network with 8 bits that may be spent.
  double price = 1.3;
  /// The same until every output keeps kUsefulDb.
  double rescuePrice = 1.3;
  static constexpr double kUsefulDb = 25;
  /// What a network takes on the target. Nullopt after errors.
  std::function<std::optional<runtime::Report>(mlir::ModuleOp network,
                                               DiagnosticEngine &diags)>
      cost;
  std::function<void(const char *step, std::size_t done, std::size_t total)>
      progress = {};
};

bool meetsGoal(const OutputLoss &loss, const OutputJudge &judge,
               const AccuracyGoal &goal);

/// Puts the best network in the place of \p finished's that keeps the price.
/// False after errors; a network that cannot be improved stays as it is.
bool chooseBits(const FinishedTask &finished, const AutoBitsTask &task,
                DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_AUTOBITS_H
