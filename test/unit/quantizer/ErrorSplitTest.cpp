//===- ErrorSplitTest.cpp - Where the error of a layer comes from ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Networks of one convolution with one fault each: its part is the largest, and
// the others are what they are without it.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/ErrorSplit.h"
#include "quantizer/metrics/OutputLoss.h"
#include "quantizer/metrics/Sensitivity.h"
#include "test/unit/quantizer/ConvNetwork.h"

using namespace yarrow;

namespace {

/// The convolution's metric with its causes.
TensorMetric diagnosed(ConvCase c, const QuantizerOptions &options) {
  TestNetwork net(networkOf(c));
  EXPECT_TRUE(net.quantize(options, c.images())) << net.problems();
  auto metrics = compareNetworks(*net.original, *net.module, c.images(), 8,
                                 net.diags, CompareDetail::Causes);
  EXPECT_TRUE(metrics) << net.problems();
  for (const TensorMetric &m : *metrics)
    if (m.layerType == "Convolution")
      return m;
  ADD_FAILURE() << "no convolution";
  return {};
}

QuantizerOptions plain() {
  QuantizerOptions options;
  options.global.activationStrategy = *CalibrationStrategy::parse("extrema");
  return options;
}

TEST(ErrorSplit, PartsAndInteractionAreTheTotal) {
  for (const char *activation : {"NONE", "RELU", "RELU6"})
    for (bool perChannel : {false, true}) {
      ConvCase c{.activation = activation};
      QuantizerOptions options = plain();
      options.global.weightMethod.perChannel = perChannel;
      TensorMetric m = diagnosed(c, options);
      ASSERT_TRUE(m.parts.isKnown());
      double sum = m.parts.interaction();
      for (double energy : m.parts.energy)
        sum += energy;
      EXPECT_NEAR(sum, m.parts.total, 1e-9 * m.parts.total);
      // The whole is the layer's error in the network.
      EXPECT_NEAR(m.parts.total, m.similarity.noiseSquares,
                  1e-6 * m.parts.total);
      EXPECT_NEAR(m.parts.signal, m.similarity.signalSquares,
                  1e-6 * m.parts.signal);
      // What is left over is rounding of another order.
      EXPECT_LT(m.parts.share(ErrorPart::Method), 1e-4) << activation;
      EXPECT_LT(m.parts.multiplierError, 1.0 / 128);
    }
}

TEST(ErrorSplit, NamesTheFault) {
  ConvCase c;
  QuantizerOptions options = plain();
  TensorMetric good = diagnosed(c, options);
  EXPECT_EQ(good.parts.energy[std::size_t(ErrorPart::WeightClip)], 0);
  EXPECT_EQ(good.clipped, 0u);

  options.global.activationStrategy =
      *CalibrationStrategy::parse("0.3percentile");
  // The input's range is the fault of its layer: give that the whole.
  LayerOverride input;
  input.layerTypes = {"Input"};
  input.apply = [](LayerOptions &o) {
    o.activationStrategy = *CalibrationStrategy::parse("extrema");
  };
  options.overrides.push_back(input);
  EXPECT_EQ(diagnosed(c, options).parts.largest(), ErrorPart::OutputClip);

  options.overrides[0].apply = [](LayerOptions &o) {
    o.activationStrategy = *CalibrationStrategy::parse("0.3percentile");
  };
  options.global = plain().global;
  EXPECT_EQ(diagnosed(c, options).parts.largest(), ErrorPart::Inherited);

  options = plain();
  options.global.weightBits = 3;
  TensorMetric coarse = diagnosed(c, options);
  EXPECT_EQ(coarse.parts.largest(), ErrorPart::WeightRound);
  // The other parts are as they were.
  EXPECT_NEAR(coarse.parts.share(ErrorPart::OutputRound),
              good.parts.share(ErrorPart::OutputRound),
              0.5 * good.parts.share(ErrorPart::OutputRound));

  options = plain();
  options.global.weightStrategy = *CalibrationStrategy::parse("0.3percentile");
  EXPECT_EQ(diagnosed(c, options).parts.largest(), ErrorPart::WeightClip);

  options = plain();
  options.global.biasEffectiveBits = 2;
  c.biases = std::vector<float>(4, 3.0f);
  c.biases[1] = 1.7f;
  EXPECT_EQ(diagnosed(c, options).parts.largest(), ErrorPart::Bias);
}

// Energies are sums of squares, which are below 1 where values are small.
TEST(ErrorSplit, IsKnownOfAnySignal) {
  ErrorParts parts;
  EXPECT_FALSE(parts.isKnown());
  parts.signal = 1e-6;
  EXPECT_TRUE(parts.isKnown());
}

TEST(ErrorSplit, HistogramAndRange) {
  ConvCase c{.activation = "RELU"};
  TensorMetric m = diagnosed(c, plain());
  EXPECT_GE(m.histogram.min(), 0.0f);
  EXPECT_NEAR(m.rangeMax, double(m.histogram.max()), 0.01 * m.rangeMax);
  EXPECT_EQ(m.rangeMin, 0);
}

TEST(OutputLoss, DivergenceOfScores) {
  std::vector<float> p = {1, 2, 3}, q = {1, 2, 2};
  EXPECT_EQ(scoreDivergence(p, p), 0);
  // By the definition.
  auto softmax = [](const std::vector<float> &x) {
    double sum = 0;
    std::vector<double> y;
    for (float v : x)
      sum += std::exp(double(v));
    for (float v : x)
      y.push_back(std::exp(double(v)) / sum);
    return y;
  };
  double expected = 0;
  for (std::size_t i = 0; i < 3; ++i)
    expected += softmax(p)[i] * std::log(softmax(p)[i] / softmax(q)[i]);
  EXPECT_NEAR(scoreDivergence(p, q), expected, 1e-12);
  // Probabilities stand for themselves, and 0 for very little.
  EXPECT_NEAR(scoreDivergence(std::vector<float>{0.5f, 0.5f},
                              std::vector<float>{0.25f, 0.75f}),
              0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3), 1e-5);
  EXPECT_TRUE(std::isfinite(scoreDivergence(std::vector<float>{0.5f, 0.5f},
                                            std::vector<float>{0, 1})));
}

/// Of one layer, the outputs' error is its own, whatever its input has lost.
TEST(Sensitivity, OfTheOnlyLayerIsItsOwnError) {
  ConvCase c;
  TestNetwork net(networkOf(c));
  std::vector<NpyView> images = c.images();
  QuantizerOptions options = plain();
  options.global.weightBits = 4;
  ASSERT_TRUE(net.quantize(options, images)) << net.problems();
  auto judge = OutputJudge::create(*net.original, images, 8, net.diags);
  ASSERT_TRUE(judge);
  auto losses = measureSensitivity(
      {*net.original, {*net.module}, *judge, images}, net.diags);
  auto whole = judge->judge(*net.module, net.diags);
  ASSERT_TRUE(losses && whole) << net.problems();
  EXPECT_FALSE(whole->hasScores()); // an image
  double conv = 0, input = 0;
  for (auto &[op, loss] : losses->front())
    (op->getNumOperands() ? conv : input) = loss.value();
  EXPECT_GT(input, 0);
  EXPECT_GT(conv, 10 * input); // 4 bits against 8
  EXPECT_NEAR(whole->value(), conv + input, 0.1 * whole->value());
}

/// What is beyond a range is lost by being stored: more bits do not help.
TEST(Sensitivity, OfAnInputCountsWhatItsRangeCuts) {
  ConvCase c;
  TestNetwork net(networkOf(c));
  std::vector<NpyView> images = c.images();
  ASSERT_TRUE(net.quantize(plain(), images)) << net.problems();
  // Ten times as large as those that the ranges are of.
  auto values = std::make_shared<std::vector<float>>(images[0].toFloats());
  for (float &x : *values)
    x *= 10;
  std::vector<NpyView> large = {{NpyType::Float32, images[0].shape,
                                 values->size(), values->data(), values}};
  auto judge = OutputJudge::create(*net.original, large, 8, net.diags);
  ASSERT_TRUE(judge);
  auto losses = measureSensitivity(
      {*net.original, {*net.module}, *judge, large}, net.diags);
  ASSERT_TRUE(losses) << net.problems();
  for (auto &[op, loss] : losses->front())
    if (op->getNumOperands() == 0)
      EXPECT_NEAR(loss.storedSquares, loss.ownSquares, 0.05 * loss.ownSquares);
}

} // namespace
