//===- DistanceTest.cpp - Metrics of distances and pictures ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The figures expected are written out by hand: 3-4-5 triangles, constant
// pictures, angles.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Resize.h"
#include "test/unit/scores/Scoring.h"

#include <algorithm>

using namespace yarrow;

namespace {

Samples twoOutputs() {
  Samples samples;
  // Cosines 0.8 and 0; joined (3 0 0 1).(4 3 1 0) / (sqrt(10) sqrt(26)).
  samples.add({{{3, 0}, {2}}, {{0, 1}, {2}}}, {{{4, 3}, {2}}, {{1, 0}, {2}}});
  // Cosines 1 and, both zero, 0 or 1; joined 1.
  samples.add({{{1, 1}, {2}}, {{0, 0}, {2}}}, {{{2, 2}, {2}}, {{0, 0}, {2}}});
  return samples;
}

TEST(Cosine, OfAllOutputsJoined) {
  EXPECT_NEAR(twoOutputs().score("CosDistanceMetric"),
              (12 / std::sqrt(260.0) + 1) / 2, 1e-12);
}

TEST(Cosine, OfEachOutput) {
  Samples samples = twoOutputs();
  EXPECT_NEAR(samples.score("EachCosDistanceMetric"), (0.9 + 0.5) / 2, 1e-12);
  ASSERT_EQ(samples.byOutput.size(), 2u);
  EXPECT_NEAR(samples.byOutput[0], 0.9, 1e-12);
  EXPECT_NEAR(samples.byOutput[1], 0.5, 1e-12);
  EXPECT_NEAR(samples.score("FlattenCosDistanceMetric"), (0.9 + 0) / 2, 1e-12);
}

TEST(Cosine, FillsTheShorterUp) {
  Samples samples;
  samples.add({{{3, 4}, {2}}}, {{{3, 4, 12}, {3}}});
  EXPECT_NEAR(samples.score("OpTestCosDistanceMetric"), 25.0 / (5 * 13), 1e-12);
  EXPECT_TRUE(std::isnan(samples.score("FlattenCosDistanceMetric")));
  Samples scalar;
  scalar.add({{{2}, {}}}, {{{2}, {}}});
  scalar.add({{{2}, {}}}, {{{3}, {}}});
  EXPECT_DOUBLE_EQ(scalar.score("OpTestCosDistanceMetric"), 0.5);
}

TEST(Steps, OnlyTheFirstOnes) {
  Samples samples;
  samples.add({{{3, 0, 9, 9, 9, 9}, {3, 2}}},
              {{{4, 3, 0, 0, 1, 0}, {3, 2}}, {{1}, {}}});
  EXPECT_NEAR(samples.score("CosDistancewseqlenMetric"), 0.8, 1e-12);
  EXPECT_DOUBLE_EQ(samples.score("MaxAbsErrorwseqlenMetric"), 3);
  samples.add({{{1, 2, 3, 4, 5, 6}, {3, 2}}},
              {{{1, 2, 3, 4, 5, 6}, {3, 2}}, {{3}, {}}});
  EXPECT_NEAR(samples.score("CosDistancewseqlenMetric"), 0.9, 1e-7);
  EXPECT_DOUBLE_EQ(samples.score("MaxAbsErrorwseqlenMetric"), 1.5);
}

TEST(MaxError, OfEachOutput) {
  Samples samples = twoOutputs();
  EXPECT_DOUBLE_EQ(samples.score("MaxAbsErrorMetric"), (2 + 0.5) / 2);
  EXPECT_EQ(samples.byOutput, (std::vector<double>{2, 0.5}));
}

/// A bicubic (Keys, any A) or bilinear filter keeps constants; a plane is kept
/// by a bilinear one away from the border.
TEST(Resized, KeepsConstantsAndPlanes) {
  std::vector<float> ones(12, 1.5f), plane;
  for (auto method : {Resize::Bilinear, Resize::Bicubic})
    for (float v : resized({ones, 3, 4}, 7, 5, method))
      EXPECT_NEAR(v, 1.5f, 1e-6f);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      plane.push_back(float(10 * y + x));
  std::vector<float> large = resized({plane, 4, 4}, 8, 8, Resize::Bilinear);
  for (int y = 1; y < 7; ++y)
    for (int x = 1; x < 7; ++x)
      EXPECT_NEAR(large[8 * y + x], 10 * (y / 2.0 - 0.25) + x / 2.0 - 0.25,
                  1e-5);
  EXPECT_EQ(resized({plane, 4, 4}, 4, 4, Resize::Bicubic), plane);
}

/// The weights of a pixel in the middle of two: A = -0.75 gives
/// -0.09375, 0.59375, 0.59375, -0.09375.
TEST(Resized, HasTorchsCubic) {
  std::vector<float> line = {0, 0, 1, 0, 0, 0};
  std::vector<float> half = resized({line, 1, 6}, 1, 3, Resize::Bicubic);
  EXPECT_NEAR(half[0], -0.09375, 1e-6);
  EXPECT_NEAR(half[1], 0.59375, 1e-6);
  EXPECT_NEAR(half[2], 0, 1e-6);
}

TEST(Rmse, IsInMeters) {
  Samples samples;
  samples.add({{{2, 2, 2, 2}, {2, 2, 1}}},
              {{{5000, 5000, 5000, 5000}, {2, 2}}});
  samples.add({{{1, 1, 1, 1}, {2, 2, 1}}},
              {{{1000, 2000, 1000, 2000}, {2, 2}}});
  EXPECT_NEAR(samples.score("RMSEMetric"), (3 + std::sqrt(0.5)) / 2, 1e-6);
}

Samples pictures(float difference) {
  Samples samples;
  std::vector<float> bright(16, 200.0f), other(16, 200.0f - difference);
  samples.add({{other, {4, 4, 1}}}, {{bright, {4, 4, 1}}});
  return samples;
}

/// An error of d everywhere is a PSNR of 20 log10(255 / d).
TEST(Psnr, ScalesTheCosine) {
  EXPECT_NEAR(pictures(10).score("PsnrMetric"), 1, 1e-12);    // 28 dB
  EXPECT_NEAR(pictures(40).score("PsnrMetric"), 0.85, 1e-12); // 16 dB
  EXPECT_NEAR(pictures(120).score("PsnrMetric"), 0.1, 1e-12); // 6.5 dB
  EXPECT_NEAR(pictures(0).score("PsnrMetric"), 1, 1e-12);
}

/// V of 128 adds no red; one of 148 adds 1.4075 * 20 to both.
TEST(Psnr, AddsRedOfThreeChannels) {
  std::vector<float> output(16, 100.0f), label;
  for (int i = 0; i < 16; ++i)
    label.insert(label.end(), {i < 8 ? 100.0f : 90.0f, 148.0f, 128.0f});
  Samples samples;
  samples.add({{output, {4, 4, 1}}}, {{label, {4, 4, 3}}});
  double x = 128.15, y = 118.15;
  double cosine =
      (8 * x * x + 8 * x * y) / std::sqrt(16 * x * x * (8 * x * x + 8 * y * y));
  EXPECT_NEAR(samples.score("PsnrMetric"), cosine, 1e-9);
}

TEST(Delta1, CountsWithinAFactor) {
  Samples samples;
  samples.add({{{1, 1.2f, 1.3f, 0}, {2, 2}}}, {{{1, 1, 1, 0}, {2, 2}}});
  samples.add({{{1, 1, 1, 1}, {2, 2}}}, {{{1, 1, 4, 0}, {2, 2}}});
  EXPECT_NEAR(samples.score("delta1Metric"), (2.0 / 3 + 0.5) / 2, 1e-12);
}

} // namespace
