//===- RulesTest.cpp - Every rule keeps the meaning of its layers ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One layer per case, quantized four ways; the integer layer must come as near
// to the float one as its bits allow.
//
//===----------------------------------------------------------------------===//

#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;

namespace {
struct Case {
  const char *name;
  const char *layer;  ///< reads %x (and %y), result %z
  const char *input;  ///< shape
  const char *output; ///< shape
  bool twoInputs = false;
  float mean = 0, deviation = 1;        ///< of the inputs
  double minSqnr8 = 30, minSqnr16 = 60; ///< dB
};

void PrintTo(const Case &c, std::ostream *os) { *os << c.name; }

std::string networkOf(const Case &c) {
  std::string in = std::string("tensor<") + c.input + "xf32>";
  std::string out = std::string("tensor<") + c.output + "xf32>";
  std::string text = "func.func @main() -> " + out + " {\n";
  text += "  %x = compass.input() {input_index = 0} : () -> " + in + "\n";
  if (c.twoInputs)
    text += "  %y = compass.input() {input_index = 1} : () -> " + in + "\n";
  text += std::string("  %z = ") + c.layer + " : (" + in +
          (c.twoInputs ? ", " + in : "") + ") -> " + out + "\n";
  return text + "  return %z : " + out + "\n}\n";
}

std::vector<int64_t> samplesOf(const char *shape, int64_t count) {
  std::vector<int64_t> dims;
  std::istringstream stream(shape);
  for (std::string d; std::getline(stream, d, 'x');)
    dims.push_back(std::stoll(d));
  dims[0] *= count;
  return dims;
}

const char *kWeights =
    "weights = dense<[[[[0.5, -0.25, 0.125]]], [[[0.75, 0.3, -0.9]]]]> : "
    "tensor<2x1x1x3xf32>, biases = dense<[0.1, -0.2]> : tensor<2xf32>";
std::string conv(const std::string &more) {
  return std::string("compass.convolution(%x) {") + kWeights +
         ", num_output = 2" + more + "}";
}
const std::string kPlainConv = conv(""),
                  kConvRelu = conv(", with_activation = "
                                   "\"RELU\""),
                  kConvClip = conv(", with_activation = \"CLIP\", clip_min = "
                                   "-0.5, clip_max = 0.75"),
                  kConvLeaky = conv(", with_activation = \"LEAKYRELU\", "
                                    "negative_slope_value = 0.1"),
                  kConvPrelu =
                      conv(", with_activation = \"PRELU\", negative_slope = "
                           "dense<[0.1, 0.3]> : tensor<2xf32>");

// 8-bit weights limit what 16-bit activations gain.
constexpr double kWeights8 = 45;

const Case kCases[] = {
    {"Conv", kPlainConv.c_str(), "1x5x4x3", "1x5x4x2", false, 0, 1, 30,
     kWeights8},
    {"ConvRelu", kConvRelu.c_str(), "1x5x4x3", "1x5x4x2", false, 0, 1, 30,
     kWeights8},
    {"ConvClip", kConvClip.c_str(), "1x5x4x3", "1x5x4x2", false, 0, 1, 30,
     kWeights8},
    {"ConvLeaky", kConvLeaky.c_str(), "1x5x4x3", "1x5x4x2", false, 0, 1, 30,
     kWeights8},
    {"ConvPrelu", kConvPrelu.c_str(), "1x5x4x3", "1x5x4x2", false, 0, 1, 30,
     kWeights8},
    {"Depthwise",
     "compass.depthwise_conv(%x) {weights = dense<[[[[0.5], [-0.25]]], "
     "[[[0.01], [0.02]]]]> : tensor<2x1x2x1xf32>, biases = dense<[0.1, 0.02]> "
     ": tensor<2xf32>, kernel_x = 2, group = 2, with_activation = \"RELU6\"}",
     "1x5x4x2", "1x5x3x2", false, 0, 1, 30, kWeights8},
    {"FullyConnected",
     "compass.fully_connected(%x) {weights = dense<[[0.5, -0.25, 0.1], [0.3, "
     "0.2, 0.7]]> : tensor<2x3xf32>, biases = dense<[0.5, -1.0]> : "
     "tensor<2xf32>}",
     "1x3", "1x2", false, 0, 1, 30, kWeights8},
    {"MatMul", "compass.matmul(%x, %y) {trans_b = true}", "1x2x6x4", "1x2x6x6",
     true},
    {"Add", "compass.eltwise(%x, %y) {method = \"ADD\"}", "1x4x3x5", "1x4x3x5",
     true},
    {"AddRelu",
     "compass.eltwise(%x, %y) {method = \"ADD\", with_activation = \"RELU\"}",
     "1x4x3x5", "1x4x3x5", true},
    {"Sub", "compass.sub(%x, %y)", "1x4x3x5", "1x4x3x5", true, 1},
    {"Mul", "compass.mul(%x, %y)", "1x4x3x5", "1x4x3x5", true},
    {"Max", "compass.eltwise(%x, %y) {method = \"MAX\"}", "1x4x3x5", "1x4x3x5",
     true},
    {"Min", "compass.eltwise(%x, %y) {method = \"MIN\"}", "1x4x3x5", "1x4x3x5",
     true},
    {"Relu", "compass.activation(%x) {method = \"RELU\"}", "1x40", "1x40"},
    {"Clip",
     "compass.activation(%x) {method = \"CLIP\", clip_min = -1.0, clip_max = "
     "1.0}",
     "1x40", "1x40"},
    {"Leaky",
     "compass.activation(%x) {method = \"LEAKYRELU\", negative_slope_value = "
     "0.2}",
     "1x40", "1x40"},
    {"Sigmoid", "compass.activation(%x) {method = \"SIGMOID\"}", "1x40",
     "1x40"},
    {"Tanh", "compass.activation(%x) {method = \"TANH\"}", "1x40", "1x40"},
    {"Gelu", "compass.activation(%x) {method = \"GELU\"}", "1x40", "1x40"},
    {"Silu", "compass.activation(%x) {method = \"SILU\"}", "1x40", "1x40"},
    {"Exp", "compass.exp(%x)", "1x40", "1x40", false, 0, 1, 30, 50},
    {"Sqrt", "compass.sqrt(%x)", "1x40", "1x40", false, 20, 4},
    {"Rsqrt", "compass.rsqrt(%x)", "1x40", "1x40", false, 20, 4},
    {"Sine", "compass.sine(%x)", "1x40", "1x40", false, 0, 1, 30, 40},
    {"Square", "compass.square(%x)", "1x40", "1x40"},
    {"Pow", "compass.pow(%x) {exponent = 3.0}", "1x40", "1x40", false, 0, 1, 20,
     50},
    {"PowOfTensors", "compass.pow(%x, %y)", "1x40", "1x40", true, 2, 0.4f, 25,
     45},
    {"Abs", "compass.abs(%x)", "1x40", "1x40"},
    {"Negative", "compass.negative(%x)", "1x40", "1x40"},
    {"BatchNorm",
     "compass.batch_norm(%x) {axis = 3, weights = dense<[0.5, 3.0]> : "
     "tensor<2xf32>, biases = dense<[0.1, -1.0]> : tensor<2xf32>}",
     "1x4x4x2", "1x4x4x2"},
    {"LayerNorm",
     "compass.layer_norm(%x) {axis = array<i64: 2>, weights = dense<[0.5, 1.0, "
     "1.5, 0.8, 0.6, 1.2, 1.0, 0.9]> : tensor<8xf32>, biases = dense<[0.1, "
     "-0.1, 0.2, 0.0, 0.3, 0.1, 0.05, -0.2]> : tensor<8xf32>}",
     // At 16 bits the reference rounds 2^15 / deviation to an integer, which is
     // 4 or 5 here: nothing that a quantizer could mend.
     "1x6x8", "1x6x8", false, 0.5f, 1, 25, 18},
    {"LayerNormOf4", // so few that the formula's shift would go to the left
     "compass.layer_norm(%x) {axis = array<i64: 2>, weights = dense<[0.5, 1.0, "
     "1.5, 0.8]> : tensor<4xf32>, biases = dense<[0.1, -0.1, 0.2, 0.0]> : "
     "tensor<4xf32>}",
     "1x6x4", "1x6x4", false, 0.5f, 1, 25, 18},
    {"Softmax", "compass.softmax(%x) {axis = -1}", "1x20", "1x20", false, 0, 2,
     28, 45},
    {"Concat", "compass.concat(%x, %y) {axis = 1}", "1x20", "1x40", true},
    {"Mean", "compass.reduce(%x) {method = \"MEAN\", axis = array<i64: 1, 2>}",
     "1x4x4x3", "1x1x1x3", false, 0.3f, 1, 25},
    {"Sum", "compass.reduce(%x) {method = \"SUM\", axis = array<i64: 1>}",
     "1x6x3", "1x1x3"},
    {"Variance",
     "compass.reduce(%x) {method = \"VARIANCE\", axis = array<i64: 1>}",
     "1x12x3", "1x1x3", false, 0.5f, 1, 25, 50},
    {"ReduceMax", "compass.reduce(%x) {method = \"MAX\", axis = array<i64: 1>}",
     "1x6x3", "1x1x3"},
    {"AvgPool",
     "compass.pooling(%x) {method = \"AVG\", kernel_x = 2, kernel_y = 2, "
     "stride_x = 2, stride_y = 2}",
     "1x6x4x3", "1x3x2x3", false, 0.5f, 1, 25},
    {"MaxPool",
     "compass.pooling(%x) {method = \"MAX\", kernel_x = 2, kernel_y = 2, "
     "stride_x = 2, stride_y = 2}",
     "1x6x4x3", "1x3x2x3"},
    {"Pad",
     "compass.pad(%x) {pads = [array<i64: 0, 0>, array<i64: 1, 2>], "
     "constant_value = 0.5}",
     "1x20", "1x23"},
    {"Transpose", "compass.transpose(%x) {perm = array<i64: 0, 2, 1>}", "1x4x5",
     "1x5x4"},
    {"Resize",
     "compass.resize(%x) {method = \"BILINEAR\", mode = \"HALF_PIXEL\", size = "
     "array<i64: 1, 8, 8, 2>}",
     "1x4x4x2", "1x8x8x2"},
};
} // namespace

class Rules : public ::testing::TestWithParam<Case> {
protected:
  void check(unsigned bits, RangeMode mode, bool perChannel) {
    const Case &c = GetParam();
    TestNetwork net(networkOf(c));
    ASSERT_TRUE(net.module);
    QuantizerOptions options;
    options.calibrationBatchSize = 16;
    options.global.activationStrategy.kind = CalibrationStrategy::Kind::Extrema;
    options.global.activationBits = bits;
    options.global.activationMethod.mode = mode;
    options.global.weightMethod.perChannel = perChannel;
    options.global.lutItemsInBits = bits == 8 ? 8 : 10;
    std::vector<NpyView> samples;
    for (unsigned i = 0; i < (c.twoInputs ? 2u : 1u); ++i)
      samples.push_back(
          normalSamples(samplesOf(c.input, 32), i + 1, c.mean, c.deviation));
    ASSERT_TRUE(net.quantize(options, samples)) << net.problems();
    Similarity s = net.similarity(samples);
    EXPECT_GT(s.sqnrDb(), bits == 8 ? c.minSqnr8 : c.minSqnr16)
        << "at " << bits << " bits, cosine " << s.cosine();
  }
};

TEST_P(Rules, Symmetric) { check(8, RangeMode::SymmetricFull, false); }
TEST_P(Rules, Asymmetric) { check(8, RangeMode::Asymmetric, false); }
TEST_P(Rules, PerChannel) { check(8, RangeMode::SymmetricFull, true); }
TEST_P(Rules, PerChannelAsymmetric) { check(8, RangeMode::Asymmetric, true); }

INSTANTIATE_TEST_SUITE_P(Layers, Rules, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

class Rules16 : public Rules {};
TEST_P(Rules16, Symmetric) { check(16, RangeMode::SymmetricFull, true); }
TEST_P(Rules16, Asymmetric) { check(16, RangeMode::Asymmetric, false); }
INSTANTIATE_TEST_SUITE_P(Layers, Rules16, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });
