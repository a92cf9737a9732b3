//===- MacGradientTest.cpp - Slopes against differences -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/MacGradient.h"

#include "test/unit/quantizer/ConvNetwork.h"

#include <numeric>

using namespace yarrow;

namespace {

/// Different numbers around 0.
std::vector<float> wave(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = std::sin(step * float(i + 1));
  return values;
}

/// Holds the slopes of sum(y * byY) to its differences, one number moved at a
/// time. The sum is linear in each of them.
void expectSlopes(const Im2col &map) {
  std::vector<float> x = wave(map.inputElements(), 0.7f);
  std::vector<float> weights = wave(map.outputs() * map.terms(), 0.3f);
  std::vector<float> biases = wave(map.outputs(), 1.1f);
  std::vector<float> byY = wave(map.pixels() * map.outputs(), 0.9f);
  std::vector<float> byX(x.size()), byWeights(weights.size()),
      byBiases(biases.size());
  macBackward(map, x, weights, byY, {byX, byWeights, byBiases});
  auto loss = [&] {
    std::vector<float> y(byY.size());
    macForward(map, x, weights, biases, y);
    return std::inner_product(y.begin(), y.end(), byY.begin(), 0.0);
  };
  auto expect = [&](std::vector<float> &values, const std::vector<float> &by) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      float kept = values[i];
      values[i] = kept + 0.5f;
      double more = loss();
      values[i] = kept - 0.5f;
      EXPECT_NEAR(more - loss(), by[i], 1e-3 * (1 + std::fabs(by[i])));
      values[i] = kept;
    }
  };
  expect(x, byX);
  expect(weights, byWeights);
  expect(biases, byBiases);
}

} // namespace

TEST(MacGradient, SlopesOfAConvolutionAreItsDifferences) {
  ConvCase c{.height = 5, .width = 4, .channels = 3, .outputs = 2, .stride = 2};
  TestNetwork net(networkOf(c));
  expectSlopes(Im2col(net.find("convolution")));
}

TEST(MacGradient, GroupsAndDilationsToo) {
  ConvCase c{.height = 6,
             .width = 5,
             .channels = 4,
             .outputs = 6,
             .group = 2,
             .dilation = 2,
             .padTop = 0};
  TestNetwork net(networkOf(c));
  expectSlopes(Im2col(net.find("convolution")));
}

TEST(MacGradient, WantedSlopesAlone) {
  ConvCase c{.height = 4, .width = 4, .channels = 2, .outputs = 2};
  TestNetwork net(networkOf(c));
  Im2col map(net.find("convolution"));
  std::vector<float> x = wave(map.inputElements(), 0.7f),
                     weights = wave(map.outputs() * map.terms(), 0.3f),
                     byY = wave(map.pixels() * map.outputs(), 0.9f);
  std::vector<float> byX(x.size()), all(weights.size()), some(weights.size()),
      byBiases(2), again(2);
  macBackward(map, x, weights, byY, {byX, all, byBiases});
  macBackward(map, x, weights, byY, {{}, some, again});
  EXPECT_EQ(all, some);
  EXPECT_EQ(byBiases, again);
}
