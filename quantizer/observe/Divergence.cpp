//===- Divergence.cpp - Clipping range by Kullback-Leibler divergence -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Ranges.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace yarrow {

namespace {

/// A window of the histogram: bins first..last, which may lie outside of it.
struct Window {
  int64_t first, last;
  int64_t size() const { return last - first + 1; }
};

/// The histogram with zeros around it and its running sums.
class PaddedHistogram {
public:
  explicit PaddedHistogram(std::span<const float> bins)
      : bins(bins), sums(bins.size() + 1) {
    for (std::size_t i = 0; i < bins.size(); ++i)
      sums[i + 1] = sums[i] + double(bins[i]);
  }
  double total() const { return sums.back(); }
  /// Bin \p i seen through \p w, whose border bins collect what lies outside.
  double probability(Window w, int64_t i) const {
    double value = i == w.first  ? sumUpTo(i)
                   : i == w.last ? total() - sumUpTo(i - 1)
                                 : at(i);
    return value / total();
  }

private:
  double at(int64_t i) const {
    return i < 0 || i >= int64_t(bins.size()) ? 0.0 : double(bins[i]);
  }
  double sumUpTo(int64_t i) const {
    return sums[std::clamp<int64_t>(i + 1, 0, int64_t(bins.size()))];
  }
  std::span<const float> bins;
  std::vector<double> sums;
};

} // namespace

/// The divergence of the window's distribution P from Q, which is P with equal
/// runs of bins replaced by the mean of their non-empty bins.
static double divergence(const PaddedHistogram &histogram, Window w,
                         int64_t targetBins) {
  constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
  int64_t run = w.size() / targetBins;
  double sum = 0;
  std::vector<double> p;
  for (int64_t target = 0; target < targetBins; ++target) {
    int64_t begin = w.first + target * run;
    // The last target bin takes the remainder.
    int64_t end = target + 1 == targetBins ? w.last + 1 : begin + run;
    p.clear();
    double mass = 0;
    int64_t filled = 0;
    for (int64_t i = begin; i < end; ++i) {
      p.push_back(histogram.probability(w, i));
      mass += p.back();
      filled += p.back() != 0;
    }
    double q = mass / (double(filled) + kEpsilon);
    for (double v : p)
      if (v != 0)
        sum += v * std::log(v / q);
  }
  return sum;
}

/// The narrowest candidate: targetBins bins at zero or around the peak.
static Window startWindow(std::span<const float> bins, FloatRange range,
                          int64_t targetBins) {
  auto count = int64_t(bins.size());
  if (range.min >= 0)
    return {0, targetBins - 1};
  if (range.max <= 0)
    return {count - targetBins, count - 1};
  int64_t peak = std::max_element(bins.begin(), bins.end()) - bins.begin();
  if (peak < count - 1 - peak) {
    int64_t first = std::max<int64_t>(peak - targetBins / 2, 0);
    return {first, first + targetBins - 1};
  }
  int64_t last = std::min(peak + targetBins / 2, count - 1);
  return {last - (targetBins - 1), last};
}

FloatRange rangeByDivergence(std::span<const float> histogram, FloatRange range,
                             unsigned targetBins, unsigned best) {
  auto count = int64_t(histogram.size());
  if (count <= int64_t(targetBins) || targetBins < 2)
    return range;
  PaddedHistogram padded(histogram);
  if (!(padded.total() > 0))
    return range;
  Window start = startWindow(histogram, range, targetBins);
  int64_t steps = std::max(start.first + 1, count - start.last);
  std::vector<std::pair<double, int64_t>> order;
  for (int64_t step = 0; step < steps; ++step) {
    Window window{start.first - step, start.last + step};
    order.emplace_back(divergence(padded, window, targetBins), step);
  }
  std::sort(order.begin(), order.end());
  int64_t widen = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(best, order.size()); ++i)
    widen = std::max(widen, order[i].second);
  float interval = (range.max - range.min) / float(count);
  int64_t first = std::max<int64_t>(start.first - widen, 0);
  int64_t last = std::min(start.last + widen, count - 1);
  return {range.min + float(first) * interval,
          range.max - float(count - 1 - last) * interval};
}

} // namespace yarrow
