//===- WinogradQuantizedTest.cpp - Quantized transformed weights ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where weights are quantized after the transformation there is no direct
// convolution: the result must be that of the equivalent form without
// transforms, and of the definition.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/WinogradLayers.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

/// Even and odd output columns of 1-D F(2,3) are two ordinary convolutions
/// (docs/winograd.md, On a machine).
static Ints twoConvolutions(const Layer &layer, const Ints &w) {
  const Conv2DShape &s = layer.params.shape;
  Ints result;
  for (uint32_t n = 0; n < s.batch; ++n)
    for (uint32_t y = 0; y < s.outH; ++y)
      for (uint32_t x = 0; x < s.outW; ++x)
        for (uint32_t o = 0; o < s.outC; ++o) {
          int64_t acc = layer.bias[o];
          for (uint32_t ky = 0; ky < s.kernelH; ++ky)
            for (uint32_t c = 0; c < s.inC; ++c) {
              auto tap = [&](uint32_t j) -> int64_t {
                return w[((size_t(o) * s.kernelH + ky) * 4 + j) * s.inC + c];
              };
              int64_t even[] = {tap(0), tap(1) - tap(2),
                                tap(1) + tap(2) - tap(0)};
              int64_t odd[] = {tap(1) + tap(2) - tap(3), tap(1) - tap(2),
                               tap(3)};
              for (uint32_t kx = 0; kx < 3; ++kx)
                acc += (x % 2 ? odd : even)[kx] *
                       layer.inputAt(n, int64_t(y) + ky - s.padTop,
                                     int64_t(x) + kx - s.padLeft, c);
            }
          result.push_back(int32_t(
              std::clamp<int64_t>(acc, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max())));
        }
  return result;
}

TEST(WinogradQuantized, RowsEqualTwoConvolutions) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    Layer layer = randomLayer(random, 3, 3, kInputTypes[seed % 4]);
    setPlainResult(layer);
    const Conv2DShape &s = layer.params.shape;
    Ints w = randomInts(random, size_t(s.outC) * 12 * s.inC, {-127, 127},
                        random.oneIn(2));
    EXPECT_TRUE(runWinograd(layer, winogradAxis(1, 3), winogradAxis(2, 3),
                            DType::I8,
                            w) == packed(twoConvolutions(layer, w), DType::I32))
        << nameOf(layer, seed);
  }
}

TEST(WinogradQuantized, TapShiftsAreWeightsTimesPowersOfTwo) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    DType inType = kInputTypes[seed % 2]; // |W| << 5 times 65535 is too much
    Layer layer = randomLayer(random, 3, 3, inType);
    WinogradAxis x = winogradAxis(seed % 3 ? 2 : 4, 3);
    WinogradAxis y = seed % 5 ? x : winogradAxis(1, 3);
    const Conv2DShape &s = layer.params.shape;
    uint32_t taps = y.tile() * x.tile();
    Ints w = randomInts(random, size_t(s.outC) * taps * s.inC, {-127, 127},
                        random.oneIn(2));
    Ints shifts = randomInts(random, size_t(s.outC) * taps, {0, 5}, false);
    Ints shifted = w;
    for (size_t i = 0; i < shifted.size(); ++i)
      shifted[i] *= 1 << shifts[i / s.inC];
    uint32_t outputShift = random.below(8);
    EXPECT_TRUE(runWinograd(layer, y, x, DType::I8, w, outputShift, shifts) ==
                runWinograd(layer, y, x, DType::I16, shifted, outputShift))
        << nameOf(layer, seed);
  }
}

/// The definition, output by output: the sum over taps and tile cells of
/// A^T (W << shift) (B^T d B) A in 64 bits.
static Ints byDefinition(const Layer &layer, const WinogradAxis &y,
                         const WinogradAxis &x, const Ints &w,
                         const Ints &shifts, uint32_t outputShift) {
  const Conv2DShape &s = layer.params.shape;
  uint32_t taps = y.tile() * x.tile();
  Ints result;
  for (uint32_t n = 0; n < s.batch; ++n)
    for (uint32_t row = 0; row < s.outH; ++row)
      for (uint32_t column = 0; column < s.outW; ++column)
        for (uint32_t o = 0; o < s.outC; ++o) {
          int64_t top = int64_t(row - row % y.outputs) - s.padTop;
          int64_t left = int64_t(column - column % x.outputs) - s.padLeft;
          int64_t sum = 0;
          for (uint32_t t = 0; t < taps; ++t) {
            uint32_t ty = t / x.tile(), tx = t % x.tile();
            int64_t product = 0;
            for (uint32_t c = 0; c < s.inC; ++c) {
              int64_t v = 0;
              for (uint32_t ky = 0; ky < y.tile(); ++ky)
                for (uint32_t kx = 0; kx < x.tile(); ++kx)
                  v += y.inputTransform[ty][ky] * x.inputTransform[tx][kx] *
                       layer.inputAt(n, top + ky, left + kx, c);
              product += v * w[(size_t(o) * taps + t) * s.inC + c];
            }
            sum += y.outputTransform[row % y.outputs][ty] *
                   x.outputTransform[column % x.outputs][tx] *
                   (product << shifts[size_t(o) * taps + t]);
          }
          int64_t acc = (sum >> outputShift) + layer.bias[o];
          result.push_back(int32_t(
              std::clamp<int64_t>(acc, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max())));
        }
  return result;
}

TEST(WinogradQuantized, EqualsTheDefinition) {
  // Weights of all 16 bits, all input types, tiles of any size: 16-bit
  // transformed inputs and wider ones.
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    WinogradAxis y = winogradAxis(1 + random.below(4), 1 + random.below(3));
    WinogradAxis x = winogradAxis(1 + random.below(4), 1 + random.below(3));
    Layer layer =
        randomLayer(random, y.kernel, x.kernel, kInputTypes[seed % 4]);
    setPlainResult(layer);
    const Conv2DShape &s = layer.params.shape;
    DType weightType = random.of({DType::I8, DType::I16});
    uint32_t taps = y.tile() * x.tile();
    Ints w = randomInts(random, size_t(s.outC) * taps * s.inC,
                        limitsOf(weightType), random.oneIn(2));
    Ints shifts = randomInts(random, size_t(s.outC) * taps, {0, 5}, false);
    uint32_t outputShift = random.below(8);
    EXPECT_TRUE(
        runWinograd(layer, y, x, weightType, w, outputShift, shifts) ==
        packed(byDefinition(layer, y, x, w, shifts, outputShift), DType::I32))
        << nameOf(layer, seed);
  }
}

TEST(WinogradQuantized, LargestSums) {
  // uint8 inputs at their end, which the centre of a tile adds up to 4 * 255
  // or 36 * 255, against the smallest 16-bit weights, over more channels than
  // one 32-bit sum takes. All outputs of the tile get that sum alone.
  for (auto [outputs, gain] : {std::pair(2u, 4), std::pair(4u, 36)}) {
    Layer layer;
    setPlainResult(layer);
    uint32_t tile = outputs + 2;
    layer.params.inType = DType::U8;
    layer.params.shape = {.inH = tile, .inW = tile, .inC = 200};
    layer.params.shape.outH = layer.params.shape.outW = outputs;
    layer.params.shape.kernelH = layer.params.shape.kernelW = 3;
    layer.params.requant.shift = 20;
    layer.input.assign(size_t(tile) * tile * 200, 255);
    layer.bias = {0};
    WinogradAxis f = winogradAxis(outputs, 3);
    std::vector<uint8_t> result = runWinograd(
        layer, f, f, DType::I16, Ints(size_t(tile) * tile * 200, -32768));
    int64_t sum = -int64_t(32768) * gain * 255 * 200;
    EXPECT_EQ(sum % (1 << 20), 0);
    EXPECT_TRUE(result == packed(Ints(size_t(outputs) * outputs,
                                      int32_t(sum / (1 << 20))),
                                 DType::I32));
  }
}

TEST(WinogradQuantized, ShiftsOfTheResultRoundDown) {
  // One cell, one channel: acc = (w0 * x) >> 2, then the bias.
  Layer layer;
  setPlainResult(layer);
  layer.params.shape = {.inW = 3, .outW = 1, .kernelW = 3};
  layer.bias = {10};
  WinogradAxis one = winogradAxis(1, 1), f = winogradAxis(2, 3);
  for (int32_t x : {-5, -4, -1, 0, 3, 7}) {
    layer.input = {x, 0, 0};
    std::vector<uint8_t> y =
        runWinograd(layer, one, f, DType::I8, {1, 0, 0, 0}, 2);
    int32_t value;
    std::memcpy(&value, y.data(), sizeof(value));
    EXPECT_EQ(value, int32_t(std::floor(x / 4.0)) + 10) << x;
  }
}
