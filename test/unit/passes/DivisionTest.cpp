//===- DivisionTest.cpp - Layers among several cores ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/Division.h"
#include "support/Diagnostics.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;

namespace {

isa::Machine threeCores() {
  DiagnosticEngine diags;
  return *isa::findTarget("X2_1204MP3", diags);
}

/// As many channels in as out.
struct Layer : ConvLayer {
  Layer(uint32_t rows, uint32_t channels) {
    outH = rows;
    inC = outC = channels;
  }
};

} // namespace

TEST(Division, RowsAreDividedEvenly) {
  auto ranges = rangesOf(Layer(7, 64), 3, DivideBy::Rows, threeCores());
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].rows(), 3u); // the first is the largest
  EXPECT_EQ(ranges[1].rows(), 3u);
  EXPECT_EQ(ranges[2].rows(), 1u);
  EXPECT_EQ(ranges[2].endRow, 7u);
  EXPECT_EQ(ranges[2].channels(), 64u);
}

TEST(Division, RowsOfTilesStayTogether) {
  Layer layer(10, 64);
  layer.tileRows = 4;
  auto ranges = rangesOf(layer, 3, DivideBy::Rows, threeCores());
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].rows(), 4u);
  EXPECT_EQ(ranges[2].row, 8u);
  EXPECT_EQ(ranges[2].rows(), 2u);
}

TEST(Division, ChannelsAreDividedInBlocksOfOutputLanes) {
  auto ranges = rangesOf(Layer(7, 40), 3, DivideBy::Channels, threeCores());
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].channels(), 16u);
  EXPECT_EQ(ranges[2].channels(), 8u);
  EXPECT_EQ(ranges[2].rows(), 7u);
}

TEST(Division, WhatIsTooSmallIsNotDivided) {
  EXPECT_EQ(rangesOf(Layer(7, 16), 3, DivideBy::Channels, threeCores()).size(),
            1u);
  EXPECT_EQ(rangesOf(Layer(1, 64), 3, DivideBy::Rows, threeCores()).size(), 1u);
}
