//===- FunctionsTest.cpp - Tables, digits and bits that functions ask for -===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What adapt_to_functions gives (LayerOptions::fitsTables, keepsDigits and
// raisesBits), on networks of a few layers.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "quantizer/choices/SteepInputs.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

std::string networkOf(const std::string &shape, const std::string &layers) {
  std::string type = "tensor<" + shape + "xf32>", text = layers;
  for (std::size_t at; (at = text.find("$T")) != std::string::npos;)
    text.replace(at, 2, type);
  return "func.func @main() -> " + type +
         " {\n  %x = compass.input() : () -> " + type + " loc(\"x\")\n" + text +
         "  return %y : " + type + "\n}";
}

QuantizerOptions adapting(unsigned bits) {
  QuantizerOptions options;
  options.calibrationBatchSize = 32;
  options.global.activationStrategy.kind = CalibrationStrategy::Kind::Extrema;
  options.global.activationMethod.mode = RangeMode::Asymmetric;
  options.global.activationBits = bits;
  options.global.softmaxMethod = SoftmaxMethod::Lut;
  options.global.fitsTables = options.global.keepsDigits = true;
  return options;
}

/// SQNR of the network's result, quantized with \p options.
double sqnrOf(const std::string &text, const QuantizerOptions &options,
              const std::vector<NpyView> &samples) {
  TestNetwork net(text);
  EXPECT_TRUE(net.quantize(options, samples)) << net.problems();
  return net.similarity(samples).sqnrDb();
}

} // namespace

TEST(Functions, SoftmaxHasEveryWidth) {
  // Rows of many equal values, and rows that one value rules; between layers.
  for (const char *shape : {"1x4x16", "1x2x300"})
    for (float deviation : {0.1f, 3.0f})
      for (unsigned bits = 4; bits <= 16; ++bits) {
        std::string text = networkOf(
            shape, "  %a = compass.softmax(%x) {axis = -1} : ($T) -> $T "
                   "loc(\"a\")\n"
                   "  %y = compass.negative(%a) : ($T) -> $T loc(\"y\")\n");
        std::vector<int64_t> all = {32, 4, 16};
        if (std::string(shape) == "1x2x300")
          all = {32, 2, 300};
        double least = std::min(60.0, 6.0 * bits - 27);
        EXPECT_GT(
            sqnrOf(text, adapting(bits), {normalSamples(all, 1, 0, deviation)}),
            least)
            << shape << " of deviation " << deviation << " at " << bits;
      }
}

TEST(Functions, TablesHaveEveryWidth) {
  // Of 5 or 10 bits, say, a table is looked up by the 8 or 12 of their type.
  for (const char *layer :
       {R"(activation(%x) {method = "SIGMOID"})",
        R"(activation(%x) {method = "TANH"})",
        R"(activation(%x) {method = "HARDSWISH"})", "exp(%x)"})
    for (unsigned bits = 4; bits <= 16; ++bits) {
      std::string text =
          networkOf("1x64", std::string("  %y = compass.") + layer +
                                " : ($T) -> $T loc(\"y\")\n");
      EXPECT_GT(sqnrOf(text, adapting(bits), {normalSamples({32, 64}, 3)}),
                std::min(60.0, 6.0 * bits - 18))
          << layer << " at " << bits;
    }
}

// A scale of 1 would be thousands of the other operand's steps.
TEST(Functions, BranchesThatNoSampleWakesLeaveSumsTheirDigits) {
  std::string text = networkOf(
      "1x64", "  %a = compass.activation(%x) {method = \"RELU\"} : ($T) -> $T "
              "loc(\"a\")\n"
              "  %b = compass.negative(%x) : ($T) -> $T loc(\"b\")\n"
              "  %y = compass.eltwise(%a, %b) {method = \"ADD\"} : ($T, $T) -> "
              "$T loc(\"y\")\n");
  for (unsigned bits : {8u, 16u})
    EXPECT_GT(sqnrOf(text, adapting(bits),
                     {normalSamples({32, 64}, 3, -0.1f, 0.01f)}),
              std::min(60.0, 6.0 * bits - 18))
        << bits;
}

TEST(Functions, NormsTakeInputsOfOtherWidths) {
  std::string text = networkOf(
      "1x16x16x4", "  %k = compass.constant() {weights = dense<[1.0, 0.1, 0.3, "
                   "0.2]> : tensor<4xf32>} : () -> tensor<4xf32> "
                   "loc(\"k\")\n"
                   "  %a = compass.mul(%x, %k) : ($T, tensor<4xf32>) -> $T "
                   "loc(\"a\")\n"
                   "  %y = compass.instance_norm(%a) {weights = dense<[0.5, "
                   "1.0, 2.0, 1.5]> : tensor<4xf32>, biases = dense<[0.1, "
                   "0.0, 3.0, -1.0]> : tensor<4xf32>} : ($T) -> $T "
                   "loc(\"y\")\n");
  std::vector<NpyView> samples = {normalSamples({8, 16, 16, 4})};
  auto widen = [&](QuantizerOptions options, const std::string &type) {
    options.global.wideRangeHeadroom = 2;
    LayerOverride wide;
    wide.layerTypes = {type};
    wide.apply = [](LayerOptions &o) {
      o.activationBits = 16;
      o.settle();
    };
    options.overrides.push_back(std::move(wide));
    return options;
  };
  double narrow = sqnrOf(text, adapting(8), samples);
  EXPECT_GT(narrow, 26);
  // As if the input had 8 bits, too: in the form of 16, 12 dB less.
  EXPECT_GT(sqnrOf(text, widen(adapting(8), "Mul"), samples), narrow - 1);
  EXPECT_GT(sqnrOf(text, adapting(16), samples), 42);
  EXPECT_GT(sqnrOf(text, widen(adapting(16), "Mul"), samples), 42);
}

TEST(Functions, NormsHaveTheirEpsilon) {
  std::string ones, zeros;
  for (int i = 0; i < 32; ++i)
    ones += i ? ", 1.0" : "1.25", zeros += i ? ", 0.0" : "0.25";
  ones = "dense<[" + ones + "]> : tensor<32xf32>";
  zeros = "dense<[" + zeros + "]> : tensor<32xf32>";
  for (unsigned bits : {8u, 16u})
    for (double epsilon : {1e-5, 1e-3, 1.0, 100.0}) {
      std::string layerNorm = networkOf(
          "1x4x32", "  %y = compass.layer_norm(%x) {axis = array<i64: 2>, "
                    "weights = " +
                        ones + ", biases = " + zeros +
                        ", epsilon = " + std::to_string(epsilon) +
                        "} : ($T) -> $T loc(\"y\")\n");
      std::string rmsNorm = networkOf(
          "1x4x32", "  %y = compass.rms_norm(%x) {axis = array<i64: 2>, "
                    "weights = " +
                        ones + ", epsilon = " + std::to_string(epsilon) +
                        "} : ($T) -> $T loc(\"y\")\n");
      std::vector<NpyView> samples = {normalSamples({32, 4, 32}, 1, 0, 0.03f)};
      for (const std::string &text : {layerNorm, rmsNorm})
        EXPECT_GT(sqnrOf(text, adapting(bits), samples), 26)
            << text << " at " << bits;
    }
}

/// Its scale of 1, by itself, would leave small values no digits.
TEST(Functions, MaximaWithZeroKeepSmallValues) {
  std::string text = networkOf(
      "1x64",
      "  %o = compass.constant() {weights = dense<[0.0]> : tensor<1xf32>} : () "
      "-> tensor<1xf32> loc(\"o\")\n"
      "  %y = compass.eltwise(%o, %x) {method = \"MAX\"} : (tensor<1xf32>, $T) "
      "-> $T loc(\"y\")\n");
  for (unsigned bits : {8u, 16u})
    EXPECT_GT(
        sqnrOf(text, adapting(bits), {normalSamples({32, 64}, 3, 0, 1e-6f)}),
        std::min(60.0, 6.0 * bits - 18))
        << bits;
}

TEST(Functions, TablesOfSixteenBitsFit) {
  // What is read is far from 0: a steep start takes a steeper table.
  struct Function {
    const char *layer;
    double leastDb;
  };
  for (const Function &f :
       {Function{"compass.log(%x)", 55}, Function{"compass.rsqrt(%x)", 55},
        Function{"compass.reciprocal(%x)", 55},
        Function{"compass.sqrt(%x)", 60}, Function{"compass.exp(%x)", 60}}) {
    std::string text = networkOf("1x40", "  %y = " + std::string(f.layer) +
                                             " : ($T) -> $T loc(\"y\")\n");
    EXPECT_GT(sqnrOf(text, adapting(16), {normalSamples({32, 40}, 1, 5, 1)}),
              f.leastDb)
        << f.layer;
  }
}

TEST(Functions, DivisorsOfSixteenBitsKeepTheirDigits) {
  // Divisors from a hundredth of the greatest on.
  std::string text = networkOf(
      "1x40", "  %a = compass.abs(%x) : ($T) -> $T loc(\"a\")\n"
              "  %y = compass.div(%x, %a) : ($T, $T) -> $T loc(\"y\")\n");
  EXPECT_GT(sqnrOf(text, adapting(16), {normalSamples({32, 40})}), 45);
}

static const char *kLogOfSquares =
    "  %s = compass.eltwise(%x, %x) {method = \"MUL\"} : ($T, $T) -> $T "
    "loc(\"s\")\n"
    "  %y = compass.log(%s) : ($T) -> $T loc(\"y\")\n";

TEST(SteepInputs, AreFollowedToWhatMakesThem) {
  TestNetwork net(networkOf("1x64", kLogOfSquares));
  std::vector<NpyView> samples = {normalSamples({32, 64})};
  recordLayerIds(*net.module);
  QuantizerOptions options = adapting(8);
  options.global.raisesBits = true;
  net.calibration =
      Calibration::run(*net.module, samples, options, {}, net.diags);
  ASSERT_TRUE(net.calibration) << net.problems();
  std::vector<AdaptedLayer> raised = findSteepInputs(
      {*net.module, *net.calibration, options, samples}, net.diags);
  ASSERT_GE(raised.size(), 2u);
  EXPECT_EQ(layerNameOf(raised[0].layer), "x");
  EXPECT_EQ(layerNameOf(raised[1].layer), "s");
  EXPECT_EQ(layerNameOf(raised[1].function), "y");
  EXPECT_LT(raised[1].beforeDb, 20);
  double before = sqnrOf(networkOf("1x64", kLogOfSquares), options, samples);
  chooseSteepInputs(*net.module, *net.calibration, samples, options, net.diags);
  ASSERT_TRUE(quantizeModule(*net.module, *net.calibration, options, net.diags))
      << net.problems();
  double after = net.similarity(samples).sqnrDb();
  EXPECT_LT(before, 20);
  EXPECT_GT(after, 30);
}

/// Sums of products with 16 bits do not fit 32.
TEST(SteepInputs, HaveBiasesAsWideAsTheirSums) {
  TestNetwork net(networkOf("1x64", kLogOfSquares));
  AdaptedLayer one{.layer = net.find("eltwise"), .function = net.find("log")};
  one.hasMoreBits = true;
  LayerOptions options;
  overridesOf({one}).front().apply(options);
  EXPECT_EQ(options.activationBits, 16u);
  EXPECT_EQ(options.biasBits, 48u);
  EXPECT_EQ(options.biasEffectiveBits, 48u);
}

/// Roots of many small values and a few large ones have 37 dB with 16 bits.
/// What reads the small ones alone has less than 10.
TEST(SteepInputs, StayInFloatsWhereOutputsReadSmallResults) {
  for (double bound : {0.03, 100.0}) {
    TestNetwork net(networkOf(
        "1x64", "  %s = compass.square(%x) : ($T) -> $T loc(\"s\")\n"
                "  %r = compass.sqrt(%s) : ($T) -> $T loc(\"r\")\n"
                "  %y = compass.activation(%r) {method = \"CLIP\", clip_min = "
                "0.0, clip_max = " +
                    std::to_string(bound) + "} : ($T) -> $T loc(\"y\")\n"));
    auto values = std::make_shared<std::vector<float>>(32 * 64);
    NpyView large = normalSamples({32, 64});
    for (std::size_t i = 0; i < values->size(); ++i)
      (*values)[i] =
          static_cast<const float *>(large.data)[i] * (i % 4 ? 0.008f : 1.0f);
    std::vector<NpyView> samples = {
        {NpyType::Float32, {32, 64}, values->size(), values->data(), values}};
    QuantizerOptions options = adapting(8);
    options.global.raisesBits = true;
    net.calibration =
        Calibration::run(*net.module, samples, options, {}, net.diags);
    ASSERT_TRUE(net.calibration) << net.problems();
    std::vector<AdaptedLayer> raised = findSteepInputs(
        {*net.module, *net.calibration, options, samples}, net.diags);
    bool isFloat = std::ranges::any_of(raised, &AdaptedLayer::isFloat);
    EXPECT_EQ(isFloat, bound < 1) << bound;
  }
}

TEST(SteepInputs, AreNotFoundWhereFunctionsAreFlat) {
  for (const char *layer : {"compass.activation(%x) {method = \"SIGMOID\"}",
                            "compass.activation(%x) {method = \"TANH\"}",
                            "compass.activation(%x) {method = \"GELU\"}",
                            "compass.activation(%x) {method = \"SILU\"}",
                            "compass.activation(%x) {method = \"RELU\"}"}) {
    TestNetwork net(networkOf("1x64", "  %y = " + std::string(layer) +
                                          " : ($T) -> $T loc(\"y\")\n"));
    std::vector<NpyView> samples = {normalSamples({32, 64}, 1, 0, 3)};
    QuantizerOptions options = adapting(8);
    options.global.raisesBits = true;
    net.calibration =
        Calibration::run(*net.module, samples, options, {}, net.diags);
    ASSERT_TRUE(net.calibration) << net.problems();
    EXPECT_TRUE(
        findSteepInputs({*net.module, *net.calibration, options, samples},
                        net.diags)
            .empty())
        << layer;
  }
}
