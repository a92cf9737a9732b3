//===- QdqExactTest.cpp - Integers of QDQ models are the exact ones -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers that multiply, between tensors that are stored: every result is
// clip(RNE(sum * scales / scale) + zero point), computed here in long double,
// whose 64 bits hold the products of sums and scales.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compat.h"
#include "quantizer/prequantized/Prequantized.h"
#include "test/unit/onnx/Imported.h"
#include <cmath>
#include <random>

using namespace yarrow;
using namespace yarrow::test;

namespace {

using Integers = std::vector<int64_t>;

/// A list of random numbers of a type.
struct Draw {
  std::mt19937 random;

  Integers integers(size_t count, int64_t least, int64_t most) {
    std::uniform_int_distribution<int64_t> pick(least, most);
    Integers values(count);
    for (int64_t &value : values)
      value = pick(random);
    return values;
  }
  std::vector<float> scales(size_t count, float most) {
    std::uniform_real_distribution<float> pick(most / 4, most);
    std::vector<float> values(count);
    for (float &value : values)
      value = pick(random);
    return values;
  }
};

/// As ONNX numbers them.
enum Kind { U8 = 2, I8 = 3, I32 = 6 };

std::pair<int64_t, int64_t> rangeOf(Kind kind) {
  return kind == U8 ? std::pair<int64_t, int64_t>(0, 255)
                    : std::pair<int64_t, int64_t>(-128, 127);
}

Message storedOf(const std::string &name, Kind kind,
                 const std::vector<int64_t> &shape, const Integers &values) {
  Message tensor;
  for (int64_t length : shape)
    tensor.add(1, std::uint64_t(length));
  std::string raw;
  for (int64_t value : values)
    for (int i = 0; i < (kind == I32 ? 4 : 1); ++i)
      raw += char(value >> (8 * i));
  return tensor.add(2, std::uint64_t(kind)).add(8, name).add(9, raw);
}

/// One layer with everything that it is made of.
struct Layer {
  Kind input = U8, weight = I8, output = I8;
  std::vector<int64_t> inputShape, weightShape;
  size_t outputs = 0;
  int64_t axis = 0; ///< Of the weights' scales.
  bool isPerChannel = true;

  float xScale = 0.021f, yScale = 0.37f;
  int64_t xZero = 0, yZero = 0;
  std::vector<float> wScales;
  Integers wZeros, x, w, bias;

  void fill(Draw &draw) {
    size_t scales = isPerChannel ? outputs : 1;
    auto [xLeast, xMost] = rangeOf(input);
    auto [wLeast, wMost] = rangeOf(weight);
    wScales = draw.scales(scales, 0.05f);
    // Zero points of uint8; int8 has none where it is the weights.
    wZeros = weight == U8 ? draw.integers(scales, 100, 150) : Integers(scales);
    xZero = draw.integers(1, xLeast, xMost)[0];
    yZero = draw.integers(1, -20, 20)[0] + (output == U8 ? 128 : 0);
    x = draw.integers(size_t(graph::numElements(inputShape)), xLeast, xMost);
    w = draw.integers(size_t(graph::numElements(weightShape)), wLeast, wMost);
    bias = draw.integers(outputs, -20000, 20000);
  }

  float wScale(size_t o) const { return wScales[isPerChannel ? o : 0]; }
  int64_t wZero(size_t o) const { return wZeros[isPerChannel ? o : 0]; }

  /// x -> DequantizeLinear -> \p op -> QuantizeLinear -> y
  std::string model(Message op) const {
    std::vector<int64_t> list;
    if (isPerChannel)
      list = {int64_t(outputs)};
    std::vector<float> sums;
    for (float scale : wScales)
      sums.push_back(xScale * scale);
    Message weights = nodeOf("DequantizeLinear", {"w", "ws", "wz"}, {"wd"}),
            biases = nodeOf("DequantizeLinear", {"b", "bs"}, {"bd"});
    weights.add(5, intAttribute("axis", axis));
    biases.add(5, intAttribute("axis", 0));
    Message g;
    g.add(1, nodeOf("DequantizeLinear", {"x", "xs", "xz"}, {"xd"}))
        .add(1, weights)
        .add(1, biases)
        .add(1, op)
        .add(1, nodeOf("QuantizeLinear", {"r", "ys", "yz"}, {"y"}))
        .add(5, floatsOf("xs", {}, {xScale}))
        .add(5, storedOf("xz", input, {}, {xZero}))
        .add(5, floatsOf("ys", {}, {yScale}))
        .add(5, storedOf("yz", output, {}, {yZero}))
        .add(5, floatsOf("ws", list, wScales))
        .add(5, storedOf("wz", weight, list, wZeros))
        .add(5, storedOf("w", weight, weightShape, w))
        .add(5, floatsOf("bs", list, sums))
        .add(5, storedOf("b", I32, {int64_t(outputs)}, bias))
        .add(11, valueOf("x", inputShape, std::uint64_t(input)))
        .add(12, valueOf("y", {}, std::uint64_t(output)));
    return modelOf(g);
  }

  /// Of a sum of products for output \p o.
  int64_t exact(int64_t sum, size_t o) const {
    long double real =
        (long double)(sum + bias[o]) * xScale * wScale(o) / yScale;
    auto [least, most] = rangeOf(output);
    return int64_t(
        std::clamp<long double>(std::nearbyint(real) + yZero, least, most));
  }

  /// The first output of the integer network.
  Integers run(const std::string &bytes) const {
    Imported net(bytes);
    PrequantizedResult result;
    EXPECT_TRUE(net.module && compass::isCompat(*net.module));
    if (!net.module ||
        !convertPrequantized(*net.module, {}, net.diags, &result)) {
      for (const Diagnostic &d : net.diags.all())
        ADD_FAILURE() << d.str();
      return {};
    }
    EXPECT_EQ(result.inIntegers, result.layers);
    auto evaluator = compass::Evaluator::create(*net.module, net.diags);
    std::string input(x.begin(), x.end());
    std::vector<compass::TensorBytes> outputs;
    evaluator->run({{input.data(), input.size()}}, outputs);
    Integers y;
    for (char byte : outputs[0])
      y.push_back(output == U8 ? int64_t(uint8_t(byte))
                               : int64_t(int8_t(byte)));
    return y;
  }
};

/// Every form that inputs, weights and outputs may have.
template <typename Check> void forAllForms(Check check) {
  for (Kind input : {U8, I8})
    for (Kind weight : {I8, U8})
      for (Kind output : {I8, U8})
        for (bool isPerChannel : {true, false}) {
          Layer layer;
          layer.input = input, layer.weight = weight, layer.output = output;
          layer.isPerChannel = isPerChannel;
          check(layer);
        }
}

} // namespace

/// A convolution of 3 x 3 with a border of 1, in \p groups.
static void checkConvolution(Layer layer, Draw &draw, int64_t groups) {
  constexpr int64_t kChannels = 4, kOutputs = 8, kSide = 6;
  layer.inputShape = {1, kChannels, kSide, kSide};
  int64_t perGroup = kChannels / groups;
  layer.weightShape = {kOutputs, perGroup, 3, 3};
  layer.outputs = kOutputs;
  layer.fill(draw);
  Message conv = nodeOf("Conv", {"xd", "wd", "bd"}, {"r"});
  conv.add(5, intsAttribute("pads", {1, 1, 1, 1}))
      .add(5, intAttribute("group", groups));
  Integers expected;
  for (int64_t o = 0; o < kOutputs; ++o)
    for (int64_t row = 0; row < kSide; ++row)
      for (int64_t column = 0; column < kSide; ++column) {
        int64_t sum = 0;
        for (int64_t i = 0; i < perGroup * 9; ++i) {
          int64_t y = row + i / 3 % 3 - 1, x = column + i % 3 - 1;
          int64_t channel = o / (kOutputs / groups) * perGroup + i / 9;
          if (y >= 0 && y < kSide && x >= 0 && x < kSide)
            sum += (layer.x[size_t((channel * kSide + y) * kSide + x)] -
                    layer.xZero) *
                   (layer.w[size_t(o * perGroup * 9 + i)] -
                    layer.wZero(size_t(o)));
        }
        expected.push_back(layer.exact(sum, size_t(o)));
      }
  EXPECT_EQ(layer.run(layer.model(conv)), expected);
}

TEST(QdqExact, Convolution) {
  Draw draw;
  forAllForms([&](const Layer &layer) { checkConvolution(layer, draw, 1); });
}

TEST(QdqExact, DepthwiseConvolution) {
  Draw draw;
  forAllForms([&](const Layer &layer) { checkConvolution(layer, draw, 4); });
}

/// x [5,7] times weights, which \p op has transposed or not.
static void checkProduct(Layer layer, Draw &draw, const char *op) {
  constexpr int64_t kRows = 5, kInner = 7, kOutputs = 6;
  bool isGemm = op == std::string("Gemm");
  layer.inputShape = {kRows, kInner};
  layer.weightShape = {kInner, kOutputs};
  layer.axis = 1;
  if (isGemm) {
    layer.weightShape = {kOutputs, kInner};
    layer.axis = 0;
  }
  layer.outputs = kOutputs;
  layer.fill(draw);
  Message node = nodeOf(op, {"xd", "wd", "bd"}, {"r"});
  if (isGemm)
    node.add(5, intAttribute("transB", 1));
  else
    layer.bias.assign(kOutputs, 0);
  Integers expected;
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t o = 0; o < kOutputs; ++o) {
      int64_t sum = 0;
      for (int64_t i = 0; i < kInner; ++i) {
        int64_t at = isGemm ? o * kInner + i : i * kOutputs + o;
        sum += (layer.x[size_t(row * kInner + i)] - layer.xZero) *
               (layer.w[size_t(at)] - layer.wZero(size_t(o)));
      }
      expected.push_back(layer.exact(sum, size_t(o)));
    }
  if (!isGemm)
    node = nodeOf(op, {"xd", "wd"}, {"r"});
  EXPECT_EQ(layer.run(layer.model(node)), expected);
}

TEST(QdqExact, Gemm) {
  Draw draw;
  forAllForms([&](const Layer &layer) { checkProduct(layer, draw, "Gemm"); });
}

TEST(QdqExact, MatMul) {
  Draw draw;
  forAllForms([&](const Layer &layer) { checkProduct(layer, draw, "MatMul"); });
}
