//===- Ranges.h - Ranges from statistics ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One function for each record of Strategies.def.
//
//   FloatRange r = rangeByDeviation(statistics, {3}, 8, true);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OBSERVE_RANGES_H
#define YARROW_QUANTIZER_OBSERVE_RANGES_H

#include "quantizer/math/QuantParams.h"

#include <array>
#include <optional>
#include <span>

namespace yarrow {

/// What an observer has seen; running figures are averages over batches.
struct ObservedStatistics {
  FloatRange allData, running;
  std::optional<FloatRange> inIr;
  float mean, deviation, absoluteDeviation;
  std::span<const float> histogram; ///< Over the range \p running.
  bool isPart; ///< Of a channel's values, not of the whole tensor.
};

/// \p parameters are the strategy's; \p bits and \p symmetric of the tensor.
using RangeFunction = FloatRange(const ObservedStatistics &statistics,
                                 const std::array<float, 4> &parameters,
                                 unsigned bits, bool symmetric);

#define STRATEGY(KIND, FORM, DEFAULT, BOUNDS, MEANING, NEEDS, RANGE, DOC)      \
  RangeFunction RANGE;
#include "quantizer/observe/Strategies.def"

/// The part of [min, max] that loses least information, by Kullback-Leibler
/// divergence, when \p histogram is reduced to \p targetBins bins. The widest
/// of the \p best best candidates wins, which is steadier than the best one.
FloatRange rangeByDivergence(std::span<const float> histogram, FloatRange range,
                             unsigned targetBins, unsigned best);

} // namespace yarrow

#endif // YARROW_QUANTIZER_OBSERVE_RANGES_H
