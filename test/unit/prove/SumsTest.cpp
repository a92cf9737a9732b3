//===- SumsTest.cpp - What sums a convolution can have --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Sums.h"
#include "prove/StagePieces.h"

#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::prove;

static isa::Conv window(uint32_t inChannels, uint32_t outChannels) {
  isa::Conv conv;
  conv.inType = isa::ElementType::I8;
  conv.kernelY = conv.kernelX = 1;
  conv.inChannels = inChannels;
  conv.outChannels = outChannels;
  conv.groups = 1;
  return conv;
}

TEST(Sums, OfSignedWeightsAndInputs) {
  isa::Conv conv = window(3, 2);
  std::vector<uint8_t> weights = {2, uint8_t(-3), 4, 0, 0, 1};
  SumBounds bounds = sumBounds(conv, weights);
  EXPECT_EQ(bounds.channels[0].least, -128 * 6 - 127 * 3);
  EXPECT_EQ(bounds.channels[0].greatest, 127 * 6 + 128 * 3);
  EXPECT_EQ(bounds.channels[1].greatest, 127);
  EXPECT_EQ(bounds.largest, 128 * 6 + 127 * 3);
}

TEST(Sums, PaddingBeyondTheTypeCounts) {
  isa::Conv conv = window(1, 1);
  conv.inType = isa::ElementType::U8;
  conv.padValue = -10;
  EXPECT_EQ(sumBounds(conv, std::vector<uint8_t>{3}).channels[0].least, -30);
}

TEST(Sums, OfPackedWeights) {
  isa::Conv conv = window(2, 1);
  conv.packedWeights = true;
  // 7 in the low half, -8 in the high one.
  EXPECT_EQ(sumBounds(conv, std::vector<uint8_t>{0x87}).channels[0].greatest,
            127 * 7 + 128 * 8);
}

/// Random inputs stay within the bounds, and some inputs reach them: exact
/// weights 2G w (2G)^T give four times the sums of the layer.
TEST(Sums, WinogradBoundsAreThoseOfTheLayer) {
  isa::Conv conv = window(1, 1);
  conv.kernelY = conv.kernelX = 3;
  conv.winograd = isa::WinogradMode::F2x2_3x3;
  conv.winogradShift = 2;
  conv.weightType = isa::ElementType::I16;
  const int w[3][3] = {{1, -2, 3}, {0, 5, -1}, {2, 2, -7}};
  const int g[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  std::vector<uint8_t> weights(32);
  int64_t above = 0, below = 0;
  for (const auto &row : w)
    for (int value : row)
      (value > 0 ? above : below) += value;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int sum = 0;
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x)
          sum += g[i][y] * w[y][x] * g[j][x];
      weights[size_t(2 * (4 * i + j))] = uint8_t(sum);
      weights[size_t(2 * (4 * i + j) + 1)] = uint8_t(sum >> 8);
    }
  SumBounds bounds = sumBounds(conv, weights);
  EXPECT_EQ(bounds.channels[0].greatest, 127 * above - 128 * below);
  EXPECT_EQ(bounds.channels[0].least, -128 * above + 127 * below);
}

TEST(Sums, OfAProductOfTwoTensors) {
  isa::MatMul product;
  product.inner = 10;
  SumRange sums = sumBounds(product, {-128, 127}, {1, 1});
  EXPECT_EQ(sums.least, -1280);
  EXPECT_EQ(sums.greatest, 1270);
}

/// Both ends of each piece, whatever its length.
TEST(StagePieces, AreAllFound) {
  auto function = [](int64_t sum) {
    return sum < 0 ? int64_t(-1) : std::min<int64_t>(sum * 3 >> 6, 40);
  };
  std::vector<int64_t> ends, expected;
  addEndsOfPieces(-5000, 90000, function, ends);
  for (int64_t sum = -5000; sum <= 90000; ++sum) {
    bool begins = sum == -5000 || function(sum - 1) != function(sum);
    bool ends = sum == 90000 || function(sum + 1) != function(sum);
    if (begins || ends)
      expected.push_back(sum);
  }
  EXPECT_EQ(ends, expected);
  ends.clear();
  addEndsOfPieces(3, 2, function, ends);
  EXPECT_TRUE(ends.empty());
}
