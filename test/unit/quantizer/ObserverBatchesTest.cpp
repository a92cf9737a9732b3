//===- ObserverBatchesTest.cpp - Ranges from batches of unequal size ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each strategy over three batches of 4, 3 and 1 values, against the formulas
// of the Compass Optimizer in plain code, and in numbers.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Observer.h"
#include "quantizer/observe/Ranges.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>

using namespace yarrow;

namespace {
using Batch = std::vector<float>;

const std::vector<Batch> kBatches = {{-6, -5, 4, 5}, {-1, 5, 8}, {-10}};

/// What an observer makes of batches, all in one run or in samples of one
/// value.
FloatRange rangeOf(const char *strategy, const std::vector<Batch> &batches,
                   double momentum, unsigned bits = 8, bool isSymmetric = true,
                   unsigned bins = 2048, bool isBySample = false) {
  ObserverOptions options{.momentum = momentum, .histogramBins = bins};
  Observer observer(*CalibrationStrategy::parse(strategy), options);
  for (const Batch &values : batches) {
    std::size_t size = isBySample ? 1 : values.size();
    TensorStatistics s;
    for (std::size_t i = 0; i < values.size(); i += size)
      mergeStatistics(
          s, collectStatistics(std::span(values).subspan(i, size), true));
    completeBatch(s);
    TensorStatistics second;
    for (std::size_t i = 0; i < values.size(); i += size) {
      TensorStatistics part;
      collectDeviations(std::span(values).subspan(i, size), s, bins, part);
      mergeDeviations(second, part);
    }
    mergeDeviations(s, second);
    observer.addBatch(s);
  }
  return observer.range(bits, isSymmetric);
}

/// The average over the batches, the first of which counts fully.
double followed(double a, double b, double c, double momentum) {
  double first = a * momentum + b * (1 - momentum);
  return first * momentum + c * (1 - momentum);
}

void expectRange(FloatRange r, double min, double max) {
  EXPECT_FLOAT_EQ(r.min, float(min));
  EXPECT_FLOAT_EQ(r.max, float(max));
}
} // namespace

TEST(ObserverBatches, ExtremaAndPercentileAreThoseOfAllValues) {
  for (double momentum : {0.0, 0.5, 0.9, 1.0}) {
    expectRange(rangeOf("extrema", kBatches, momentum), -10, 8);
    expectRange(rangeOf("percentile", kBatches, momentum), -10, 8);
    expectRange(rangeOf("0.75percentile", kBatches, momentum), -7.5, 6);
  }
}

TEST(ObserverBatches, MeansFollowByTheMomentum) {
  // -6, -1 and -10; 5, 8 and -10: with 1/2, -3.5 and 6.5, then -6.75 and -1.75,
  // and a range contains 0.
  expectRange(rangeOf("mean", kBatches, 0.5), -6.75, 0);
  expectRange(rangeOf("mean", kBatches, 0.9), followed(-6, -1, -10, 0.9),
              followed(5, 8, -10, 0.9));
  expectRange(rangeOf("mean", kBatches, 0.0), -10, 0);
  expectRange(rangeOf("mean", kBatches, 1.0), -6, 5);
}

TEST(ObserverBatches, DeviationsAreThoseOfBatches) {
  // Unbiased: of 4 values around -0.5 squares of 30.25, 20.25, 20.25 and 30.25
  // over 3; of 3 around 4 squares of 25, 1 and 16 over 2; 1 of one value.
  double deviations[] = {std::sqrt(101.0 / 3), std::sqrt(21.0), 1};
  for (bool isBySample : {false, true})
    for (double momentum : {0.5, 0.9}) {
      double mean = followed(-0.5, 4, -10, momentum);
      double deviation =
          followed(deviations[0], deviations[1], deviations[2], momentum);
      double least = followed(-6, -1, -10, momentum),
             most = followed(5, 8, -10, momentum);
      for (int n : {1, 3}) {
        std::string name = std::to_string(n) + "std";
        expectRange(rangeOf(name.c_str(), kBatches, momentum, 8, true, 2048,
                            isBySample),
                    std::min(0.0, std::max(least, mean - n * deviation)),
                    std::max(0.0, std::min(most, mean + n * deviation)));
      }
      // 3.92 standard deviations at 8 bits, 9.89 absolute ones.
      double gauss = std::fabs(mean) + 3.92 * deviation;
      expectRange(rangeOf("aciq_gauss", kBatches, momentum), -gauss, gauss);
      double absolute = followed(5, 10.0 / 3, 0, momentum);
      double laplace = std::fabs(mean) + 9.89 * absolute;
      expectRange(rangeOf("aciq_laplace", kBatches, momentum, 8, true, 2048,
                          isBySample),
                  -laplace, laplace);
      // At 4 bits 5.03, from the least value on; 1.5 times as wide.
      double from = std::max(least, mean - 5.03 * absolute);
      expectRange(rangeOf("1.5aciq_laplace", kBatches, momentum, 4, false),
                  std::min(from, 0.0), from + 2 * 5.03 * absolute * 1.5);
    }
}

TEST(ObserverBatches, WeightedScale) {
  // Means by 0.9: from -5.95 to 3.77. The negative side reaches further, the
  // deviation is 5.22: share b above 5, c below 6.
  double least = followed(-6, -1, -10, 0.9), most = followed(5, 8, -10, 0.9);
  for (auto [text, share] :
       {std::pair{"weighted_scale_param[0,0.25,1,5]", 0.25},
        std::pair{"weighted_scale_param[0,0.25,1,6]", 1.0}}) {
    double scale = share * 255 / most - (1 - share) * 255 / least;
    expectRange(rangeOf(text, kBatches, 0.9), -255 / scale, 255 / scale);
  }
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

namespace {
/// Counts as torch.histc, averaged over batches.
std::vector<double> histogramOf(const std::vector<Batch> &batches,
                                std::size_t bins, double momentum) {
  std::vector<double> average(bins);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    auto [least, most] =
        std::minmax_element(batches[b].begin(), batches[b].end());
    std::vector<double> counts(bins);
    for (float v : batches[b])
      ++counts[std::min(bins - 1, std::size_t((v - *least) * float(bins) /
                                              (*most - *least)))];
    for (std::size_t i = 0; i < bins; ++i)
      average[i] =
          b ? momentum * average[i] + (1 - momentum) * counts[i] : counts[i];
  }
  return average;
}

/// Of bins first .. last, which hold all that lies outside at their ends.
double plainDivergence(const std::vector<double> &bins, int first, int last,
                       int levels) {
  std::vector<double> p(std::size_t(last - first + 1));
  double total = 0;
  for (int i = 0; i < int(bins.size()); ++i) {
    p[std::size_t(std::clamp(i, first, last) - first)] += bins[std::size_t(i)];
    total += bins[std::size_t(i)];
  }
  // q: each level's mass, spread evenly over its bins that hold something.
  std::size_t run = p.size() / std::size_t(levels);
  double sum = 0;
  for (std::size_t level = 0; level < std::size_t(levels); ++level) {
    std::size_t begin = level * run,
                end = level + 1 == std::size_t(levels) ? p.size() : begin + run;
    double mass = 0, filled = 0;
    for (std::size_t i = begin; i < end; ++i)
      mass += p[i], filled += p[i] > 0;
    for (std::size_t i = begin; i < end; ++i)
      if (p[i] > 0)
        sum += p[i] / total * std::log(p[i] * filled / mass);
  }
  return sum;
}

/// The window of the reference from the narrowest on, wider at both ends by one
/// bin a step; the widest of the best few.
std::pair<int, int> widened(const std::vector<double> &bins, int first,
                            int last, int levels, std::size_t best) {
  int count = int(bins.size());
  std::vector<std::pair<double, int>> order;
  for (int step = 0; first - step >= 0 || last + step < count; ++step)
    order.push_back(
        {plainDivergence(bins, first - step, last + step, levels), step});
  std::sort(order.begin(), order.end());
  int widen = 0;
  for (std::size_t i = 0; i < std::min(best, order.size()); ++i)
    widen = std::max(widen, order[i].second);
  return {std::max(first - widen, 0), std::min(last + widen, count - 1)};
}

/// That of values on both sides of zero: around the peak.
std::pair<int, int> plainWindow(const std::vector<double> &bins, int levels,
                                std::size_t best) {
  int count = int(bins.size());
  int peak = int(std::max_element(bins.begin(), bins.end()) - bins.begin());
  int first = std::max(peak - levels / 2, 0), last = first + levels - 1;
  if (peak >= count - 1 - peak) {
    last = std::min(peak + levels / 2, count - 1);
    first = last - levels + 1;
  }
  return widened(bins, first, last, levels, best);
}

/// Two peaks and a long tail, 400, 150 and 60 values.
std::vector<Batch> spreadBatches() {
  std::vector<Batch> batches(3);
  const std::size_t sizes[] = {400, 150, 60};
  uint32_t state = 12345;
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t i = 0; i < sizes[b]; ++i) {
      state = state * 1664525 + 1013904223;
      double u = (state >> 8) / 16777216.0;
      double v = 12 * (u - 0.45) * (u - 0.45) * (u - 0.45) / 0.2;
      batches[b].push_back(float(v * (1 + double(b)) + (i % 17 == 0 ? 6 : 0)));
    }
  return batches;
}
} // namespace

TEST(ObserverBatches, DivergenceIsThatOfThePlainReference) {
  std::vector<Batch> batches = spreadBatches();
  for (double momentum : {0.5, 0.9})
    for (std::size_t bins : {64u, 256u})
      for (std::size_t best : {2u, 5u, 10u}) {
        SCOPED_TRACE(best);
        std::vector<double> histogram = histogramOf(batches, bins, momentum);
        auto [first, last] = plainWindow(histogram, 16, best);
        double least[3], most[3];
        for (int b = 0; b < 3; ++b) {
          auto [low, high] =
              std::minmax_element(batches[b].begin(), batches[b].end());
          least[b] = *low, most[b] = *high;
        }
        double min = followed(least[0], least[1], least[2], momentum),
               max = followed(most[0], most[1], most[2], momentum);
        double step = (max - min) / double(bins);
        std::string name = std::to_string(best) + "kld";
        FloatRange r =
            rangeOf(name.c_str(), batches, momentum, 4, true, unsigned(bins));
        EXPECT_NEAR(r.min, std::min(0.0, min + first * step), 1e-5);
        EXPECT_NEAR(r.max, max - double(int(bins) - 1 - last) * step, 1e-5);
        // In samples of one value the same to the last bit.
        FloatRange again = rangeOf(name.c_str(), batches, momentum, 4, true,
                                   unsigned(bins), /*isBySample=*/true);
        EXPECT_EQ(r.min, again.min);
        EXPECT_EQ(r.max, again.max);
      }
}

/// By hand: 6 bins for 2 levels. The peak is bin 2, so that the windows are 1
/// to 2, 0 to 3 and -1 to 4; the first one holds all that there is at its ends
/// and loses nothing.
TEST(ObserverBatches, DivergenceByHand) {
  const std::vector<double> bins = {1, 1, 6, 1, 0, 1};
  EXPECT_NEAR(plainDivergence(bins, 1, 2, 2), 0, 1e-12);
  // 0 to 3: bins 1, 1 and 6, 2 of 10: 0.6 ln(6/4) + 0.2 ln(2/4).
  double loss = 0.6 * std::log(1.5) + 0.2 * std::log(0.5);
  EXPECT_NEAR(plainDivergence(bins, 0, 3, 2), loss, 1e-12);
  std::vector<float> counts(bins.begin(), bins.end());
  FloatRange range{-2, 4};
  FloatRange best = rangeByDivergence(counts, range, 2, 1);
  EXPECT_EQ(best.min, -1);
  EXPECT_EQ(best.max, 1);
}

/// Of values on one side of zero, the narrowest window is at zero.
TEST(ObserverBatches, DivergenceOnOneSideOfZero) {
  const std::vector<double> bins = {1, 1, 6, 1, 0, 3, 2, 1, 9, 1, 2, 1};
  const std::vector<float> counts(bins.begin(), bins.end());
  for (std::size_t best : {1u, 2u, 3u, 5u}) {
    FloatRange above = rangeByDivergence(counts, {0, 12}, 4, unsigned(best)),
               below = rangeByDivergence(counts, {-12, 0}, 4, unsigned(best));
    auto [first, last] = widened(bins, 0, 3, 4, best);
    EXPECT_EQ(above.min, float(first)) << best;
    EXPECT_EQ(above.max, float(last + 1)) << best;
    std::tie(first, last) = widened(bins, 8, 11, 4, best);
    EXPECT_EQ(below.min, float(first - 12)) << best;
    EXPECT_EQ(below.max, float(last - 11)) << best;
  }
}
