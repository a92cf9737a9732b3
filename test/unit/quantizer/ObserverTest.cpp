//===- ObserverTest.cpp - Ranges from data --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Observer.h"

#include <cmath>
#include <gmock/gmock.h>
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
