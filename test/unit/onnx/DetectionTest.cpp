//===- DetectionTest.cpp - Anchors of detectors ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Detection.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace yarrow;
using ::testing::FloatNear;
using ::testing::Pointwise;

static void expectAnchor(const std::array<float, 4> &found, float y, float x,
                         float h, float w) {
  EXPECT_THAT(found,
              Pointwise(FloatNear(1e-6f), std::array<float, 4>{y, x, h, w}));
}

TEST(Detection, MakesAnchorsOfSsd) {
  graph::DetectionOptions options;
  options.featureMaps = {{19, 19}, {10, 10}, {5, 5}, {3, 3}, {2, 2}, {1, 1}};
  auto anchors = graph::ssdAnchors(options);
  ASSERT_EQ(anchors.size(), 1917u);
  float root = std::sqrt(2.0f);
  expectAnchor(anchors[0], 0.5f / 19, 0.5f / 19, 0.1f, 0.1f);
  expectAnchor(anchors[1], 0.5f / 19, 0.5f / 19, 0.2f / root, 0.2f * root);
  // The second cell of the first row; the first cell of the second map.
  expectAnchor(anchors[3], 0.5f / 19, 1.5f / 19, 0.1f, 0.1f);
  expectAnchor(anchors[1083], 0.05f, 0.05f, 0.35f, 0.35f);
  // The last one lies between the last scale and the whole image.
  float last = std::sqrt(0.95f);
  expectAnchor(anchors.back(), 0.5f, 0.5f, last, last);
}

TEST(Detection, MakesAnchorsOfSsdResnet) {
  graph::DetectionOptions options;
  options.head = graph::DetectionOptions::SsdResnet;
  options.width = options.height = 300;
  options.featureMaps = {{38, 38}, {19, 19}, {10, 10}, {5, 5}, {3, 3}, {1, 1}};
  auto anchors = graph::ssdAnchors(options);
  ASSERT_EQ(anchors.size(), 8732u);
  // Steps are 7 pixels, 42 of which are in the image.
  expectAnchor(anchors[0], 0.5f / 42, 0.5f / 42, 0.07f, 0.07f);
  expectAnchor(anchors[1], 0.5f / 42, 1.5f / 42, 0.07f, 0.07f);
  // All cells of a size before those of the next.
  float between = std::sqrt(0.07f * 0.15f), root = std::sqrt(2.0f);
  expectAnchor(anchors[1444], 0.5f / 42, 0.5f / 42, between, between);
  expectAnchor(anchors[2888], 0.5f / 42, 0.5f / 42, 0.07f / root, 0.07f * root);
  // None is larger than the image.
  for (auto &anchor : anchors)
    for (float value : anchor)
      EXPECT_LE(value, 1.0f);
}
