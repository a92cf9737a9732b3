//===- FloatSearch.h - The first layer that loses too much ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A float network and its integer network never agree to the bit, and all later
// layers show the loss of an earlier one as well. So each integer layer gets
// the float network's tensors, in its stored form, and its SQNR measures only
// its own error. The layer with the fault has a ratio far below the others, or
// hardly any signal left.
//
//   auto losses = layerLosses(floats, floatRun, integers, diags);
//   std::optional<std::size_t> worst = firstLossy(*losses, {});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_BISECT_FLOATSEARCH_H
#define YARROW_COMPILER_BISECT_FLOATSEARCH_H

#include "compiler/bisect/NetworkRun.h"
#include "quantizer/math/Similarity.h"

namespace yarrow {

/// What an integer layer makes of the float network's tensors.
struct IsolatedLoss {
  LayerResult found, expected; ///< As the integer layer stores it, both.
  Similarity similarity;       ///< To the float network's result.
  std::vector<std::pair<std::string, std::vector<char>>> inputs; ///< By tensor.
};

struct LossLimits {
  /// A layer is suspect if it is more than so much below the median of all...
  double mostDropDb = 15;
  /// ...and below this: more is as good as 8 bits get, whatever others have.
  double goodDb = 30;
  /// In any case below this.
  double leastDb = 6;
};

/// In the order of the network; of layers whose inputs and results both
/// networks have. Nullopt after errors.
std::optional<std::vector<IsolatedLoss>> layerLosses(const NetworkRun &floats,
                                                     const Execution &floatRun,
                                                     const NetworkRun &integers,
                                                     DiagnosticEngine &diags);

double medianDb(const std::vector<IsolatedLoss> &losses);
std::optional<std::size_t> firstLossy(const std::vector<IsolatedLoss> &losses,
                                      const LossLimits &limits);

} // namespace yarrow

#endif // YARROW_COMPILER_BISECT_FLOATSEARCH_H
