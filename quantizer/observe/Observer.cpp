//===- Observer.cpp - The range of a tensor from its values ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Observer.h"
#include "quantizer/observe/Ranges.h"
#include "support/Half.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace yarrow {

TensorStatistics collectStatistics(std::span<const float> values,
                                   bool moments) {
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
  s.min = s.max = values[0];
  for (float v : values) {
    s.min = std::min(s.min, v);
    s.max = std::max(s.max, v);
  }
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
                       TensorStatistics &into) {
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
  if (from.count == 0)
    return;
  if (into.count == 0) {
    into = from;
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

void mergeDeviations(TensorStatistics &into, const TensorStatistics &from) {
  into.absoluteDeviations += from.absoluteDeviations;
  into.histogram.resize(std::max(into.histogram.size(), from.histogram.size()));
  for (std::size_t i = 0; i < from.histogram.size(); ++i)
    into.histogram[i] += from.histogram[i];
}

void Observer::addBatch(const TensorStatistics &batch) {
  if (batch.count == 0)
    return;
  // The reference starts from 0 with momentum 0: the first batch is taken
  // whole.
  double momentum = batches ? options.momentum : 0.0;
  auto keep = float(momentum), take = float(1.0 - momentum);
  auto follow = [&](float &value, float now) {
    value = keep * value + take * now;
  };
  // Masks are often the lowest float: no scale can represent it.
  FloatRange now{std::max(batch.min, -2147483648.0f),
                 std::min(batch.max, 2147483648.0f)};
  if (batches++ == 0)
    allData = now;
  allData.min = std::min(allData.min, now.min);
  allData.max = std::max(allData.max, now.max);
  follow(running.min, now.min);
  follow(running.max, now.max);
  auto count = double(batch.count);
  // Unbiased; of a single value the reference says 1.
  float deviation =
      batch.count > 1 ? float(std::sqrt(batch.squaredDeviations / (count - 1)))
                      : 1.0f;
  follow(runningMean, float(batch.mean));
  follow(runningStd, deviation);
  follow(runningAbsolute, float(batch.absoluteDeviations / count));
  runningHistogram.resize(
      std::max(runningHistogram.size(), batch.histogram.size()));
  for (std::size_t i = 0; i < batch.histogram.size(); ++i)
    follow(runningHistogram[i], float(batch.histogram[i]));
}

FloatRange Observer::range(unsigned bits, bool symmetric, bool isPart) const {
  static constexpr RangeFunction *kFunctions[] = {
#define STRATEGY(KIND, FORM, DEFAULT, BOUNDS, MEANING, NEEDS, RANGE, DOC) RANGE,
#include "quantizer/observe/Strategies.def"
  };
  FloatRange r = kFunctions[std::size_t(strategy.kind)](
      {allData, running, rangeInIr, runningMean, runningStd, runningAbsolute,
       runningHistogram, isPart},
      strategy.parameters, bits, symmetric);
  return {std::min(r.min, 0.0f), std::max(r.max, 0.0f)};
}

} // namespace yarrow
