//===- LowTailTest.cpp - Values that lie far below all others -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/masks/LowTail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace yarrow;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

LowTail tailOf(std::vector<float> values) {
  LowTail tail;
  tail.add(values);
  return tail;
}

TEST(LowTail, GapsFromZeroDown) {
  LowTail tail =
      tailOf({-3, 0.5f, 2, -10000, -9990, -kInfinity, std::nanf("")});
  auto gaps = tail.gaps();
  ASSERT_EQ(gaps.size(), 3u);
  EXPECT_EQ(gaps[0].above, 0.5f); // of what is not below 0
  EXPECT_EQ(gaps[0].below, -3);
  EXPECT_EQ(gaps[1].above, -3);
  EXPECT_EQ(gaps[1].below, -9990);
  EXPECT_EQ(gaps[2].above, -10000);
  EXPECT_EQ(gaps[2].below, -kInfinity);
  EXPECT_EQ(tail.least(), -kInfinity);
  EXPECT_EQ(tail.most(), 2);
}

// Powers of two next to each other have none, however few values there are.
TEST(LowTail, NeighboursHaveNoGap) {
  EXPECT_TRUE(tailOf({-1, -2, -4, -8}).gaps().empty());
  EXPECT_EQ(tailOf({-1, -4}).gaps().size(), 1u);
}

TEST(LowTail, PartsMergeToTheWhole) {
  LowTail whole = tailOf({1, -6, -70, -5000}), parts = tailOf({-70, 1});
  parts.merge(tailOf({-5000, -6}));
  ASSERT_EQ(parts.gaps().size(), whole.gaps().size());
  for (std::size_t i = 0; i < whole.gaps().size(); ++i) {
    EXPECT_EQ(parts.gaps()[i].below, whole.gaps()[i].below);
    EXPECT_EQ(parts.gaps()[i].above, whole.gaps()[i].above);
  }
  EXPECT_TRUE(LowTail().isEmpty());
  EXPECT_FALSE(parts.isEmpty());
}

} // namespace
