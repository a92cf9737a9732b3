//===- ChunksTest.cpp - Sums of many products in parts --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace yarrow::sim;
using ::testing::ElementsAre;

namespace {
/// A part: pairs before it, then offset and pairs of each segment.
using Part = std::vector<int64_t>;

std::vector<Part> partsOf(std::vector<GemmSegment> segments,
                          uint32_t maxPairs) {
  std::vector<Part> parts;
  forEachChunk(segments, maxPairs,
               [&](std::span<const GemmSegment> part, uint32_t before) {
                 Part &to = parts.emplace_back(Part{before});
                 for (GemmSegment s : part)
                   to.insert(to.end(), {s.offset, s.pairs});
               });
  return parts;
}
} // namespace

TEST(Chunks, SegmentsAreCutWhereAPartIsFull) {
  EXPECT_TRUE(partsOf({}, 4).empty());
  EXPECT_TRUE(partsOf({{7, 0}}, 4).empty());
  EXPECT_THAT(partsOf({{10, 3}}, 4), ElementsAre(Part{0, 10, 3}));
  EXPECT_THAT(partsOf({{10, 3}, {50, 1}}, 4),
              ElementsAre(Part{0, 10, 3, 50, 1}));
  EXPECT_THAT(
      partsOf({{10, 3}, {50, 6}}, 4),
      ElementsAre(Part{0, 10, 3, 50, 1}, Part{4, 52, 4}, Part{8, 60, 1}));
  EXPECT_THAT(partsOf({{10, 8}}, 4),
              ElementsAre(Part{0, 10, 4}, Part{4, 18, 4}));
}
