//===- ObserverTest.cpp - Ranges from data --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Observer.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <random>

using namespace yarrow;

static CalibrationStrategy strategy(const char *text) {
  auto parsed = CalibrationStrategy::parse(text);
  EXPECT_TRUE(parsed) << text;
  return *parsed;
}

static std::vector<float> normal(std::size_t count, float mean, float std,
                                 unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  // Box-Muller: std::normal_distribution differs between libraries.
  for (float &v : values) {
    double u = (generator() + 1.0) / 4294967297.0,
           w = generator() / 4294967296.0;
    v = mean +
        std * float(std::sqrt(-2 * std::log(u)) * std::cos(6.28318530718 * w));
  }
  return values;
}

/// The statistics of one batch, both runs.
static TensorStatistics batchOf(const std::vector<float> &values) {
  TensorStatistics s = collectStatistics(values, true);
  collectDeviations(values, s, 2048, s);
  return s;
}

TEST(CalibrationStrategy, Names) {
  for (const char *name : {"extrema", "mean", "in_ir", "3std", "0.99percentile",
                           "kld", "5kld", "aciq_gauss", "1.5aciq_laplace",
                           "weighted_scale_param[0.5,0.25,1,3.5]"})
    EXPECT_EQ(strategy(name).str(), name);
  EXPECT_EQ(strategy(" Mean ").str(), "mean");
  for (const char *wrong : {"", "std", "3.5std", "max", "3extrema", "kl", "3",
                            "weighted_scale_param[0,0,0]", "3std[1]"})
    EXPECT_FALSE(CalibrationStrategy::parse(wrong)) << wrong;
}

/// The power of a sum of 16-bit samples, say.
TEST(Observer, MagnitudesAreBoundedByTheOptions) {
  auto extremaOf = [](const ObserverOptions &options) {
    Observer observer(strategy("extrema"), options);
    observer.addBatch(batchOf({-5e12f, 0, 3e10f}));
    FloatRange r = observer.extrema();
    return std::pair(r.min, r.max);
  };
  EXPECT_EQ(extremaOf({}), std::pair(-0x1p31f, 0x1p31f));
  EXPECT_EQ(extremaOf({.largest = ObserverOptions::kLargest}),
            std::pair(-5e12f, 3e10f));
}

TEST(Observer, FollowsAnotherBoundThatNothingHasComeNear) {
  auto follows = [](float most) {
    Observer observer(strategy("extrema"), {});
    observer.addBatch(batchOf({0, most}));
    return observer.setStrategy(strategy("extrema"),
                                {.largest = ObserverOptions::kLargest});
  };
  EXPECT_TRUE(follows(100));
  EXPECT_FALSE(follows(0x1p32f)); // was cut off
}

TEST(Observer, RangeAsWideAsFloat32) {
  TensorStatistics s = batchOf({-3e38f, 0, 3e38f});
  uint64_t counted = 0;
  for (uint64_t bin : s.histogram)
    counted += bin;
  EXPECT_EQ(counted, 3u);
  EXPECT_EQ(s.histogram.front(), 1u);
}

TEST(Observer, ExtremaAndRunningMean) {
  TensorStatistics batches[3];
  float min[] = {-1, -2, -0.5f}, max[] = {1, 4, 2};
  for (int i = 0; i < 3; ++i)
    batches[i] = collectStatistics(std::vector<float>{min[i], max[i]}, false);
  Observer extrema(strategy("extrema"), {}), mean(strategy("mean"), {});
  for (const TensorStatistics &b : batches) {
    extrema.addBatch(b);
    mean.addBatch(b);
  }
  EXPECT_EQ(extrema.range(8, true).min, -2);
  EXPECT_EQ(extrema.range(8, true).max, 4);
  EXPECT_FLOAT_EQ(mean.range(8, true).min, (-1 * 0.9f - 0.2f) * 0.9f - 0.05f);
  EXPECT_FLOAT_EQ(mean.range(8, true).max, (1 * 0.9f + 0.4f) * 0.9f + 0.2f);
}

// As of a branch that a single sample takes.
TEST(Observer, HasSeenSomethingFromTheFirstBatchOn) {
  Observer observer(strategy("extrema"), {});
  EXPECT_TRUE(observer.isEmpty());
  observer.addBatch(batchOf({1, 2}));
  EXPECT_FALSE(observer.isEmpty());
  observer.addBatch(batchOf({3}));
  EXPECT_FALSE(observer.isEmpty());
}

TEST(Observer, RangeContainsZero) {
  Observer o(strategy("extrema"), {});
  o.addBatch(collectStatistics(std::vector<float>{3, 4}, false));
  EXPECT_EQ(o.range(8, true).min, 0);
  EXPECT_EQ(o.range(8, true).max, 4);
}

TEST(Observer, StandardDeviations) {
  std::vector<float> values = normal(20000, 1, 0.5f, 1);
  values[7] = 100; // an outlier that the strategy cuts off
  Observer o(strategy("3std"), {});
  o.addBatch(batchOf(values));
  FloatRange r = o.range(8, true);
  EXPECT_LT(r.max, 6);
  EXPECT_GT(r.max, 2.4f);
}

TEST(Observer, MergingSamplesGivesTheBatch) {
  std::vector<float> values = normal(3000, -2, 3, 2);
  TensorStatistics whole = collectStatistics(values, true), merged;
  for (int i = 0; i < 3; ++i)
    mergeStatistics(
        merged,
        collectStatistics(std::span(values).subspan(i * 1000, 1000), true));
  EXPECT_EQ(merged.min, whole.min);
  EXPECT_EQ(merged.max, whole.max);
  EXPECT_EQ(merged.count, whole.count);
  EXPECT_NEAR(merged.mean, whole.mean, 1e-9);
  EXPECT_NEAR(merged.squaredDeviations, whole.squaredDeviations, 1e-6);
}

TEST(Observer, Percentile) {
  Observer o(strategy("0.5percentile"), {});
  o.addBatch(collectStatistics(std::vector<float>{-8, 4}, false));
  EXPECT_EQ(o.range(8, true).min, -4);
  EXPECT_EQ(o.range(8, true).max, 2);
}

TEST(Observer, DivergenceCutsOutliers) {
  std::vector<float> values = normal(200000, 0, 1, 3);
  values[0] = 60;
  values[1] = -60;
  Observer o(strategy("kld"), {});
  o.addBatch(batchOf(values));
  FloatRange r = o.range(8, true);
  EXPECT_LT(r.max, 30);
  EXPECT_GT(r.max, 3);
  EXPECT_LT(r.min, -3);
  // 2^16 levels resolve all 2048 bins: nothing to gain.
  EXPECT_EQ(o.range(16, true).max, 60);
}

TEST(Observer, Aciq) {
  std::vector<float> values = normal(100000, 0, 1, 4);
  values[0] = 60;
  for (const char *name : {"aciq_gauss", "aciq_laplace"}) {
    Observer o(strategy(name), {});
    o.addBatch(batchOf(values));
    FloatRange r = o.range(8, true);
    EXPECT_GT(r.max, 3) << name;
    EXPECT_LT(r.max, 10) << name;
    EXPECT_EQ(r.min, -r.max) << name;
  }
}

TEST(Observer, TakesTheRangeOfTheIr) {
  Observer observer(*CalibrationStrategy::parse("in_ir"), {});
  std::vector<float> values = {-1.0f, 2.0f};
  observer.addBatch(collectStatistics(values, false));
  EXPECT_EQ(observer.range(8, true).max, 2.0f); // as extrema without one
  observer.setRangeInIr({0.5f, 6.0f});
  EXPECT_EQ(observer.range(8, true).min, 0.0f); // a range contains 0
  EXPECT_EQ(observer.range(8, true).max, 6.0f);
}

TEST(Observer, WeightedScaleLiesBetweenBothSides) {
  auto boundsOf = [](const char *text, const std::vector<float> &values,
                     bool isPart = false) {
    Observer o(strategy(text), {});
    o.addBatch(batchOf(values));
    return o.range(8, true, isPart);
  };
  // Scales of 255 / 4 and 255 / 1, a quarter of the way.
  const char *quarter = "weighted_scale_param[0.75,0,0,0]";
  FloatRange r = boundsOf(quarter, {-1, 0, 4});
  EXPECT_FLOAT_EQ(r.max, 1 / (0.75f / 4 + 0.25f / 1));
  EXPECT_EQ(r.min, -r.max);
  // The negative side reaches further: by deviation, which is 3.8 here.
  EXPECT_FLOAT_EQ(boundsOf("weighted_scale_param[0,1,0.5,1]", {-6, 0, 1}).max,
                  1);
  EXPECT_FLOAT_EQ(boundsOf("weighted_scale_param[0,1,0,100]", {-6, 0, 1}).max,
                  6);
  // Nothing negative: from 0 on, and its scale is 1.
  r = boundsOf("weighted_scale_param[1,0,0,0]", {1, 2, 4});
  EXPECT_EQ(r.min, 0);
  EXPECT_FLOAT_EQ(r.max, 4);
  r = boundsOf(quarter, {-1, 0, 4}, /*isPart=*/true);
  EXPECT_EQ(r.min, -1);
  EXPECT_EQ(r.max, 4);
}

//===----------------------------------------------------------------------===//
// Trimmed values
//===----------------------------------------------------------------------===//

static ValueTrim trimOf(const char *text) {
  std::string problem;
  auto trim = ValueTrim::parse(text, problem);
  EXPECT_TRUE(trim) << problem;
  return trim.value_or(ValueTrim());
}

TEST(ValueTrim, Spelling) {
  EXPECT_EQ(trimOf("clip(-inf, inf)").str(), "clip(-inf,inf)");
  EXPECT_FALSE(trimOf("clip(-inf, inf)").isOn());
  EXPECT_EQ(trimOf("Second( -1e4 , 10000 )").str(), "second(-10000,10000)");
  std::string problem;
  for (const char *wrong : {"", "clip", "clip(1)", "clip(2,1)", "clip(nan,1)",
                            "second(1,2", "trim(1,2)", "clip(1,2,3)"})
    EXPECT_FALSE(ValueTrim::parse(wrong, problem)) << wrong;
}

/// What the Compass Optimizer does with a whole batch at once.
static std::vector<float> trimmedBatch(std::vector<float> values,
                                       const ValueTrim &trim) {
  float lo = trim.min, hi = trim.max;
  if (trim.kind == ValueTrim::Kind::Second) {
    std::vector<float> rest = values;
    for (float &v : rest)
      if (v <= std::min(lo, 0.0f) || v >= std::max(hi, 0.0f))
        v = 0;
    lo = *std::ranges::min_element(rest);
    hi = *std::ranges::max_element(rest);
  }
  for (float &v : values)
    v = std::clamp(v, lo, hi);
  return values;
}

TEST(Observer, TrimmedSamplesAreTheTrimmedBatch) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> samples = {normal(100, 1, 2, 1),
                                             normal(50, -3, 1, 2),
                                             {-inf, -1e9f, -inf},
                                             {7, inf}};
  samples[0][7] = -1e9f;
  std::vector<float> whole;
  for (const auto &sample : samples)
    whole.insert(whole.end(), sample.begin(), sample.end());
  for (const char *text : {"second(-1e4,1e4)", "clip(-5,3)", "second(0,1e4)"}) {
    ValueTrim trim = trimOf(text);
    TensorStatistics merged;
    for (const auto &sample : samples)
      mergeStatistics(merged, collectStatistics(sample, true, trim));
    completeBatch(merged);
    for (const auto &sample : samples)
      collectDeviations(sample, merged, 64, merged, trim);
    std::vector<float> expected = trimmedBatch(whole, trim);
    TensorStatistics plain = collectStatistics(expected, true);
    collectDeviations(expected, plain, 64, plain);
    EXPECT_EQ(merged.count, plain.count) << text;
    EXPECT_EQ(merged.min, plain.min) << text;
    EXPECT_EQ(merged.max, plain.max) << text;
    EXPECT_NEAR(merged.mean, plain.mean, 1e-9) << text;
    EXPECT_NEAR(merged.squaredDeviations, plain.squaredDeviations, 1e-6);
    EXPECT_NEAR(merged.absoluteDeviations, plain.absoluteDeviations, 1e-6);
    EXPECT_EQ(merged.histogram, plain.histogram) << text;
  }
}

TEST(Observer, StateComesBack) {
  Observer first(strategy("kld"), {});
  first.addBatch(batchOf(normal(1000, 0, 1, 1)));
  first.addBatch(batchOf(normal(500, 1, 2, 2)));
  for (const char *name : {"kld", "3std", "mean", "extrema", "aciq_laplace"}) {
    Observer direct(strategy(name), {}),
        again(strategy(name), {}, first.state());
    direct.addBatch(batchOf(normal(1000, 0, 1, 1)));
    direct.addBatch(batchOf(normal(500, 1, 2, 2)));
    EXPECT_EQ(direct.range(8, true).max, again.range(8, true).max) << name;
    EXPECT_EQ(direct.range(8, true).min, again.range(8, true).min) << name;
  }
}
