//===- BalanceChannelsTest.cpp - Channels that fill their tensor's range --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/ChannelFactors.h"
#include "dialects/compass/Layers.h"
#include "quantizer/channels/ChannelClasses.h"
#include "quantizer/methods/ApplyMethods.h"
#include "test/unit/quantizer/ConvNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// A layer of 4 inputs and outputs on 4 channels.
std::string product(const char *result, const char *operand,
                    const std::vector<float> &weights,
                    const char *activation = "NONE") {
  return std::string("  %") + result + " = compass.fully_connected(%" +
         operand + ") {weights = dense<" + hexOf(weights) +
         "> : tensor<4x4xf32>, biases = dense<" +
         hexOf({0.01f, 0, -0.02f, 0.03f}) +
         "> : tensor<4xf32>, num_output = 4 : i64, with_activation = \"" +
         activation + "\"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc(\"" +
         result + "\")\n";
}

std::string elementwise(const char *result, const char *method,
                        const char *operand, const char *other = nullptr) {
  std::string type = "tensor<1x4xf32>";
  std::string text = std::string("  %") + result + " = compass." +
                     (other ? "eltwise" : "activation") + "(%" + operand;
  if (other)
    text += std::string(", %") + other;
  text += std::string(") {method = \"") + method + "\"} : (" + type +
          (other ? ", " + type : "") + ") -> " + type + " loc(\"" + result +
          "\")\n";
  return text;
}

std::string graph(const std::string &body, const char *output) {
  return "func.func @main() -> tensor<1x4xf32> {\n  %x = compass.input() : () "
         "-> tensor<1x4xf32> loc(\"input\")\n" +
         body + "  return %" + output + " : tensor<1x4xf32>\n}\n";
}

std::vector<float> diagonal(const std::vector<float> &gains) {
  std::vector<float> weights(16);
  for (std::size_t c = 0; c < 4; ++c)
    weights[5 * c] = gains[c];
  return weights;
}

const std::vector<float> kSmallAndLarge = {0.02f, 0.2f, 1, 6};
/// What reads them, as much of each.
std::vector<float> evenReaders() {
  std::vector<float> weights = normalValues(16, 5, 0.5f);
  for (std::size_t i = 0; i < 16; ++i)
    weights[i] /= kSmallAndLarge[i % 4];
  return weights;
}

mlir::Value resultOf(TestNetwork &net, llvm::StringRef name) {
  mlir::Value found;
  net.original->walk([&](mlir::Operation *op) {
    if (recordOf(op) && layerNameOf(op) == name)
      found = op->getResult(0);
  });
  return found;
}

/// A copy with channels of one size; null if nothing was changed.
mlir::OwningOpRef<mlir::ModuleOp> balanced(TestNetwork &net, const char *name,
                                           QuantizerOptions &options,
                                           const NpyView &samples) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(net.original->clone());
  auto method = GlobalMethod::create(name, {});
  std::vector<NpyView> all = {samples};
  auto *balance = std::string_view(name) == "balance_bounded" ? balanceBounded
                                                              : balanceChannels;
  bool isChanged = net.quantize(options, all) && method &&
                   balance({*copy, *net.calibration, options, *net.module, all,
                            *method, net.diags});
  if (!isChanged)
    copy = {};
  return copy;
}

bool areAllFixed(const std::vector<unsigned> &classes) {
  return llvm::all_of(classes,
                      [](unsigned k) { return k == ChannelClasses::kFixed; });
}

} // namespace

TEST(ChannelClasses, SumsAndRectifiersPassFactorsOn) {
  TestNetwork net(graph(product("a", "x", normalValues(16, 1, 1)) +
                            product("b", "a", normalValues(16, 2, 1)) +
                            elementwise("sum", "ADD", "a", "b") +
                            elementwise("relu", "RELU", "sum") +
                            product("y", "relu", normalValues(16, 3, 1)),
                        "y"));
  ChannelClasses classes(*net.original, {});
  std::vector<unsigned> a = classes.of(resultOf(net, "a"));
  EXPECT_FALSE(areAllFixed(a));
  EXPECT_EQ(a, classes.of(resultOf(net, "b")));
  EXPECT_EQ(a, classes.of(resultOf(net, "relu")));
  EXPECT_NE(a[0], a[1]);
  EXPECT_TRUE(areAllFixed(classes.of(resultOf(net, "input"))));
  EXPECT_TRUE(areAllFixed(classes.of(resultOf(net, "y"))));
}

TEST(ChannelClasses, FunctionsKeepTheirOperandsAsTheyAre) {
  TestNetwork net(graph(product("a", "x", normalValues(16, 1, 1)) +
                            elementwise("sigmoid", "SIGMOID", "a") +
                            product("y", "sigmoid", normalValues(16, 2, 1)),
                        "y"));
  ChannelClasses classes(*net.original, {});
  for (const char *name : {"a", "sigmoid"})
    EXPECT_TRUE(areAllFixed(classes.of(resultOf(net, name)))) << name;
}

TEST(ChannelClasses, BoundsPassFactorsOnAndAreReported) {
  TestNetwork net(graph(product("a", "x", normalValues(16, 1, 1), "RELU6") +
                            product("y", "a", normalValues(16, 3, 1)),
                        "y"));
  mlir::Value a = resultOf(net, "a");
  EXPECT_TRUE(areAllFixed(ChannelClasses(*net.original, {}).of(a)));
  ChannelClasses classes(*net.original, {}, ChannelClasses::Bounds::Pass);
  EXPECT_FALSE(areAllFixed(classes.of(a)));
  ASSERT_TRUE(classes.bounded().contains(a));
  const ActivationBounds &bounds = classes.bounded().lookup(a);
  EXPECT_EQ(bounds.high, 6);
  EXPECT_TRUE(bounds.holds(-100, 4, 1.25));
  EXPECT_FALSE(bounds.holds(0, 5, 1.25));
}

TEST(ChannelClasses, AGateLeavesWhatItOpensFree) {
  TestNetwork net(graph(product("a", "x", normalValues(16, 1, 1)) +
                            product("logits", "x", normalValues(16, 2, 1)) +
                            elementwise("gate", "SIGMOID", "logits") +
                            elementwise("gated", "MUL", "a", "gate") +
                            elementwise("square", "MUL", "a", "a") +
                            product("y", "gated", normalValues(16, 3, 1)),
                        "y"));
  ChannelClasses withSquare(*net.original, {});
  EXPECT_TRUE(areAllFixed(withSquare.of(resultOf(net, "gated"))));
  resultOf(net, "square").getDefiningOp()->erase();
  ChannelClasses classes(*net.original, {});
  std::vector<unsigned> a = classes.of(resultOf(net, "a"));
  EXPECT_FALSE(areAllFixed(a));
  EXPECT_EQ(a, classes.of(resultOf(net, "gated")));
}

TEST(ChannelClasses, WeightsThatMayNotChangeKeepBothSides) {
  TestNetwork net(graph(product("a", "x", normalValues(16, 1, 1)) +
                            product("y", "a", normalValues(16, 3, 1)),
                        "y"));
  mlir::Operation *reader = resultOf(net, "y").getDefiningOp();
  ChannelClasses classes(*net.original,
                         [&](mlir::Operation *op) { return op != reader; });
  EXPECT_TRUE(areAllFixed(classes.of(resultOf(net, "a"))));
}

/// RELU6 cuts the largest channel off, whose factor stays 1.
struct Rectifier {
  const char *activation, *method;
};
class BalanceChannels : public ::testing::TestWithParam<Rectifier> {};

TEST_P(BalanceChannels, SmallChannelsGrowAndTheNetworkStaysTheSame) {
  NpyView samples = normalSamples({32, 4}, 9);
  std::string text =
      graph(product("a", "x", diagonal(kSmallAndLarge), GetParam().activation) +
                product("y", "a", evenReaders()),
            "y");
  QuantizerOptions options;
  options.global.weightMethod.perChannel = true;
  options.global.activationStrategy = {CalibrationStrategy::Kind::Extrema};
  TestNetwork before(text);
  ASSERT_TRUE(before.quantize(options, {samples})) << before.problems();
  double beforeDb = before.similarity({samples}).sqnrDb();

  TestNetwork net(text);
  auto changed = balanced(net, GetParam().method, options, samples);
  ASSERT_TRUE(changed) << net.problems();
  net.module = mlir::OwningOpRef<mlir::ModuleOp>(changed->clone());
  EXPECT_GT(net.similarity({samples}).sqnrDb(), 100) << "of floats";

  // The layer reports the factors that its weights got.
  mlir::Operation *maker = nullptr;
  changed->walk([&](mlir::Operation *op) {
    if (recordOf(op) && layerNameOf(op) == "a")
      maker = op;
  });
  ASSERT_TRUE(hasChannelFactors(maker->getResult(0)));
  std::vector<float> factors(4, 1);
  toChannelsOf(maker->getResult(0), factors);
  auto weights = *viewConstant(tensorKey(maker, keys::weights));
  for (std::size_t c = 0; c < 4; ++c)
    EXPECT_NEAR(weights.floatAt(int64_t(5 * c)), kSmallAndLarge[c] * factors[c],
                1e-5);
  EXPECT_GT(factors[0], 5 * factors[3]);

  net.module = std::move(changed);
  ASSERT_TRUE(net.quantize(options, {samples})) << net.problems();
  EXPECT_GT(net.similarity({samples}).sqnrDb(), beforeDb + 3);
}

INSTANTIATE_TEST_SUITE_P(
    Rectifiers, BalanceChannels,
    ::testing::Values(Rectifier{"RELU", "balance_channels"},
                      Rectifier{"RELU6", "balance_bounded"}));

/// InstanceNorm divides each channel by its own deviation.
TEST(BalanceChannels, WhatInstanceNormReadsHasChannelsOfOneSize) {
  std::string type = "tensor<1x6x5x4xf32>";
  auto pointwise = [&](const char *result, const char *operand,
                       const std::vector<float> &weights) {
    return std::string("  %") + result + " = compass.convolution(%" + operand +
           ") {weights = dense<" + hexOf(weights) +
           "> : tensor<4x1x1x4xf32>, biases = dense<" +
           hexOf({0.1f, 0.2f, -0.1f, 0.3f}) + "> : tensor<4xf32>} : (" + type +
           ") -> " + type + " loc(\"" + result + "\")\n";
  };
  std::string text =
      "func.func @main() -> " + type + " {\n  %x = compass.input() : () -> " +
      type + " loc(\"input\")\n" +
      pointwise("a", "x", diagonal({0.01f, 0.2f, 1, 8})) +
      "  %n = compass.instance_norm(%a) {epsilon = 1.0e-9 : f64, weights = "
      "dense<[1.5, 0.2, -3.0, 1.0]> : tensor<4xf32>, biases = dense<[0.5, "
      "0.0, -1.0, 0.2]> : tensor<4xf32>} : (" +
      type + ") -> " + type + " loc(\"n\")\n" +
      pointwise("y", "n", normalValues(16, 5, 0.5f)) + "  return %y : " + type +
      "\n}\n";
  NpyView samples = normalSamples({8, 6, 5, 4}, 9);
  QuantizerOptions options;
  options.global.weightMethod.perChannel = true;
  options.global.activationStrategy = {CalibrationStrategy::Kind::Extrema};
  TestNetwork before(text);
  ASSERT_TRUE(before.quantize(options, {samples})) << before.problems();
  double beforeDb = before.similarity({samples}).sqnrDb();

  TestNetwork net(text);
  net.module = balanced(net, "balance_channels", options, samples);
  ASSERT_TRUE(net.module) << net.problems();
  ASSERT_TRUE(net.quantize(options, {samples})) << net.problems();
  EXPECT_GT(net.similarity({samples}).sqnrDb(), beforeDb + 6);
}
