//===- Observer.cpp - The range of a tensor from its values ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Observer.h"
#include "quantizer/observe/Ranges.h"
#include "support/Half.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

namespace yarrow {

FloatRange extremaOf(std::span<const float> values) {
  // Lanes of their own, which are vectors.
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> least, most;
  least.fill(values[0]);
  most.fill(values[0]);
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      float x = values[i + l];
      least[l] = x < least[l] ? x : least[l];
      most[l] = x > most[l] ? x : most[l];
    }
  FloatRange range{*std::min_element(least.begin(), least.end()),
                   *std::max_element(most.begin(), most.end())};
  for (; i < values.size(); ++i) {
    range.min = std::min(range.min, values[i]);
    range.max = std::max(range.max, values[i]);
  }
  return range;
}

/// \p values limited to the trim's bounds.
static std::vector<float> clipped(std::span<const float> values, float min,
                                  float max) {
  std::vector<float> kept(values.begin(), values.end());
  for (float &v : kept)
    v = v < min ? min : v > max ? max : v; // NaN stays
  return kept;
}

/// Without the values that reach the bounds, which are counted.
static TensorStatistics collectInner(std::span<const float> values,
                                     bool moments, const ValueTrim &trim) {
  float min = std::min(trim.min, 0.0f), max = std::max(trim.max, 0.0f);
  std::vector<float> inner;
  inner.reserve(values.size());
  TensorStatistics counts;
  for (float v : values)
    if (v <= min)
      ++counts.numBelow;
    else if (v >= max)
      ++counts.numAbove;
    else
      inner.push_back(v);
  TensorStatistics s = collectStatistics(inner, moments);
  s.numBelow = counts.numBelow;
  s.numAbove = counts.numAbove;
  return s;
}

TensorStatistics collectStatistics(std::span<const float> values, bool moments,
                                   const ValueTrim &trim) {
  if (trim.isOn())
    return trim.kind == ValueTrim::Kind::Second
               ? collectInner(values, moments, trim)
               : collectStatistics(clipped(values, trim.min, trim.max),
                                   moments);
  TensorStatistics s;
  s.count = values.size();
  if (values.empty())
    return s;
  s.numNotFinite =
      uint64_t(std::count_if(values.begin(), values.end(), isNotFinite));
  if (s.numNotFinite) {
    s.firstNotFinite =
        std::size_t(std::find_if(values.begin(), values.end(), isNotFinite) -
                    values.begin());
    return s;
  }
  FloatRange range = extremaOf(values);
  s.min = range.min;
  s.max = range.max;
  if (!moments)
    return s;
  // Two passes: sum(x^2) - n * mean^2 loses everything when |mean| >> std.
  double sum = 0;
  for (float v : values)
    sum += v;
  s.mean = sum / double(s.count);
  for (float v : values) {
    double d = v - s.mean;
    s.squaredDeviations += d * d;
  }
  return s;
}

void collectDeviations(std::span<const float> values,
                       const TensorStatistics &batch, unsigned bins,
                       TensorStatistics &into, const ValueTrim &trim) {
  // Whichever the trim, it limits values to what is left of the batch.
  if (trim.isOn())
    return collectDeviations(clipped(values, batch.min, batch.max), batch, bins,
                             into);
  // As torch.histc: a batch of one value gets a range of its own.
  float lo = batch.min, hi = batch.max;
  if (!(hi > lo))
    hi = lo + std::fabs(lo / 2.0f) + 1.0f;
  into.histogram.resize(bins);
  for (float v : values) {
    into.absoluteDeviations += std::fabs(v - batch.mean);
    if (!(v >= lo && v <= hi))
      continue;
    // Infinite or NaN where the range is as wide as float32 itself.
    float position = (v - lo) * float(bins) / (hi - lo);
    ++into.histogram[position < float(bins) ? unsigned(position) : bins - 1];
  }
}

void mergeStatistics(TensorStatistics &into, const TensorStatistics &from) {
  into.numBelow += from.numBelow;
  into.numAbove += from.numAbove;
  if (from.count == 0)
    return;
  if (into.count == 0) {
    uint64_t numBelow = into.numBelow, numAbove = into.numAbove;
    into = from;
    into.numBelow = numBelow;
    into.numAbove = numAbove;
    return;
  }
  into.min = std::min(into.min, from.min);
  into.max = std::max(into.max, from.max);
  // Chan, Golub, LeVeque: Updating formulae for computing sample variances.
  auto a = double(into.count), b = double(from.count);
  double delta = from.mean - into.mean;
  into.mean += delta * b / (a + b);
  into.squaredDeviations +=
      from.squaredDeviations + delta * delta * a * b / (a + b);
  into.count += from.count;
}

void completeBatch(TensorStatistics &batch) {
  if (batch.numBelow + batch.numAbove == 0)
    return;
  // What was left out counts as 0 when the extrema of the rest are taken.
  float min = std::min(batch.count ? batch.min : 0.0f, 0.0f);
  float max = std::max(batch.count ? batch.max : 0.0f, 0.0f);
  auto add = [&](uint64_t count, float value) {
    TensorStatistics same;
    same.min = same.max = value;
    same.mean = value;
    same.count = count;
    mergeStatistics(batch, same);
  };
  uint64_t numBelow = std::exchange(batch.numBelow, 0),
           numAbove = std::exchange(batch.numAbove, 0);
  add(numBelow, min);
  add(numAbove, max);
}

void mergeDeviations(TensorStatistics &into, const TensorStatistics &from) {
  into.absoluteDeviations += from.absoluteDeviations;
  into.histogram.resize(std::max(into.histogram.size(), from.histogram.size()));
  for (std::size_t i = 0; i < from.histogram.size(); ++i)
    into.histogram[i] += from.histogram[i];
}

bool Observer::setStrategy(CalibrationStrategy other,
                           const ObserverOptions &how) {
  StrategyNeeds needs = other.needs();
  bool isKnown = needs == StrategyNeeds::Nothing || needs == collected ||
                 (needs == StrategyNeeds::Moments &&
                  collected == StrategyNeeds::Deviations);
  // What the IR says is looked up when statistics are taken.
  bool isInIr = other.kind == CalibrationStrategy::Kind::InIr;
  // A bound that nothing has come near could have been any other one.
  ObserverOptions own = options;
  float least = std::min(own.largest, how.largest);
  if (seen.allData.min > -least && seen.allData.max < least)
    own.largest = how.largest;
  if (!isKnown || how != own || (isInIr && other != strategy))
    return false;
  options = how;
  strategy = other;
  return true;
}

void Observer::addBatch(const TensorStatistics &batch) {
  if (batch.count == 0)
    return;
  // The reference starts from 0 with momentum 0: the first batch is taken
  // whole.
  double momentum = seen.batches ? options.momentum : 0.0;
  auto keep = float(momentum), take = float(1.0 - momentum);
  auto follow = [&](float &value, float now) {
    value = keep * value + take * now;
  };
  FloatRange now{std::max(batch.min, -options.largest),
                 std::min(batch.max, options.largest)};
  if (seen.batches++ == 0)
    seen.allData = now;
  seen.allData.min = std::min(seen.allData.min, now.min);
  seen.allData.max = std::max(seen.allData.max, now.max);
  follow(seen.running.min, now.min);
  follow(seen.running.max, now.max);
  auto count = double(batch.count);
  // Unbiased; of a single value the reference says 1.
  float deviation =
      batch.count > 1 ? float(std::sqrt(batch.squaredDeviations / (count - 1)))
                      : 1.0f;
  follow(seen.mean, float(batch.mean));
  follow(seen.deviation, deviation);
  follow(seen.absoluteDeviation, float(batch.absoluteDeviations / count));
  seen.histogram.resize(
      std::max(seen.histogram.size(), batch.histogram.size()));
  for (std::size_t i = 0; i < batch.histogram.size(); ++i)
    follow(seen.histogram[i], float(batch.histogram[i]));
}

FloatRange Observer::range(unsigned bits, bool symmetric, bool isPart) const {
  static constexpr RangeFunction *kFunctions[] = {
#define STRATEGY(KIND, FORM, DEFAULT, BOUNDS, MEANING, NEEDS, RANGE, DOC) RANGE,
#include "quantizer/observe/Strategies.def"
  };
  if (decided)
    return *decided;
  FloatRange r = kFunctions[std::size_t(strategy.kind)](
      {seen.allData, seen.running, rangeInIr, seen.mean, seen.deviation,
       seen.absoluteDeviation, seen.histogram, isPart},
      strategy.parameters, bits, symmetric);
  return {std::min(r.min, 0.0f), std::max(r.max, 0.0f)};
}

} // namespace yarrow
