//===- WinogradExactTest.cpp - Winograd equals direct sums ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where weights transform without a remainder the kernel's result must be that
// of direct convolution to the last bit, for all shapes, types and extreme
// values; and the widths that make the form possible in hardware.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/WinogradLayers.h"

#include <algorithm>
#include <array>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {

/// Rows of factor * G.
using Rows = std::vector<std::vector<int64_t>>;

/// W[o][ty][tx][c] = (rowsY g rowsX^T), which must fit int16.
Ints transformed(const Layer &layer, const Rows &rowsY, const Rows &rowsX) {
  const Conv2DShape &s = layer.params.shape;
  Ints result;
  for (uint32_t o = 0; o < s.outC; ++o)
    for (const auto &rowY : rowsY)
      for (const auto &rowX : rowsX)
        for (uint32_t c = 0; c < s.inC; ++c) {
          int64_t sum = 0;
          for (uint32_t y = 0; y < s.kernelH; ++y)
            for (uint32_t x = 0; x < s.kernelW; ++x)
              sum += rowY[y] * rowX[x] * layer.weightAt(o, y, x, c);
          EXPECT_LE(std::abs(sum), 32767);
          result.push_back(int32_t(sum));
        }
  return result;
}

/// H = 2 G of F(2,3).
const Rows kTwiceG23 = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
const Rows kPlain3 = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
/// 24 G of F(4,3).
const Rows k24G43 = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                     {1, 2, 4}, {1, -2, 4},   {0, 0, 24}};

} // namespace

//===----------------------------------------------------------------------===//
// The exact form
//===----------------------------------------------------------------------===//

TEST(WinogradExact, EqualsDirectConvolution2D) {
  // W = H g H^T with H = 2G: the result is 4y for every layer.
  for (uint64_t seed = 1; seed <= 100; ++seed)
    for (DType inType : kInputTypes) {
      Random random(seed * 4 + uint64_t(inType));
      Layer layer = randomLayer(random, 3, 3, inType);
      WinogradAxis f = winogradAxis(2, 3);
      Ints w = transformed(layer, kTwiceG23, kTwiceG23);
      EXPECT_TRUE(runWinograd(layer, f, f, DType::I16, w, 2) ==
                  runDirect(layer, DType::I8))
          << nameOf(layer, seed);
    }
}

TEST(WinogradExact, EqualsDirectConvolution1D) {
  // Rows of any number are added up; the result is 2y.
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    uint32_t rows = 1 + random.below(8);
    Layer layer = randomLayer(random, rows, 3, kInputTypes[seed % 4]);
    Rows plain(rows, std::vector<int64_t>(rows));
    for (uint32_t i = 0; i < rows; ++i)
      plain[i][i] = 1;
    EXPECT_TRUE(runWinograd(layer, winogradAxis(1, rows), winogradAxis(2, 3),
                            DType::I16, transformed(layer, plain, kTwiceG23),
                            1) == runDirect(layer, DType::I8))
        << nameOf(layer, seed);
  }
}

TEST(WinogradExact, LargerTiles) {
  // F(4,3) with weights that are multiples of 24, and in two dimensions of 576
  // = 24^2: G g and G g G^T are whole.
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    bool is2D = seed % 2;
    Layer layer = randomLayer(random, 3, 3, kInputTypes[seed / 2 % 4]);
    int32_t unit = is2D ? 576 : 24, most = is2D ? 1 : 50;
    for (int32_t &w : layer.weights)
      w %= most + 1;
    WinogradAxis f43 = winogradAxis(4, 3);
    Ints w = is2D ? transformed(layer, k24G43, k24G43)
                  : transformed(layer, kPlain3, k24G43);
    std::vector<uint8_t> result =
        runWinograd(layer, is2D ? f43 : winogradAxis(1, 3), f43, DType::I16, w);
    for (int32_t &w : layer.weights)
      w *= unit;
    EXPECT_TRUE(result == runDirect(layer, DType::I16)) << nameOf(layer, seed);
  }
}

TEST(WinogradExact, OtherTiles) {
  // Different sizes along the axes: F(3 x 2, 1 x 3), where one weight per row
  // meets every input.
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Layer layer = randomLayer(random, 1, 3, kInputTypes[seed % 4]);
    Rows ones(3, {1});
    EXPECT_TRUE(runWinograd(layer, winogradAxis(3, 1), winogradAxis(2, 3),
                            DType::I16, transformed(layer, ones, kTwiceG23),
                            1) == runDirect(layer, DType::I8))
        << nameOf(layer, seed);
  }
}

//===----------------------------------------------------------------------===//
// Widths (docs/machine.md, Winograd mode)
//===----------------------------------------------------------------------===//

TEST(WinogradWidths, Weights) {
  // |H g H^T| <= 127 * outer([2,3,3,2], [2,3,3,2]): 12 bits with a sign; and
  // every corner, edge and centre reaches its bound.
  Layer layer;
  layer.params.shape.kernelH = layer.params.shape.kernelW = 3;
  std::array<int32_t, 16> most = {};
  for (uint32_t signs = 0; signs < 1u << 9; ++signs) {
    layer.weights.clear();
    for (uint32_t k = 0; k < 9; ++k)
      layer.weights.push_back(signs >> k & 1 ? 127 : -127);
    Ints u = transformed(layer, kTwiceG23, kTwiceG23);
    for (uint32_t t = 0; t < 16; ++t)
      most[t] = std::max(most[t], std::abs(u[t]));
  }
  constexpr int32_t kSums[] = {2, 3, 3, 2};
  for (uint32_t t = 0; t < 16; ++t)
    EXPECT_EQ(most[t], 127 * kSums[t / 4] * kSums[t % 4]) << t;
  EXPECT_EQ(*std::max_element(most.begin(), most.end()), 1143);
}

/// Least and greatest (B^T d B)[ty][tx] for inputs in \p limits.
static Limits rangeOfTap(const WinogradAxis &y, const WinogradAxis &x,
                         uint32_t ty, uint32_t tx, Limits limits) {
  Limits range = {0, 0};
  for (uint32_t ky = 0; ky < y.tile(); ++ky)
    for (uint32_t kx = 0; kx < x.tile(); ++kx) {
      int32_t factor = y.inputTransform[ty][ky] * x.inputTransform[tx][kx];
      range.low += std::min(factor * limits.low, factor * limits.high);
      range.high += std::max(factor * limits.low, factor * limits.high);
    }
  return range;
}

TEST(WinogradWidths, Inputs) {
  // 9 bits from int8 rows, 10 from tiles and from uint8 rows, 11 from uint8
  // tiles; the engine takes 128 from uint8 inputs, which makes int8 of them.
  struct Expected {
    DType type;
    Limits rows, tiles;
  };
  constexpr Expected cases[] = {{DType::I8, {-256, 255}, {-512, 510}},
                                {DType::U8, {-255, 510}, {-510, 1020}}};
  WinogradAxis f = winogradAxis(2, 3), plain = winogradAxis(1, 3);
  for (const Expected &e : cases)
    for (const WinogradAxis &y : {plain, f}) {
      Limits most = {0, 0};
      for (uint32_t ty = 0; ty < y.tile(); ++ty)
        for (uint32_t tx = 0; tx < 4; ++tx) {
          Limits range = rangeOfTap(y, f, ty, tx, limitsOf(e.type));
          most.low = std::min(most.low, range.low);
          most.high = std::max(most.high, range.high);
        }
      const Limits &expected = y.outputs == 1 ? e.rows : e.tiles;
      EXPECT_EQ(most.low, expected.low);
      EXPECT_EQ(most.high, expected.high);
    }
}

TEST(WinogradWidths, ProductsAndSums) {
  // 21 bits with int8, 22 with uint8; and so many channels fit 32 bits whatever
  // the values are.
  struct Expected {
    DType type;
    int32_t product, channels;
  };
  constexpr Expected cases[] = {{DType::I8, 585216, 3669},
                                {DType::U8, 1165860, 1841}};
  constexpr int32_t kSums[] = {2, 3, 3, 2};
  WinogradAxis f = winogradAxis(2, 3);
  for (const Expected &e : cases) {
    int32_t product = 0;
    for (uint32_t ty = 0; ty < 4; ++ty)
      for (uint32_t tx = 0; tx < 4; ++tx) {
        Limits v = rangeOfTap(f, f, ty, tx, limitsOf(e.type));
        product = std::max(product, 127 * kSums[ty] * kSums[tx] *
                                        std::max(-v.low, v.high));
      }
    EXPECT_EQ(product, e.product);
    EXPECT_EQ(std::numeric_limits<int32_t>::max() / product, e.channels);
  }
}

TEST(WinogradWidths, ExtremeSums) {
  // All weights and inputs at their ends, as many channels as int32 sums take:
  // every output in the middle is 9 * channels * 127 * 255.
  Layer layer;
  Conv2DShape &s = layer.params.shape;
  s = {.inH = 5, .inW = 5, .inC = 1841, .outH = 5, .outW = 5, .outC = 2};
  s.kernelH = s.kernelW = 3, s.padTop = s.padLeft = 1;
  layer.params.inType = DType::U8;
  layer.params.requant.outType = DType::I32;
  layer.params.requant.lo = std::numeric_limits<int32_t>::min();
  layer.params.requant.hi = std::numeric_limits<int32_t>::max();
  layer.input.assign(size_t(25) * s.inC, 255);
  layer.weights.assign(size_t(9) * s.inC, 127);
  layer.weights.resize(size_t(18) * s.inC, -127);
  layer.bias = {0, 0};
  WinogradAxis f = winogradAxis(2, 3);
  std::vector<uint8_t> result = runWinograd(
      layer, f, f, DType::I16, transformed(layer, kTwiceG23, kTwiceG23), 2);
  EXPECT_TRUE(result == runDirect(layer, DType::I8));
  int32_t middle[2];
  std::memcpy(middle, result.data() + 12 * sizeof(middle), sizeof(middle));
  EXPECT_EQ(middle[0], 9 * 1841 * 127 * 255);
  EXPECT_EQ(middle[1], -9 * 1841 * 127 * 255);
}
