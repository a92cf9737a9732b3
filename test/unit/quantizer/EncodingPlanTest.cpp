//===- EncodingPlanTest.cpp - Networks quantized by an encodings file -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/encodings/EncodingPlan.h"
#include "dialects/compass/Layers.h"
#include "passes/cleanup/Cleanup.h"
#include "quantizer/calibrate/ConstantRanges.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// conv1 (RELU), a pooling, conv2: 1x6x6x3 to 1x3x3x2.
constexpr const char *kConvs = R"(
func.func @main() -> tensor<1x3x3x2xf32> {
  %x = compass.input() : () -> tensor<1x6x6x3xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<[[[[0.5, -0.25, 0.125]]], [[[0.75, 0.3, -0.9]]]]> : tensor<2x1x1x3xf32>,
    biases = dense<[0.1, -0.2]> : tensor<2xf32>, with_activation = "RELU"
  } : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x2xf32> loc("conv1")
  %p = compass.pooling(%a) {method = "MAX", kernel_x = 2 : i64, kernel_y = 2 : i64,
    stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x6x6x2xf32>) -> tensor<1x3x3x2xf32> loc("pool")
  %b = compass.convolution(%p) {
    weights = dense<[[[[0.5, -0.25]]], [[[0.03, 0.01]]]]> : tensor<2x1x1x2xf32>,
    biases = dense<[0.1, -0.2]> : tensor<2xf32>
  } : (tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32> loc("conv2")
  return %b : tensor<1x3x3x2xf32>
})";

Encoding tensor(const std::string &name, float step, int64_t lowest,
                unsigned bits = 8) {
  return {name, {{step, lowest, lowest + (int64_t(1) << bits) - 1, bits}}};
}

Encoding channels(const std::string &name, std::vector<float> steps,
                  unsigned bits = 8) {
  Encoding e{name};
  for (float step : steps)
    e.channels.push_back(
        tensor("", step, integerMin(bits, true), bits).channels.front());
  return e;
}

/// What the file has of every layer of kConvs that needs it.
Encodings complete() {
  return {"net.encodings",
          {tensor("input_0", 0.02f, -128), tensor("conv1_0", 0.015f, 0),
           tensor("conv2_0", 0.0125f, -100)},
          {channels("conv1.weights", {0.004f, 0.0072f}),
           channels("conv2.weights", {0.004f})}};
}

class EncodedNetwork : public TestNetwork {
public:
  explicit EncodedNetwork(const std::string &text = kConvs)
      : TestNetwork(text) {
    recordLayerIds(*module);
  }

  /// As a pipeline does it; without samples if there are none.
  bool quantizeBy(const Encodings &encodings, QuantizerOptions options = {},
                  const std::vector<NpyView> &samples = {},
                  std::vector<ModelTensor> imported = {}) {
    mlir::OwningOpRef<mlir::ModuleOp> asRead = module->clone();
    EXPECT_TRUE(runCleanup(*module, diags));
    auto plan = planEncodings(encodings, EncodingNames(*asRead, imported),
                              *module, options, diags);
    if (!plan)
      return false;
    calibration = samples.empty()
                      ? calibrateConstants(*module, options)
                      : Calibration::run(*module, samples, options, {}, diags);
    applyEncodings(*plan, *calibration);
    if (!quantizeModule(*module, *calibration, options, diags))
      return false;
    checkEncodings(*plan, *module, diags);
    return true;
  }
  TensorInfo tensorOf(llvm::StringRef layer) {
    return describe(layerNamed(layer)->getResult(0));
  }
  std::vector<float> weightScales(llvm::StringRef layer) {
    std::vector<float> scales;
    for (double scale : numbersOfExtraKey(layerNamed(layer), "weights_scale"))
      scales.push_back(float(scale));
    return scales;
  }
  mlir::Operation *layerNamed(llvm::StringRef name) {
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      if (layerNameOf(op) == name)
        found = op;
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  }
};

std::vector<NpyView> images() { return {normalSamples({32, 6, 6, 3})}; }

} // namespace

TEST(Encodings, AreThoseOfTheNetworkWithoutSamples) {
  EncodedNetwork net;
  ASSERT_TRUE(net.quantizeBy(complete())) << net.problems();
  TensorInfo in = net.tensorOf("input"), a = net.tensorOf("conv1"),
             b = net.tensorOf("conv2");
  EXPECT_EQ(in.scale, 1 / 0.02f);
  EXPECT_EQ(in.zp, 0);
  EXPECT_EQ(in.dtype, DType::I8);
  EXPECT_EQ(a.scale, 1 / 0.015f);
  EXPECT_EQ(a.zp, 0);
  EXPECT_EQ(a.dtype, DType::U8);
  EXPECT_EQ(net.tensorOf("pool").scale, a.scale);
  EXPECT_EQ(b.scale, 1 / 0.0125f);
  EXPECT_EQ(b.zp, 28);
  EXPECT_EQ(b.dtype, DType::I8);
  EXPECT_THAT(net.weightScales("conv1"), ElementsAre(1 / 0.004f, 1 / 0.0072f));
  EXPECT_THAT(net.weightScales("conv2"), ElementsAre(1 / 0.004f));
  auto weights =
      viewConstant(tensorKey(net.layerNamed("conv1"), keys::weights));
  EXPECT_EQ(weights->intAt(0), 125);  // 0.5 / 0.004
  EXPECT_EQ(weights->intAt(5), -125); // -0.9 / 0.0072
  EXPECT_GT(net.similarity(images()).sqnrDb(), 20);
  EXPECT_THAT(
      net.problems(),
      HasSubstr(
          "N0417: the scales of 3 tensors and of the weights of 2 layers"));
  EXPECT_THAT(net.problems(), Not(HasSubstr("warning")));
}

TEST(Encodings, WinOverSamplesAndMethods) {
  EncodedNetwork net;
  QuantizerOptions options;
  options.global.weightMethod.perChannel = true;
  options.global.activationBits = 16;
  ASSERT_TRUE(net.quantizeBy(complete(), options, images()));
  EXPECT_EQ(net.tensorOf("conv1").scale, 1 / 0.015f);
  EXPECT_EQ(net.tensorOf("conv1").bits(), 8u);
  EXPECT_THAT(net.weightScales("conv2"), ElementsAre(1 / 0.004f));
  // A range that a method finds is none of theirs.
  mlir::Value value = net.layerNamed("conv1")->getResult(0);
  net.calibration->setRange(value, {0, 1});
  EXPECT_EQ(net.calibration->range(value, 8, false).max, 0.015f * 255);
}

TEST(Encodings, LackWhatNobodyKnows) {
  Encodings e = complete();
  e.activations.pop_back();
  EncodedNetwork net;
  EXPECT_FALSE(net.quantizeBy(e));
  EXPECT_THAT(net.problems(),
              HasSubstr("E0401: the ranges of 1 tensor are not known\n"
                        "  found: conv2_0: neither encodings nor samples"));

  e.parameters.pop_back();
  EncodedNetwork measured;
  ASSERT_TRUE(measured.quantizeBy(e, {}, images())) << measured.problems();
  EXPECT_THAT(
      measured.problems(),
      HasSubstr("W0415: the encodings lack 1 tensor and the weights of 1 "
                "layer\n  found: tensors: conv2_0; weights of: conv2"));
  EXPECT_GT(measured.similarity(images()).sqnrDb(), 20);
}

TEST(Encodings, OfWhatTheNetworkDoesNotHave) {
  Encodings e = complete();
  e.activations.push_back(tensor("conv3_0", 0.1f, 0));
  e.parameters.push_back(tensor("conv1.weight", 0.1f, -128));
  e.parameters.push_back(tensor("conv1.biases", 0.1f, -128));
  EncodedNetwork net;
  ASSERT_TRUE(net.quantizeBy(e)) << net.problems();
  EXPECT_THAT(net.problems(),
              HasSubstr("W0414: 2 of 8 encodings name tensors that the network "
                        "does not have\n  found: not in the network: conv3_0, "
                        "conv1.weight\n  hint: did you mean conv"));
  EXPECT_THAT(net.problems(), HasSubstr("not used: those of 1 bias"));
}

TEST(Encodings, ByTheModelsNames) {
  // As an import leaves it: the layer has the name of the tensor inside of what
  // clean-up makes of it and its rectifier.
  EncodedNetwork net(R"(
func.func @main() -> tensor<1x6x6x2xf32> {
  %x = compass.input() : () -> tensor<1x6x6x3xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<[[[[0.5, -0.25, 0.125]]], [[[0.75, 0.3, -0.9]]]]> : tensor<2x1x1x3xf32>,
    biases = dense<[0.1, -0.2]> : tensor<2xf32>
  } : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x2xf32> loc("conv1")
  %r = compass.activation(%a) {method = "RELU"}
    : (tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32> loc("act")
  return %r : tensor<1x6x6x2xf32>
})");
  Encodings e{"net.encodings",
              {tensor("x", 0.02f, -128), tensor("conv1", 7, 0),
               tensor("relu1", 0.015f, 0)},
              {channels("conv1.weights", {0.0072f})}};
  ASSERT_TRUE(net.quantizeBy(
      e, {}, {}, {{"x", "input_0"}, {"conv1", "conv1_0"}, {"relu1", "act_0"}}))
      << net.problems();
  EXPECT_EQ(net.tensorOf("conv1").scale, 1 / 0.015f);
  EXPECT_THAT(net.problems(), HasSubstr("inside of a layer: conv1"));
}

TEST(Encodings, OfResultsThatArePassedOn) {
  Encodings e = complete();
  e.activations[1].name = "pool"; // a layer with one result
  EncodedNetwork net;
  ASSERT_TRUE(net.quantizeBy(e)) << net.problems();
  EXPECT_EQ(net.tensorOf("conv1").scale, 1 / 0.015f);
  EXPECT_EQ(net.tensorOf("pool").scale, 1 / 0.015f);
  EXPECT_THAT(net.problems(), Not(HasSubstr("warning")));

  e = complete();
  e.activations.push_back(tensor("pool_0", 0.03125f, 0));
  EncodedNetwork unequal;
  ASSERT_TRUE(unequal.quantizeBy(e)) << unequal.problems();
  EXPECT_EQ(unequal.tensorOf("pool").scale, 1 / 0.015f);
  EXPECT_THAT(unequal.problems(),
              HasSubstr("W0416: 1 encoding does not match the integer network\n"
                        "  found: pool_0: scale 0.01"));
  EXPECT_THAT(unequal.problems(),
              HasSubstr("of 0..255, not scale 0.03125 of 0..255"));
}

TEST(Encodings, OfManyBits) {
  Encodings e = complete();
  e.activations[0] = tensor("input_0", 0.0001f, -32768, 16);
  e.activations[1] = tensor("conv1_0", 0.0001f, 0, 16);
  e.activations[2] = tensor("conv2_0", 0.0001f, -30000, 16);
  EncodedNetwork net;
  ASSERT_TRUE(net.quantizeBy(e)) << net.problems();
  EXPECT_EQ(net.tensorOf("input").scale, 1 / 0.0001f);
  EXPECT_EQ(net.tensorOf("input").dtype, DType::I16);
  EXPECT_EQ(net.tensorOf("conv1").scale, 1 / 0.0001f);
  EXPECT_EQ(net.tensorOf("conv1").dtype, DType::U16);
  // Zero points are not for 16 bits.
  EXPECT_EQ(net.tensorOf("conv2").zp, 0);
  EXPECT_THAT(net.problems(), HasSubstr("found: conv2_0: scale"));
  EXPECT_GT(net.similarity(images()).sqnrDb(), 30);
}

TEST(Encodings, OfFewBits) {
  Encodings e = complete();
  e.activations[1] = tensor("conv1_0", 0.25f, 0, 4);
  e.parameters[1] = channels("conv2.weights", {0.07f, 0.005f}, 4);
  EncodedNetwork net;
  ASSERT_TRUE(net.quantizeBy(e)) << net.problems();
  EXPECT_EQ(net.tensorOf("conv1").bits(), 4u);
  EXPECT_EQ(net.tensorOf("conv1").scale, 4);
  EXPECT_THAT(net.weightScales("conv2"), ElementsAre(1 / 0.07f, 1 / 0.005f));
  EXPECT_EQ(viewConstant(tensorKey(net.layerNamed("conv2"), keys::weights))
                ->alignedBits,
            4u);
}

TEST(Encodings, OfTensorsInFloats) {
  Encodings e = complete();
  e.activations[1] = {"conv1_0", {}, 16};
  EncodedNetwork net;
  ASSERT_TRUE(net.quantizeBy(e, {}, images())) << net.problems();
  EXPECT_TRUE(net.tensorOf("conv1").isFloat());
  EXPECT_THAT(net.problems(), HasSubstr("in floats: 1 tensor"));
  EXPECT_THAT(net.problems(),
              HasSubstr("conv1.weights: the layer is computed in floats"));
}

TEST(Encodings, ThatNoLayerCanHave) {
  auto problemOf = [](const Encoding &activation, const Encoding &parameter) {
    EncodedNetwork net;
    EXPECT_FALSE(net.quantizeBy({"net.encodings", {activation}, {parameter}}));
    return net.problems();
  };
  Encoding x = tensor("input_0", 0.1f, 0);
  EXPECT_THAT(problemOf(x, tensor("conv1.weights", 0.1f, -100)),
              HasSubstr("E0413: weights have a zero point\n  found: "
                        "conv1.weights"));
  EXPECT_THAT(problemOf(x, channels("conv1.weights", {1, 1, 1})),
              HasSubstr("conv1.weights: 3 scales for 2 channels"));
  EXPECT_THAT(problemOf(x, channels("conv1.weights", {1}, 32)),
              HasSubstr("more bits than tensors can have"));
  EXPECT_THAT(problemOf(channels("conv1_0", {1, 1}), {}),
              HasSubstr("activations have several scales"));
  EXPECT_THAT(problemOf(tensor("conv1_0", 1, 0, 32), {}),
              HasSubstr("more bits than tensors can have"));
}

TEST(Encodings, GiveWayToABiasThatWouldSaturate) {
  // Training has switched the first channel off: all it has is its bias.
  EncodedNetwork net(R"(
func.func @main() -> tensor<1x6x6x2xf32> {
  %x = compass.input() : () -> tensor<1x6x6x3xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<[[[[1.0e-9, 0.0, -1.0e-9]]], [[[0.75, 0.3, -0.9]]]]> : tensor<2x1x1x3xf32>,
    biases = dense<[3.0, -0.2]> : tensor<2xf32>
  } : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x2xf32> loc("conv1")
  return %a : tensor<1x6x6x2xf32>
})");
  Encodings e{"net.encodings",
              {tensor("input_0", 0.03f, -128), tensor("conv1_0", 0.04f, -128)},
              {channels("conv1.weights", {1e-11f, 0.0072f})}};
  ASSERT_TRUE(net.quantizeBy(e)) << net.problems();
  EXPECT_GT(net.similarity(images()).sqnrDb(), 25);
  EXPECT_EQ(net.weightScales("conv1")[1], 1 / 0.0072f);
  EXPECT_THAT(net.problems(),
              HasSubstr("conv1.weights: 1 of 2 channels, the first has"));
}

TEST(Encodings, LeaveOutMethodsThatChangeTheNetwork) {
  QuantizerOptions options;
  for (const char *name : {"equalize", "gptq", "mse_ranges"}) {
    options.methods.push_back(*GlobalMethod::create(name, {}));
    options.methods.back().isAsked = std::string(name) != "mse_ranges";
  }
  EncodedNetwork net;
  auto plan = planEncodings(complete(), EncodingNames(*net.module, {}),
                            *net.module, options, net.diags);
  ASSERT_TRUE(plan);
  ASSERT_EQ(options.methods.size(), 1u);
  EXPECT_EQ(options.methods[0].record->name, "gptq");
  EXPECT_THAT(net.problems(), HasSubstr("W0508: equalize is not applied"));
}
