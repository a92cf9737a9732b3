//===- QuantizerTest.cpp - Options, keys and refusals ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "support/ThreadPool.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;
using ::testing::HasSubstr;

/// conv1 (RELU) and conv2, named, on 1x6x6x3.
static const char *kTwoConvs = R"(
func.func @main() -> tensor<1x6x6x2xf32> {
  %x = compass.input() : () -> tensor<1x6x6x3xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<[[[[0.5, -0.25, 0.125]]], [[[0.75, 0.3, -0.9]]]]> : tensor<2x1x1x3xf32>,
    biases = dense<[0.1, -0.2]> : tensor<2xf32>, with_activation = "RELU"
  } : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x2xf32> loc("conv1")
  %b = compass.convolution(%a) {
    weights = dense<[[[[0.5, -0.25]]], [[[0.03, 0.01]]]]> : tensor<2x1x1x2xf32>,
    biases = dense<[0.1, -0.2]> : tensor<2xf32>
  } : (tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32> loc("conv2")
  return %b : tensor<1x6x6x2xf32>
})";

static mlir::Operation *layerNamed(TestNetwork &net, llvm::StringRef name) {
  mlir::Operation *found = nullptr;
  net.module->walk([&](mlir::Operation *op) {
    if (layerNameOf(op) == name)
      found = op;
  });
  return found;
}

static std::vector<NpyView> normalImages() {
  return {normalSamples({32, 6, 6, 3})};
}

TEST(Quantizer, KeysOfAConvolution) {
  TestNetwork net(kTwoConvs);
  ASSERT_TRUE(net.quantize({}, normalImages())) << net.problems();
  mlir::Operation *conv = layerNamed(net, "conv1");
  TensorInfo out = describe(conv->getResult(0));
  EXPECT_EQ(out.dtype, DType::U8);
  EXPECT_EQ(out.zp, 0);
  EXPECT_EQ(viewConstant(tensorKey(conv, keys::weights))->dtype, DType::I8);
  EXPECT_EQ(viewConstant(tensorKey(conv, keys::biases))->dtype, DType::I32);
  EXPECT_EQ(intsKey(conv, keys::scale_value).size(), 1u);
  EXPECT_FALSE(tensorKey(conv, keys::scale));
  // The largest weight, 0.9, takes the largest integer.
  EXPECT_EQ(viewConstant(tensorKey(conv, keys::weights))->intAt(5), -127);
  EXPECT_EQ(describe(layerNamed(net, "conv2")->getResult(0)).dtype, DType::I8);
}

TEST(Quantizer, PerChannelScalesAreTensors) {
  TestNetwork net(kTwoConvs);
  QuantizerOptions options;
  options.global.weightMethod.perChannel = true;
  ASSERT_TRUE(net.quantize(options, normalImages())) << net.problems();
  mlir::Operation *conv = layerNamed(net, "conv2");
  auto scale = viewConstant(tensorKey(conv, keys::scale));
  auto shift = viewConstant(tensorKey(conv, keys::shift));
  ASSERT_TRUE(scale && shift);
  EXPECT_EQ(scale->dtype, DType::U16);
  EXPECT_EQ(shift->dtype, DType::I8);
  EXPECT_EQ(shift->intAt(0), shift->intAt(1)); // unified
  auto weights = viewConstant(tensorKey(conv, keys::weights));
  EXPECT_EQ(weights->intAt(0), 127);
  EXPECT_EQ(weights->intAt(2), 127);
}

TEST(Quantizer, BiasNeverSaturates) {
  // The first channel is switched off: all it has is its bias.
  const char *text = R"(
func.func @main() -> tensor<1x6x6x2xf32> {
  %x = compass.input() : () -> tensor<1x6x6x3xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<[[[[1.0e-9, 0.0, -1.0e-9]]], [[[0.75, 0.3, -0.9]]]]> : tensor<2x1x1x3xf32>,
    biases = dense<[3.0, -0.2]> : tensor<2xf32>
  } : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x2xf32> loc("conv1")
  return %a : tensor<1x6x6x2xf32>
})";
  for (unsigned bits : {8u, 16u}) {
    TestNetwork net(text);
    QuantizerOptions options;
    options.global.weightMethod.perChannel = true;
    options.global.weightBits = bits;
    options.global.activationBits = bits;
    options.global.activationStrategy.kind = CalibrationStrategy::Kind::Extrema;
    ASSERT_TRUE(net.quantize(options, normalImages())) << net.problems();
    EXPECT_GT(net.similarity(normalImages()).sqnrDb(), bits == 8 ? 35 : 75);
  }
}

TEST(Quantizer, OverridesByTypeNameAndId) {
  TestNetwork net(kTwoConvs);
  recordLayerIds(*net.module);
  QuantizerOptions options;
  auto sixteen = [](LayerOptions &o) { o.activationBits = 16; };
  auto eight = [](LayerOptions &o) { o.activationBits = 8; };
  options.overrides = {{{"convolution"}, {}, "", sixteen},
                       {{}, {{2, 2}}, "conv.", eight}};
  ASSERT_TRUE(net.quantize(options, normalImages())) << net.problems();
  EXPECT_EQ(describe(layerNamed(net, "input")->getResult(0)).bits(), 8u);
  EXPECT_EQ(describe(layerNamed(net, "conv1")->getResult(0)).bits(), 16u);
  EXPECT_EQ(describe(layerNamed(net, "conv2")->getResult(0)).bits(), 8u);
  EXPECT_GT(net.similarity(normalImages()).sqnrDb(), 20);
}

TEST(Quantizer, SameRangesOnAnyNumberOfThreads) {
  for (const char *strategy : {"mean", "3std", "kld", "aciq_laplace"}) {
    FloatRange ranges[2];
    for (unsigned run = 0; run < 2; ++run) {
      setDefaultThreadCount(run ? 5 : 1);
      TestNetwork net(kTwoConvs);
      QuantizerOptions options;
      options.calibrationBatchSize = 20;
      options.global.activationStrategy = *CalibrationStrategy::parse(strategy);
      auto c =
          Calibration::run(*net.module, normalImages(), options, {}, net.diags);
      ASSERT_TRUE(c) << net.problems();
      ranges[run] = c->range(layerNamed(net, "conv2")->getResult(0), 8, true);
    }
    setDefaultThreadCount(0);
    EXPECT_EQ(ranges[0].min, ranges[1].min) << strategy;
    EXPECT_EQ(ranges[0].max, ranges[1].max) << strategy;
    EXPECT_LT(ranges[0].min, 0) << strategy;
  }
}

static std::string refusal(const QuantizerOptions &options,
                           const char *text = kTwoConvs) {
  TestNetwork net(text);
  EXPECT_FALSE(net.quantize(options, normalImages()));
  return net.problems();
}

TEST(Quantizer, RefusesWhatItCannotDo) {
  QuantizerOptions options;
  options.global.weightMethod.mode = RangeMode::Asymmetric;
  std::string problems = refusal(options);
  EXPECT_THAT(problems, HasSubstr("E0402"));
  // Once for the setting, not once for each layer.
  EXPECT_THAT(problems, HasSubstr("quantize_method_for_weight"));
  EXPECT_EQ(problems.find("E0402"), problems.rfind("E0402"));
  options = {};
  options.global.activationMethod.perChannel = true;
  EXPECT_THAT(refusal(options), HasSubstr("one scale per tensor"));
  options = {};
  options.global.activationBits = 3;
  EXPECT_THAT(refusal(options), HasSubstr("activation_bits"));
  options = {};
  options.overrides = {{{}, {}, "conv(", [](LayerOptions &) {}}};
  EXPECT_THAT(refusal(options), HasSubstr("E0502"));
}

TEST(SampleSet, RefusesDataThatDoNotFit) {
  TestNetwork net(kTwoConvs);
  EXPECT_FALSE(SampleSet::create(*net.module, {}, net.diags));
  EXPECT_THAT(net.problems(), HasSubstr("one per input"));
  EXPECT_FALSE(
      SampleSet::create(*net.module, {normalSamples({1, 5})}, net.diags));
  EXPECT_THAT(net.problems(), HasSubstr("whole samples"));
  EXPECT_FALSE(
      SampleSet::create(*net.module, {normalSamples({2, 3, 6, 6})}, net.diags));
  EXPECT_THAT(net.problems(), HasSubstr("different order"));
}

TEST(SampleSet, IntegersAreConvertedForFloatNetworks) {
  TestNetwork net(kTwoConvs);
  auto bytes = std::make_shared<std::vector<uint8_t>>(6 * 6 * 3, uint8_t(200));
  NpyView array{
      NpyType::UInt8, {1, 6, 6, 3}, bytes->size(), bytes->data(), bytes};
  auto set = SampleSet::create(*net.module, {array}, net.diags);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->count(), 1u);
  auto inputs = set->inputsOf(0);
  EXPECT_EQ(reinterpret_cast<const float *>(inputs[0].data())[7], 200.0f);
}

TEST(Metrics, EveryTensorIsCompared) {
  TestNetwork net(kTwoConvs);
  ASSERT_TRUE(net.quantize({}, normalImages())) << net.problems();
  auto metrics =
      compareNetworks(*net.original, *net.module, normalImages(), 4, net.diags);
  ASSERT_TRUE(metrics);
  ASSERT_EQ(metrics->size(), 3u);
  EXPECT_EQ((*metrics)[1].layer, "conv1");
  EXPECT_EQ((*metrics)[1].dtype, "uint8");
  EXPECT_TRUE((*metrics)[2].isOutput);
  for (const TensorMetric &m : *metrics)
    EXPECT_GT(m.similarity.cosine(), 0.995) << m.layer;
  EXPECT_EQ((*metrics)[0].similarity.count, 4u * 6 * 6 * 3);
}

TEST(Metrics, ALayerAloneLosesLessThanInTheNetwork) {
  TestNetwork net(kTwoConvs);
  ASSERT_TRUE(net.quantize({}, normalImages())) << net.problems();
  auto metrics =
      compareNetworks(*net.original, *net.module, normalImages(), 4, net.diags);
  ASSERT_TRUE(metrics);
  // The input is computed by nobody; the first layer has the network's inputs.
  EXPECT_EQ((*metrics)[0].own.count, 0u);
  EXPECT_EQ((*metrics)[1].own.noiseSquares,
            (*metrics)[1].similarity.noiseSquares);
  EXPECT_LT((*metrics)[2].own.noiseSquares,
            (*metrics)[2].similarity.noiseSquares);
}

TEST(Metrics, ClippedValuesAreCounted) {
  TestNetwork net(kTwoConvs);
  QuantizerOptions options;
  options.global.activationStrategy =
      *CalibrationStrategy::parse("0.5percentile");
  ASSERT_TRUE(net.quantize(options, normalImages())) << net.problems();
  auto metrics =
      compareNetworks(*net.original, *net.module, normalImages(), 4, net.diags);
  ASSERT_TRUE(metrics);
  const TensorMetric &last = (*metrics)[2];
  EXPECT_EQ(last.values, last.own.count);
  EXPECT_GT(last.clippedShare(), 0.0);
  EXPECT_LT(last.clippedShare(), 0.5);
  EXPECT_EQ(outputSqnrDb(*metrics), last.similarity.sqnrDb());
}

TEST(Metrics, OutputsAloneAreTheSame) {
  TestNetwork net(kTwoConvs);
  ASSERT_TRUE(net.quantize({}, normalImages())) << net.problems();
  auto whole =
      compareNetworks(*net.original, *net.module, normalImages(), 4, net.diags);
  auto outputs = compareNetworks(*net.original, *net.module, normalImages(), 4,
                                 net.diags, CompareDetail::Outputs);
  ASSERT_TRUE(whole && outputs);
  EXPECT_EQ(outputSqnrDb(*whole), outputSqnrDb(*outputs));
  EXPECT_EQ((*outputs)[1].similarity.count, 0u);
}

TEST(Similarity, Values) {
  Similarity s;
  float a[] = {3, 4}, b[] = {3, 3};
  s.add(a, b);
  EXPECT_DOUBLE_EQ(s.sqnrDb(), 10 * std::log10(25.0));
  EXPECT_EQ(s.maxError, 1);
  EXPECT_NEAR(s.cosine(), 21 / (5 * std::sqrt(18.0)), 1e-12);
  EXPECT_EQ(Similarity().cosine(), 1);
}
