//===- PeaksTest.cpp - What a tensor's peaks are found by -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/rules/ComparedLayers.h"
#include "test/unit/quantizer/TestNetwork.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// A heat map that \p question asks something of.
std::string heatMap(const std::string &question) {
  return R"(
func.func @main() -> tensor<1x6x6x1xui8> {
  %x = compass.input() : () -> tensor<1x6x6x1xf32> loc("input")
  %c = compass.convolution(%x) {
    weights = dense<[[[[0.5]]]]> : tensor<1x1x1x1xf32>, biases = dense<[0.1]> : tensor<1xf32>
  } : (tensor<1x6x6x1xf32>) -> tensor<1x6x6x1xf32> loc("conv")
  %s = compass.activation(%c) {method = "SIGMOID"}
    : (tensor<1x6x6x1xf32>) -> tensor<1x6x6x1xf32> loc("map")
  %m = compass.pooling(%s) {method = "MAX", kernel_x = 3 : i64, kernel_y = 3 : i64,
    stride_x = 1 : i64, stride_y = 1 : i64, pad_left = 1 : i64, pad_right = 1 : i64,
    pad_top = 1 : i64, pad_bottom = 1 : i64}
    : (tensor<1x6x6x1xf32>) -> tensor<1x6x6x1xf32> loc("pool")
  %k = )" +
         question +
         R"( : (tensor<1x6x6x1xf32>, tensor<1x6x6x1xf32>) -> tensor<1x6x6x1xui8> loc("keep")
  return %k : tensor<1x6x6x1xui8>
})";
}

std::vector<std::string> peaksOf(const std::string &question) {
  TestNetwork net(heatMap(question));
  std::vector<std::string> names;
  for (mlir::Operation *op : layersOfPeaks(*net.module))
    names.push_back(op->getName().getStringRef().str());
  std::sort(names.begin(), names.end());
  return names;
}

// From the product on, and not what it reads.
TEST(Peaks, FromTheProductToTheComparison) {
  std::vector<std::string> expected = {
      "compass.activation", "compass.convolution", "compass.pooling"};
  EXPECT_EQ(peaksOf("compass.logical(%s, %m) {method = \"EQUAL\"}"), expected);
  EXPECT_EQ(peaksOf("compass.logical(%m, %s) {method = \"LESS_EQUAL\"}"),
            expected);
}

TEST(Peaks, OtherComparisonsHaveNone) {
  // Of different tensors, of one with itself, of the maximum with something
  // else, and of truth values.
  EXPECT_TRUE(
      peaksOf("compass.logical(%s, %c) {method = \"GREATER\"}").empty());
  EXPECT_TRUE(peaksOf("compass.logical(%s, %s) {method = \"EQUAL\"}").empty());
  EXPECT_TRUE(peaksOf("compass.logical(%m, %x) {method = \"EQUAL\"}").empty());
  EXPECT_TRUE(peaksOf("compass.logical(%s, %m) {method = \"AND\"}").empty());
}

} // namespace
