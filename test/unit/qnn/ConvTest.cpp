//===- ConvTest.cpp - Convolutions of QNN ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// A convolution, by the names of the definition.
struct Conv {
  const char *type;
  Dims x, filter;
  Steps steps;
  Dims outputPadding = {};

  bool isBack() const { return std::string_view(type).starts_with("Trans"); }
  std::int64_t outputs() const {
    return filter.back() * (isBack() ? steps.group : 1);
  }
  Reference reference(const Reference &input, const Reference &weights,
                      const std::vector<double> &bias) const {
    if (!isBack())
      return convolved(input, weights, bias, steps);
    return convolvedBack(input, weights, bias, steps,
                         outputPadding.empty() ? Dims(steps.stride.size())
                                               : outputPadding);
  }
  void setParams(OneNode &net) const;
};

void Conv::setParams(OneNode &net) const {
  auto axes = std::int64_t(steps.stride.size());
  auto add = [&](const char *name, const Dims &values) {
    if (!values.empty())
      net.list(name, axes == 1 ? Dims{} : Dims{axes},
               {values.begin(), values.end()});
  };
  add("stride", steps.stride);
  add("dilation", steps.dilation);
  add("output_padding", outputPadding);
  std::vector<double> pads;
  for (std::size_t a = 0; a < steps.stride.size(); ++a)
    pads.insert(pads.end(), {double(steps.before[a]), double(steps.after[a])});
  net.list("pad_amount", axes == 1 ? Dims{2} : Dims{axes, 2}, pads);
  if (!std::string_view(type).starts_with("Depth") && steps.group != 1)
    net.param("group", double(steps.group));
}

std::vector<Conv> allConvs() {
  return {
      {"Conv1d", {2, 9, 4}, {3, 4, 5}, {{2}, {1}, {0}, {2}}},
      {"Conv1d", {1, 7, 4}, {2, 2, 6}, {{1}, {0}, {1}, {}, 2}},
      {"Conv2d", {1, 6, 5, 3}, {3, 2, 3, 4}, {{1, 2}, {1, 0}, {0, 1}, {}}},
      {"Conv2d",
       {2, 7, 8, 4},
       {3, 3, 2, 6},
       {{2, 1}, {2, 1}, {1, 2}, {2, 1}, 2}},
      {"Conv2d", {1, 4, 4, 8}, {1, 1, 8, 7}, {{1, 1}, {0, 0}, {0, 0}, {}}},
      {"Conv3d",
       {1, 4, 5, 6, 2},
       {2, 3, 2, 2, 3},
       {{1, 2, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 2}}},
      {"Conv3d",
       {1, 3, 4, 3, 4},
       {2, 2, 2, 2, 4},
       {{1, 1, 2}, {0, 1, 0}, {1, 0, 0}, {}, 2}},
      {"DepthWiseConv1d", {1, 9, 3}, {3, 1, 6}, {{1}, {1}, {1}, {2}, 3}},
      {"DepthWiseConv2d",
       {1, 6, 7, 4},
       {3, 3, 1, 4},
       {{2, 2}, {1, 1}, {1, 1}, {}, 4}},
      {"DepthWiseConv2d",
       {2, 5, 6, 3},
       {2, 3, 1, 6},
       {{1, 1}, {0, 2}, {1, 0}, {1, 2}, 3}},
      {"DepthWiseConv2d",
       {1, 5, 5, 1},
       {3, 3, 1, 2},
       {{1, 1}, {1, 1}, {1, 1}, {}, 1}},
      {"TransposeConv1d", {1, 5, 3}, {4, 3, 2}, {{2}, {1}, {0}, {}}, {1}},
      {"TransposeConv2d",
       {1, 3, 4, 2},
       {3, 2, 2, 3},
       {{2, 3}, {1, 0}, {0, 1}, {}},
       {1, 2}},
      {"TransposeConv2d",
       {1, 4, 3, 4},
       {2, 3, 4, 3},
       {{1, 2}, {0, 1}, {1, 1}, {}, 2}},
      {"TransposeConv3d",
       {1, 2, 3, 2, 2},
       {2, 3, 2, 2, 3},
       {{2, 1, 2}, {0, 1, 1}, {1, 0, 0}, {2, 1, 1}},
       {1, 0, 1}},
      {"TransposeConv3d",
       {1, 2, 2, 3, 4},
       {2, 2, 3, 4, 2},
       {{1, 2, 1}, {0, 0, 1}, {0, 1, 1}, {}, 2}},
  };
}

/// How a quantized convolution stores its tensors.
struct Stored {
  DataType x, weights, bias, y;
  bool isPerAxis = false;
  unsigned weightBits = 0; ///< If fewer than are stored.
};

/// The scales of the products, as converters write them for biases; or one of
/// its own.
qnn::Encoding biasEncoding(const Values &x, const Values &w, const Values &b) {
  if (b.type != DataType::SFIXED_POINT_32)
    return scaleOffset(0.013f, -119);
  const std::vector<float> &weights = w.encoding.scales;
  std::vector<float> scales;
  // Groups of a transposed convolution share those of the weights.
  for (std::size_t i = 0; i < (weights.size() == 1 ? 1 : b.count()); ++i)
    scales.push_back(weights[i % weights.size()] * x.encoding.scales[0]);
  std::vector<std::int32_t> offsets(scales.size(), 0);
  return scales.size() == 1 ? scaleOffset(scales[0], 0)
                            : axisScaleOffset(0, scales, offsets);
}

qnn::Encoding weightEncoding(Random &random, const Stored &how,
                             const Dims &filter) {
  std::int64_t outputs = how.isPerAxis ? filter.back() : 1;
  bool isSigned = qnn::entryOf(how.weights).element == ElementType::I8;
  std::vector<float> scales;
  std::vector<std::int32_t> offsets;
  for (std::int64_t c = 0; c < outputs; ++c) {
    scales.push_back(float(random.between(0.002, 0.02)));
    offsets.push_back(isSigned ? 0 : std::int32_t(-random.below(256)));
  }
  qnn::Encoding encoding =
      how.isPerAxis
          ? axisScaleOffset(std::int64_t(filter.size()) - 1, scales, offsets)
          : scaleOffset(scales[0], offsets[0]);
  if (how.weightBits) {
    encoding.form = how.isPerAxis ? qnn::Encoding::Form::BitWidthAxisScaleOffset
                                  : qnn::Encoding::Form::BitWidthScaleOffset;
    encoding.bitWidth = how.weightBits;
  }
  return encoding;
}

Agreement agreementWith(const Conv &conv, const Stored &how,
                        std::uint64_t seed) {
  Random random(seed);
  Values x = random.values(
      how.x, conv.x,
      encodingFor(how.x, random.between(-3, -0.5), random.between(0.5, 3)));
  Values w = random.values(how.weights, conv.filter,
                           weightEncoding(random, how, conv.filter));
  Values b = random.values(how.bias, {conv.outputs()});
  if (b.isFixed())
    b.encoding = biasEncoding(x, w, b);
  if (how.bias == DataType::SFIXED_POINT_32)
    for (double &number : b.numbers)
      number = double(random.below(20001) - 10000);
  std::vector<double> biases = b.reals();
  // Scales are float32: that of the products is meant where it is the nearest.
  if (how.bias == DataType::SFIXED_POINT_32)
    for (std::size_t i = 0; i < biases.size(); ++i)
      biases[i] = b.numbers[i] * double(x.encoding.scales[0]) *
                  double(w.encoding.scales[i % w.encoding.scales.size()]);
  Reference y = conv.reference(x, w, biases);
  OneNode net(conv.type);
  conv.setParams(net);
  net.input(x).constant(w).constant(b).output(how.y, y.dims,
                                              encodingFor(how.y, y));
  Agreement result = agreementOf(net.run(), y);
  for (const Diagnostic &d : net.diags.all())
    if (d.id->code != "W1045" && d.id->code != "N0410")
      ADD_FAILURE() << conv.type << ": " << d.str();
  EXPECT_EQ(result.total(), y.reals.size());
  return result;
}

/// All convolutions; what is farther off than \p most is an error.
Agreement agreementOfAll(const Stored &how, double most) {
  Agreement all;
  std::uint64_t seed = 1;
  for (const Conv &conv : allConvs()) {
    Agreement one = agreementWith(conv, how, seed++);
    EXPECT_LE(one.farthest, most) << conv.type << ": " << one.text();
    all.equal += one.equal, all.near += one.near, all.far += one.far;
  }
  ::testing::Test::RecordProperty("agreement", all.text());
  return all;
}

} // namespace

TEST(QnnConv, ComputesFloats) {
  std::uint64_t seed = 100;
  for (const Conv &conv : allConvs())
    for (bool hasBias : {false, true}) {
      SCOPED_TRACE(conv.type);
      Random random(seed++);
      Values x = random.values(F32, conv.x),
             w = random.values(F32, conv.filter),
             b = random.values(F32, {conv.outputs()});
      Reference y =
          conv.reference(x, w, hasBias ? b.numbers : std::vector<double>{});
      OneNode net(conv.type);
      conv.setParams(net);
      net.input(x).constant(w);
      if (hasBias)
        net.constant(b);
      net.output(F32, y.dims);
      expectClose(net.run(), y, 2e-6);
    }
}

TEST(QnnConv, ComputesIntegersOf8Bits) {
  for (Stored how : {Stored{U8, U8, S32, U8}, Stored{U8, S8, S32, U8, true},
                     Stored{U8, U8, S32, U8, true}, Stored{S8, S8, S32, S8},
                     Stored{S8, S8, S32, S8, true}, Stored{U8, S8, S32, S8},
                     Stored{S8, U8, S32, U8}}) {
    Agreement all = agreementOfAll(how, 0);
    EXPECT_EQ(all.equal, all.total()) << all.text();
  }
}

TEST(QnnConv, ComputesWeightsOf4Bits) {
  for (Stored how : {Stored{U8, S8, S32, U8, true, 4}, Stored{U8, S4, S32, U8},
                     Stored{U8, U4, S32, U8}, Stored{S8, S4, S32, S8, true}}) {
    Agreement all = agreementOfAll(how, 0);
    EXPECT_EQ(all.equal, all.total()) << all.text();
  }
}

TEST(QnnConv, ComputesBiasesOfTheirOwnScale) {
  for (Stored how : {Stored{U8, U8, U8, U8}, Stored{U8, S8, U8, U8, true},
                     Stored{U8, S8, F32, U8, true}}) {
    Agreement all = agreementOfAll(how, 1);
    EXPECT_EQ(all.far, 0u) << all.text();
  }
}

TEST(QnnConv, Computes16Bits) {
  for (Stored how :
       {Stored{U16, U8, S32, U16}, Stored{U16, S8, S32, U16, true},
        Stored{S16, S8, S32, S16, true}, Stored{U16, S4, S32, U16, true},
        Stored{U16, S8, S32, U8, true}}) {
    Agreement all = agreementOfAll(how, 0);
    EXPECT_EQ(all.equal, all.total()) << all.text();
  }
}

/// Without an offset 16 bits are TFLite's, whose multipliers have 15.
TEST(QnnConv, ComputesSymmetric16Bits) {
  Random random(7);
  Conv conv = allConvs()[2];
  Values x = random.values(S16, conv.x, scaleOffset(1.0f / 8192, 0)),
         w = random.values(S8, conv.filter, scaleOffset(0.01f, 0));
  Reference y = conv.reference(x, w, {});
  OneNode net(conv.type);
  conv.setParams(net);
  net.input(x).constant(w).output(S16, y.dims, encodingFor(S16, y));
  expectWithinOne(net.run(), y);
  EXPECT_FALSE(net.reports("N0409"));
}

TEST(QnnConv, ReportsRoundedBiases) {
  auto net = [](float scale) {
    OneNode conv("Conv2d");
    conv.input({U8, {1, 1, 1, 1}, scaleOffset(0.5f, 0), {3}})
        .constant({S8, {1, 1, 1, 1}, scaleOffset(0.25f, 0), {2}})
        .constant({S32, {1}, scaleOffset(scale, 0), {3}})
        .list("stride", {2}, {1, 1})
        .list("pad_amount", {2, 2}, {0, 0, 0, 0})
        .output(U8, {1, 1, 1, 1}, scaleOffset(0.125f, 0));
    return conv.run().numbers.at(0) + (conv.reports("W1045") ? 1000 : 0);
  };
  EXPECT_EQ(net(0.125f), 9);     // 6 + 3 of the products' steps
  EXPECT_EQ(net(0.25f), 12);     // a multiple
  EXPECT_EQ(net(0.0625f), 1008); // 1.5 becomes 2
}

TEST(QnnConv, RefusesFiltersThatAreComputed) {
  OneNode net("Conv2d");
  net.input(floats({1, 1, 1, 1}, {3}))
      .input(floats({1, 1, 1, 1}, {2}))
      .list("stride", {2}, {1, 1})
      .list("pad_amount", {2, 2}, {0, 0, 0, 0})
      .output(F32, {1, 1, 1, 1});
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1005")) << net.diags.all().front().str();
}
