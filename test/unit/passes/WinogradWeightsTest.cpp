//===- WinogradWeightsTest.cpp - The convolutions behind a Winograd layer -===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/winograd/Weights.h"
#include "test/Random.h"

#include <gtest/gtest.h>

using namespace yarrow;
using kernels::DType;
using yarrow::testing::Random;

namespace {

/// Values of a type with a view of them.
template <typename T> struct Weights {
  std::vector<T> values;
  compass::ConstantView view;

  Weights(std::vector<T> data, llvm::ArrayRef<int64_t> shape)
      : values(std::move(data)) {
    view.dtype = sizeof(T) == 1 ? DType::I8 : DType::I16;
    view.shape.assign(shape.begin(), shape.end());
    view.bytes = {reinterpret_cast<const char *>(values.data()),
                  values.size() * sizeof(T)};
  }
};

template <typename T>
std::vector<T> randomValues(Random &random, size_t count, int low, int high) {
  std::vector<T> values(count);
  for (T &v : values) {
    int drawn = low + int(random.below(uint32_t(high - low + 1)));
    v = T(drawn);
  }
  return values;
}

/// y = A^T [W . (B^T d)] of one tile, as published.
std::vector<int64_t> tileOutputs(const WinogradMatrices &f,
                                 const std::vector<int64_t> &weights,
                                 const std::vector<int64_t> &tile) {
  std::vector<int64_t> outputs(f.outputs);
  for (unsigned t = 0; t < f.tile(); ++t) {
    int64_t value = 0;
    for (unsigned k = 0; k < f.tile(); ++k)
      value += f.bt(t, k).num * tile[k];
    for (unsigned i = 0; i < f.outputs; ++i)
      outputs[i] += f.at(i, t).num * weights[t] * value;
  }
  return outputs;
}

} // namespace

// The two convolutions of F(2,3), as they are derived by hand: K0 = [W0, W1-W2,
// W1+W2-W0], K1 = [W1+W2-W3, W1-W2, W3].
TEST(WinogradWeights, TwoConvolutionsOfF23) {
  WinogradPhases rows = phasesOf(winogradMatrices(1, 1));
  WinogradPhases columns = phasesOf(winogradMatrices(2, 3));
  EXPECT_EQ(columns.window, 3u);
  EXPECT_EQ(columns.start, (std::vector<unsigned>{0, 1}));
  Weights<int8_t> w({100, -127, 90, 127}, {1, 1, 4, 1});
  EXPECT_EQ(phaseWeights(rows, columns, w.view, {}, 0),
            (std::vector<int16_t>{100, -217, -137, -164, -217, 127}));
}

// Rows of the 1-D form are summed as they are: one phase, all of the window.
TEST(WinogradWeights, RowsOfTheOneDimensionalForm) {
  WinogradPhases rows = phasesOf(winogradMatrices(1, 3));
  EXPECT_EQ(rows.count, 1u);
  EXPECT_EQ(rows.window, 3u);
  for (unsigned cell = 0; cell < 3; ++cell)
    for (unsigned tap = 0; tap < 3; ++tap)
      EXPECT_EQ(rows.factor(0, cell, tap), cell == tap);
}

// Every phase of the exact weights is four times the direct filter.
TEST(WinogradWeights, ExactWeightsGiveTheFilterBack) {
  Random random(1);
  constexpr int64_t outputs = 3, channels = 5;
  for (int i = 0; i < 20; ++i) {
    std::vector<int8_t> filter =
        randomValues<int8_t>(random, outputs * 9 * channels, -128, 127);
    if (i == 0)
      std::fill(filter.begin(), filter.end(), -128);
    Weights<int8_t> direct(filter, {outputs, 3, 3, channels});
    std::vector<int16_t> transformed = exactWeights(direct.view);
    for (int16_t w : transformed)
      EXPECT_TRUE(w >= -2048 && w < 2048) << w;
    Weights<int16_t> exact(transformed, {outputs, 4, 4, channels});
    WinogradPhases f = phasesOf(winogradMatrices(2, 3));
    auto phases = phaseWeights(f, f, exact.view, {}, /*outputShift=*/2);
    ASSERT_TRUE(phases);
    ASSERT_EQ(phases->size(), 4 * filter.size());
    for (size_t k = 0; k < phases->size(); ++k)
      EXPECT_EQ((*phases)[k], filter[k % filter.size()]) << k;
  }
}

// Any F(m,r) with whole transforms: the filters of the phases on a tile give
// what the transforms give.
TEST(WinogradWeights, PhasesComputeTheTile) {
  Random random(2);
  WinogradPhases plain = phasesOf(winogradMatrices(1, 1));
  for (auto [outputs, kernel] :
       {std::pair(2u, 3u), {3u, 2u}, {2u, 2u}, {4u, 3u}, {1u, 4u}, {2u, 5u}}) {
    WinogradMatrices f = winogradMatrices(outputs, kernel);
    ASSERT_TRUE(f.isIntegral());
    WinogradPhases phases = phasesOf(f);
    for (int i = 0; i < 20; ++i) {
      auto weights = randomValues<int8_t>(random, f.tile(), -127, 127);
      auto tile = randomValues<int64_t>(random, f.tile(), -128, 255);
      auto shifts = randomValues<uint8_t>(random, f.tile(), 0, 2);
      Weights<int8_t> w(weights, {1, 1, int64_t(f.tile()), 1});
      auto filters = phaseWeights(plain, phases, w.view, shifts, 0);
      ASSERT_TRUE(filters);
      std::vector<int64_t> shifted(f.tile());
      for (unsigned t = 0; t < f.tile(); ++t)
        shifted[t] = int64_t(weights[t]) << shifts[t];
      std::vector<int64_t> expected = tileOutputs(f, shifted, tile);
      for (unsigned p = 0; p < outputs; ++p) {
        int64_t sum = 0;
        for (unsigned k = 0; k < phases.window; ++k)
          sum += (*filters)[p * phases.window + k] * tile[phases.start[p] + k];
        EXPECT_EQ(sum, expected[p])
            << "F(" << outputs << "," << kernel << ") output " << p;
      }
    }
  }
}

TEST(WinogradWeights, NotOf16Bits) {
  WinogradPhases rows = phasesOf(winogradMatrices(1, 1));
  WinogradPhases columns = phasesOf(winogradMatrices(2, 3));
  // W1 + W2 - W0 is 32768 or 32767.
  Weights<int16_t> w({0, 16384, 16384, 0}, {1, 1, 4, 1});
  EXPECT_FALSE(phaseWeights(rows, columns, w.view, {}, 0));
  EXPECT_TRUE(phaseWeights(rows, columns, w.view, {}, 1));
  Weights<int16_t> less({0, 16384, 16383, 0}, {1, 1, 4, 1});
  EXPECT_TRUE(phaseWeights(rows, columns, less.view, {}, 0));
}

TEST(WinogradWeights, NoMultiplesOfTheOutputShift) {
  WinogradPhases rows = phasesOf(winogradMatrices(1, 1));
  WinogradPhases columns = phasesOf(winogradMatrices(2, 3));
  Weights<int8_t> w({3, 4, 4, 8}, {1, 1, 4, 1});
  EXPECT_FALSE(phaseWeights(rows, columns, w.view, {}, 1));
  Weights<int8_t> even({2, 4, 4, 8}, {1, 1, 4, 1});
  EXPECT_EQ(phaseWeights(rows, columns, even.view, {}, 1),
            (std::vector<int16_t>{1, 0, 3, 0, 0, 4}));
}
