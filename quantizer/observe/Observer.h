//===- Observer.h - The range of a tensor from its values -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Calibration runs the float network on sample inputs and keeps, per tensor,
// the statistics that the chosen strategy needs. Statistics of samples merge to
// those of a batch, in the order of the samples, so that the result depends
// neither on the number of threads nor on who computed what; an Observer
// follows the batches as the reference does: the first one counts fully, later
// ones with 1 - momentum.
//
//   Observer o(*CalibrationStrategy::parse("3std"), {});
//   for (batch) {
//     completeBatch(merged);          // of all its samples
//     o.addBatch(merged);
//   }
//   FloatRange r = o.range(/*bits=*/8, /*symmetric=*/true);
//
// Strategies are the records of Strategies.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OBSERVE_OBSERVER_H
#define YARROW_QUANTIZER_OBSERVE_OBSERVER_H

#include "quantizer/math/QuantParams.h"
#include "quantizer/observe/CalibrationStrategy.h"
#include "quantizer/observe/ValueTrim.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace yarrow {

/// Statistics of one tensor over a sample or a batch.
struct TensorStatistics {
  float min = 0, max = 0;
  uint64_t count = 0;
  /// NaN and infinities, for which there are no statistics, and where the
  /// first one is.
  uint64_t numNotFinite = 0;
  std::size_t firstNotFinite = 0;
  double mean = 0;
  double squaredDeviations = 0; ///< sum of (x - mean)^2
  /// Values that a trim by the second left out, below and above; the rest is
  /// not known before the batch is.
  uint64_t numBelow = 0, numAbove = 0;
  // From the second run:
  double absoluteDeviations = 0;   ///< sum of |x - the batch's mean|
  std::vector<uint64_t> histogram; ///< over [min, max] of the batch
};

/// All members, for processes that exchange them (support/Packing.h).
/// One that is added must be named here, or this does not compile.
template <typename Pack> void packStatistics(Pack &p, TensorStatistics &s) {
  auto &[min, max, count, numNotFinite, firstNotFinite, mean, squares, numBelow,
         numAbove, absolute, histogram] = s;
  p(min)(max)(count)(numNotFinite)(firstNotFinite);
  p(mean)(squares)(numBelow)(numAbove)(absolute)(histogram);
}

/// Of at least one value.
FloatRange extremaOf(std::span<const float> values);

/// What the first run collects; with \p moments also mean and deviations.
TensorStatistics collectStatistics(std::span<const float> values, bool moments,
                                   const ValueTrim &trim = {});
/// Adds what the second run collects, given the first run's statistics of the
/// whole batch, after completeBatch().
void collectDeviations(std::span<const float> values,
                       const TensorStatistics &batch, unsigned bins,
                       TensorStatistics &into, const ValueTrim &trim = {});
/// Gives the values that were left out the extrema of the others, once these
/// are known.
void completeBatch(TensorStatistics &batch);
/// Merges the first run's part of \p from into \p into.
void mergeStatistics(TensorStatistics &into, const TensorStatistics &from);
/// Merges the second run's part.
void mergeDeviations(TensorStatistics &into, const TensorStatistics &from);

struct ObserverOptions {
  double momentum = 0.9;         ///< running_statistic_momentum
  unsigned histogramBins = 2048; ///< histc_bins
  ValueTrim trim;                ///< trim_infinity_before_statistic
  /// Magnitudes that count, as masks are often the lowest float. Power spectra
  /// of 16-bit samples reach further than the reference's bound.
  float largest = kLargestOfReference;
  static constexpr float kLargestOfReference = 0x1p31f, kLargest = 0x1p60f;

  bool operator==(const ObserverOptions &) const = default;
};

/// What an observer has seen.
struct ObservedState {
  uint64_t batches = 0;
  FloatRange allData, running;
  float mean = 0, deviation = 0, absoluteDeviation = 0;
  std::vector<float> histogram;
};

class Observer {
public:
  Observer(CalibrationStrategy strategy, ObserverOptions options,
           ObservedState state = {})
      : strategy(strategy), collected(strategy.needs()), options(options),
        seen(std::move(state)) {}

  /// Ranges by another strategy from the same statistics. False, and nothing
  /// changes, if it needs others, or they were to be taken otherwise.
  bool setStrategy(CalibrationStrategy other, const ObserverOptions &how);
  void addBatch(const TensorStatistics &batch);
  /// The range to quantize, contains 0. \p isPart: of a channel's or tap's
  /// values, not of the whole tensor.
  FloatRange range(unsigned bits, bool symmetric, bool isPart = false) const;
  FloatRange extrema() const { return seen.allData; }
  const ObservedState &state() const { return seen; }
  CalibrationStrategy::Kind strategyKind() const { return strategy.kind; }
  /// The range that something else than this tensor's values decides.
  void setRange(FloatRange range) { decided = range; }
  /// What the IR says; in_ir takes the extrema without it.
  void setRangeInIr(FloatRange range) { rangeInIr = range; }
  bool isEmpty() const { return seen.batches == 0; }

private:
  CalibrationStrategy strategy;
  StrategyNeeds collected;
  ObserverOptions options;
  ObservedState seen;
  std::optional<FloatRange> rangeInIr, decided;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_OBSERVE_OBSERVER_H
