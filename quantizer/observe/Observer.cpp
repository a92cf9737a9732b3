//===- Observer.cpp - The range of a tensor from its values ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Observer.h"
#include "support/Half.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace yarrow {

using Kind = CalibrationStrategy::Kind;

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

/// Half the width, in units of the mean absolute (Laplace) or standard (Gauss)
/// deviation, that minimises the sum of clipping and rounding error at a number
/// of bits: the zeros of equations 12 and 15 of Banner et al., "Post training
/// 4-bit quantization of convolutional networks" (arXiv 1810.05723).
static float aciqFactor(Kind kind, unsigned bits) {
  static constexpr float kLaplace[] = {
      1.05f,  1.86f,  2.83f,  3.89f,  5.03f,  6.2f,   7.41f,  8.64f, 9.89f,
      11.16f, 12.44f, 13.73f, 15.02f, 16.33f, 17.64f, 18.95f, 20.27f};
  static constexpr float kGauss[] = {3.92f, 1.24f, 1.71f, 2.15f, 2.55f, 2.93f,
                                     3.28f, 3.61f, 3.92f, 4.21f, 4.49f, 4.75f,
                                     4.99f, 5.24f, 5.47f, 5.69f, 5.89f};
  if (bits > 16)
    bits = 8;
  return kind == Kind::AciqLaplace ? kLaplace[bits] : kGauss[bits];
}

static FloatRange aciqRange(FloatRange running, float mean, float alpha,
                            float gamma, bool symmetric) {
  if (symmetric) {
    float bound = std::fabs(mean) + alpha * gamma;
    return {-bound, bound};
  }
  float min = std::max(running.min, mean - alpha);
  return {min, min + 2 * alpha * gamma};
}

FloatRange Observer::range(unsigned bits, bool symmetric) const {
  FloatRange r;
  switch (strategy.kind) {
  case Kind::Extrema:
    r = allData;
    break;
  case Kind::InIr: // as the reference: extrema where the IR has no range
    r = rangeInIr.value_or(allData);
    break;
  case Kind::Mean:
    r = running;
    break;
  case Kind::Nstd: {
    float reach = strategy.parameter * runningStd;
    r = {std::max(running.min, runningMean - reach),
         std::min(running.max, runningMean + reach)};
    break;
  }
  case Kind::Percentile:
    r = {allData.min * strategy.parameter, allData.max * strategy.parameter};
    break;
  case Kind::Kld:
    r = rangeByDivergence(runningHistogram, running, 1u << bits,
                          std::max(2u, unsigned(strategy.parameter)));
    break;
  case Kind::AciqLaplace:
  case Kind::AciqGauss: {
    float width =
        strategy.kind == Kind::AciqLaplace ? runningAbsolute : runningStd;
    r = aciqRange(running, runningMean, width * aciqFactor(strategy.kind, bits),
                  strategy.parameter, symmetric);
    break;
  }
  }
  return {std::min(r.min, 0.0f), std::max(r.max, 0.0f)};
}

} // namespace yarrow
