//===- FloatTileTest.cpp - Products of floats have one order --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatTile.h"
#include "test/Random.h"

#include <gtest/gtest.h>
#include <vector>

using namespace yarrow::kernels;
using yarrow::testing::Random;

namespace {

using Sums = std::vector<float>;

std::vector<float> drawn(Random &random, size_t count) {
  std::vector<float> values(count);
  for (float &v : values)
    v = float(int32_t(random.next())) / (1 << 28);
  return values;
}

/// Product by product, as the file's comment says.
Sums oneByOne(uint32_t width, const TileRows &x, const TileColumns &w,
              uint32_t n, Sums sums) {
  for (uint32_t row = 0; row < x.count; ++row)
    for (uint32_t c = 0; c < width; ++c) {
      float block = 0;
      for (uint32_t k = 0; k < n; ++k) {
        float product = w.first[k * w.pitch + c] * x.first[row * x.pitch + k];
        block += product;
      }
      sums[row * kTileColumns + c] += block;
    }
  return sums;
}

TEST(FloatTile, bitsDoNotDependOnTheMachine) {
  Random random(1);
  for (uint32_t width : {8u, 16u, 32u})
    for (uint32_t rows = 1; rows <= kTileRows; ++rows)
      for (uint32_t n : {1u, 2u, 9u, 64u}) {
        std::vector<float> x = drawn(random, rows * (n + 3)),
                           w = drawn(random, n * (width + 5));
        TileRows from{x.data(), n + 3, rows};
        TileColumns columns{w.data(), width + 5};
        Sums before = drawn(random, kTileRows * kTileColumns);
        Sums wanted = oneByOne(width, from, columns, n, before);
        auto expectSame = [&](const char *how, auto add) {
          Sums sums = before;
          add(width, from, columns, n, sums.data());
          EXPECT_EQ(sums, wanted) << how << ": " << rows << " rows of " << n
                                  << " terms, " << width << " columns";
        };
        expectSame("this host", addProducts);
        expectSame("1 register", addProductsIn<1>);
        expectSame("3 registers", addProductsIn<3>);
        expectSame("4 registers", addProductsIn<4>);
        expectSame("8 registers", addProductsIn<8>);
      }
}

TEST(FloatTile, widthsOfTheLastBlock) {
  EXPECT_EQ(tileWidth(1), 8u);
  EXPECT_EQ(tileWidth(9), 16u);
  EXPECT_EQ(tileWidth(17), 32u);
  EXPECT_EQ(packedColumns(32), 32u);
  EXPECT_EQ(packedColumns(33), 40u);
  EXPECT_EQ(packedColumns(64 + 20), 96u);
}

} // namespace
