//===- SegmentationTest.cpp - Metrics of a class per pixel ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/scores/Scoring.h"

#include <random>

using namespace yarrow;

namespace {

struct Case {
  std::vector<float> given, wanted; ///< Classes of 4 x 5 pixels.
};

constexpr int kHeight = 4, kWidth = 5, kClasses = 3;

std::vector<Case> cases() {
  std::mt19937 random(3);
  std::vector<Case> all(6);
  for (Case &c : all)
    for (int i = 0; i < kHeight * kWidth; ++i) {
      c.given.push_back(float(random() % kClasses));
      // 255 is no class, and left out.
      c.wanted.push_back(random() % 7 == 0   ? 255
                         : random() % 3 == 0 ? float(random() % kClasses)
                                             : c.given.back());
    }
  return all;
}

/// Pixels that are in both, and in any, counted one by one.
double meanIou() {
  double sum = 0;
  for (int c = 0; c < kClasses; ++c) {
    double both = 0, any = 0;
    for (const Case &one : cases())
      for (std::size_t i = 0; i < one.given.size(); ++i) {
        if (one.wanted[i] >= kClasses)
          continue;
        both += one.given[i] == float(c) && one.wanted[i] == float(c);
        any += one.given[i] == float(c) || one.wanted[i] == float(c);
      }
    sum += both / any;
  }
  return sum / kClasses;
}

double f1() {
  double hit = 0, given = 0, wanted = 0;
  for (const Case &one : cases())
    for (std::size_t i = 0; i < one.given.size(); ++i) {
      if (one.wanted[i] >= kClasses)
        continue;
      hit += one.given[i] == 1 && one.wanted[i] == 1;
      given += one.given[i] == 1;
      wanted += one.wanted[i] == 1;
    }
  return 2 * hit / (given + wanted);
}

/// Scores whose largest is the class.
Samples scored(bool channelsFirst) {
  Samples samples;
  for (const Case &one : cases()) {
    TestTensor output{{}, {kHeight, kWidth, kClasses}};
    if (channelsFirst)
      output.shape = {kClasses, kHeight, kWidth};
    std::size_t pixels = one.given.size();
    output.values.resize(pixels * kClasses);
    for (std::size_t i = 0; i < pixels; ++i)
      for (std::size_t c = 0; c < kClasses; ++c)
        output.values[channelsFirst ? c * pixels + i : i * kClasses + c] =
            one.given[i] == float(c) ? 2.0f : -float(c);
    samples.add({output}, {{one.wanted, {kHeight, kWidth}}});
  }
  return samples;
}

TEST(Segmentation, IsMeanIntersectionOverUnion) {
  EXPECT_NEAR(scored(false).score("mIoUMetric"), meanIou(), 1e-12);
  EXPECT_NEAR(scored(true).score("mIoUNCHWMetric"), meanIou(), 1e-12);
  Samples chosen;
  for (const Case &one : cases())
    chosen.add({{one.given, {kHeight, kWidth}}},
               {{one.wanted, {kHeight, kWidth, 1}}});
  EXPECT_NEAR(chosen.score("mIoUafterargmaxMetric", {"3", "NCHW"}), meanIou(),
              1e-12);
}

TEST(Segmentation, HasF1OfClassOne) {
  EXPECT_NEAR(scored(false).score("F1scoreMetric"), f1(), 1e-12);
  EXPECT_NEAR(scored(true).score("F1scoreMetric", {"NCHW"}), f1(), 1e-12);
}

/// Twice as large, a picture of two halves keeps them.
TEST(Segmentation, ResizesScores) {
  Samples samples;
  std::vector<float> left = {1, 0, 1, 0}, right = {0, 1, 0, 1}, wanted;
  TestTensor output{left, {2, 2, 2}};
  output.values.insert(output.values.end(), right.begin(), right.end());
  for (int i = 0; i < 16; ++i)
    wanted.push_back(i % 4 < 2 ? 0 : 1);
  wanted[0] = 1;
  samples.add({output}, {{wanted, {4, 4}}});
  // Class 0: 7 of 8; class 1: 8 of 9; the third one labels have not.
  EXPECT_NEAR(samples.score("mIoUwithresizeMetric", {"3", "4"}),
              (7.0 / 8 + 8.0 / 9) / 2, 1e-12);
}

TEST(Segmentation, RefusesOtherShapes) {
  Samples samples;
  samples.add({{{1, 2}, {2}}}, {{{1}, {}}});
  EXPECT_TRUE(std::isnan(samples.score("mIoUMetric")));
  EXPECT_EQ(samples.problem, "an output [height,width,classes]");
}

} // namespace
