//===- CheckRulesTest.cpp - What NNAPI says of operations -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of each kind of rule in OperationRules.def an operation that keeps it, and
// the same one broken.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include "parser/nnapi/OperationRules.h"
#include "support/diagnostics/Import.h"
#include "test/unit/nnapi/NnModels.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::nnapi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using yarrow::test::Dims;
using yarrow::test::NnBuilder;

namespace {

constexpr auto kU8 = OperandType::TENSOR_QUANT8_ASYMM;
constexpr auto kS8 = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
constexpr auto kI32 = OperandType::TENSOR_INT32;

std::vector<std::string> problemsOf(const NnBuilder &b,
                                    int level = kRuntimeFeatureLevel) {
  DiagnosticEngine diags;
  EXPECT_NE(
      checkFinishedOperation(b.model, b.model.operations.back(), level, diags),
      diags.hasErrors());
  std::vector<std::string> messages;
  for (const Diagnostic &d : diags.all()) {
    EXPECT_EQ(d.id, diag::NnapiModel);
    EXPECT_FALSE(d.foundText.empty());
    EXPECT_FALSE(d.expectedText.empty()) << d.message;
    messages.push_back(d.message + ", found " + d.foundText);
  }
  return messages;
}

/// One input, one output.
NnBuilder unary(std::string_view operation, Operand from, Operand to) {
  NnBuilder b;
  auto x = b.input(std::move(from)), y = b.output(std::move(to));
  b.add(operation, {x}, {y});
  return b;
}

/// A convolution in channels last that is right: operands x 0, w 1, b 2, pads 3
/// to 6, strides 7 and 8, fuse 9, y the last.
NnBuilder convolution(Operand x = NnBuilder::floats({1, 4, 4, 3}),
                      Operand w = NnBuilder::floats({8, 3, 3, 3}),
                      Operand bias = NnBuilder::floats({8}),
                      Operand y = NnBuilder::floats({1, 2, 2, 8})) {
  NnBuilder b;
  std::vector<std::uint32_t> inputs = {b.input(x), b.input(w), b.input(bias)};
  for (int pad = 0; pad < 4; ++pad)
    inputs.push_back(b.scalar(0));
  for (int stride = 0; stride < 2; ++stride)
    inputs.push_back(b.scalar(1));
  inputs.push_back(b.scalar(0));
  b.add("CONV_2D", inputs, {b.output(y)});
  return b;
}

NnBuilder quantizedConvolution(Operand w, float biasScale, float scale) {
  return convolution(NnBuilder::tensor(kU8, {1, 4, 4, 3}, 0.5f, 128), w,
                     NnBuilder::tensor(kI32, {8}, biasScale),
                     NnBuilder::tensor(kU8, {1, 2, 2, 8}, scale));
}

Operand channelWeights(std::uint32_t axis) {
  Operand w = NnBuilder::tensor(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
                                {8, 3, 3, 3});
  w.channels = {axis, std::vector<float>(w.dims[axis], 0.25f)};
  return w;
}

} // namespace

TEST(CheckRules, NamesOperationsAndOperandsThatExist) {
  for (std::string_view name : operationsWithRules())
    EXPECT_TRUE(findOperation(name)) << name;
  for (const OperationEntry &entry : allOperations())
    for (const OperationRule &rule : rulesOf(entry.name)) {
      EXPECT_FALSE(textOf(rule).empty());
      for (const RuleOperand &operand : rule.operands) {
        bool isThere = false;
        for (const OperationForm &form : entry.forms)
          for (const OperandRow &row :
               operand.isOutput ? outputsOf(entry, &form) : form.inputs)
            isThere |= row.name == operand.name;
        EXPECT_TRUE(isThere) << entry.name << ": " << operand.name;
      }
    }
}

TEST(CheckRules, AreAskedWhenAModelIsFinished) {
  NnBuilder b = convolution();
  b.model.operands[1].dims = {8, 3, 3, 4};
  DiagnosticEngine diags;
  EXPECT_TRUE(checkOperation(b.model, b.model.operations.back(),
                             kRuntimeFeatureLevel, diags));
  EXPECT_FALSE(checkModel(b.model, kRuntimeFeatureLevel, diags));
}

TEST(CheckRules, Shapes) {
  EXPECT_THAT(problemsOf(convolution()), IsEmpty());
  NnBuilder b = convolution();
  b.model.operands[1].dims = {8, 3, 3, 4};
  EXPECT_THAT(
      problemsOf(b),
      ElementsAre("filter: its shape does not match the operation, found "
                  "[8, 3, 3, 4]"));
  b.model.operands[1].dims = {8, 3, 3};
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr("[8, 3, 3]")));
  b = convolution();
  b.model.operands[2].dims = {7};
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr("bias: its shape")));
  b.model.operands[2].dims = {0}; // Not known yet.
  EXPECT_THAT(problemsOf(b), IsEmpty());
}

TEST(CheckRules, ShapesOfNumbers) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 2, 2, 1}));
  auto blocks = b.constant<std::int32_t>(b.tensor(kI32, {3}), {2, 2, 2});
  b.add("BATCH_TO_SPACE_ND", {x, blocks}, {b.output(b.floats({}))});
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr("block_shape: its shape")));
}

TEST(CheckRules, ShapesOfRest) {
  EXPECT_THAT(problemsOf(unary("TANH", NnBuilder::floats({2, 0}),
                               NnBuilder::floats({2, 3}))),
              IsEmpty());
  EXPECT_THAT(problemsOf(unary("TANH", NnBuilder::floats({2, 4}),
                               NnBuilder::floats({2, 3}))),
              ElementsAre(HasSubstr("output: its shape")));
  NnBuilder b;
  auto lookups = b.input(b.tensor(kI32, {3}));
  auto values = b.input(b.floats({10, 2, 4}));
  auto y = b.output(b.floats({3, 2, 4}));
  b.add("EMBEDDING_LOOKUP", {lookups, values}, {y});
  EXPECT_THAT(problemsOf(b), IsEmpty());
  b.model.operands[y].dims = {3, 2, 5};
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr("output: its shape")));
}

TEST(CheckRules, ImagesWithChannelsSecond) {
  NnBuilder b = convolution(NnBuilder::floats({1, 3, 4, 4}));
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr("filter: its shape")));
  b.model.operations[0].inputs.push_back(b.flag(true));
  EXPECT_THAT(problemsOf(b),
              ElementsAre(HasSubstr("output: its shape"))); // [1, 2, 2, 8]
  b.model.operands[b.model.outputs[0]].dims = {1, 8, 2, 2};
  EXPECT_THAT(problemsOf(b), IsEmpty());
  // At run time it is known where the channels are.
  b.model.operands[b.model.operations[0].inputs.back()].lifetime =
      Lifetime::Input;
  b.model.operands[0].dims = {1, 4, 4, 3};
  EXPECT_THAT(problemsOf(b), IsEmpty());
}

TEST(CheckRules, SeriesWithBatchesFirst) {
  NnBuilder b;
  auto x = b.input(b.floats({5, 2, 3}));
  auto w = b.input(b.floats({4, 3})), r = b.input(b.floats({4, 4}));
  auto bias = b.input(b.floats({4})), h = b.input(b.floats({2, 4}));
  auto major = b.scalar(1);
  b.add("UNIDIRECTIONAL_SEQUENCE_RNN", {x, w, r, bias, h, b.scalar(0), major},
        {b.output(b.floats({5, 2, 4}))});
  EXPECT_THAT(problemsOf(b), IsEmpty());
  b.model.operations[0].inputs.back() = b.scalar(0);
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr("hidden_in: its shape")));
}

TEST(CheckRules, StorageThatIsGiven) {
  auto logistic = [](OperandType type, float scale, std::int32_t zeroPoint) {
    return problemsOf(unary("LOGISTIC", NnBuilder::tensor(type, {4}, 0.1f),
                            NnBuilder::tensor(type, {4}, scale, zeroPoint)));
  };
  EXPECT_THAT(logistic(kU8, 1.f / 256, 0), IsEmpty());
  EXPECT_THAT(logistic(kS8, 1.f / 256, -128), IsEmpty());
  EXPECT_THAT(
      logistic(kU8, 1.f / 128, 0),
      ElementsAre(HasSubstr("output: does not have the scale and zero point")));
  EXPECT_THAT(
      logistic(kS8, 1.f / 256, 0),
      ElementsAre(HasSubstr("output: does not have the scale and zero point")));
}

TEST(CheckRules, SameStorage) {
  EXPECT_THAT(
      problemsOf(unary("RELU", NnBuilder::tensor(kU8, {4}, 0.5f, 3),
                       NnBuilder::tensor(kU8, {4}, 0.5f, 4))),
      ElementsAre(HasSubstr("differs in scale or zero point from input")));
  NnBuilder b;
  auto x = b.input(b.tensor(kU8, {4}, 0.5f));
  auto y = b.output(b.tensor(kU8, {2}, 0.5f)),
       z = b.output(b.tensor(kU8, {2}, 0.25f));
  b.add("SPLIT", {x, b.scalar(0), b.scalar(2)}, {y, z});
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr(
                                 "differs in scale or zero point from input")));
}

TEST(CheckRules, SameStorageBelowALevel) {
  NnBuilder b;
  auto x = b.input(b.tensor(kU8, {4}, 0.5f)),
       y = b.input(b.tensor(kU8, {4}, 0.25f));
  b.add("CONCATENATION", {x, y, b.scalar(0)},
        {b.output(b.tensor(kU8, {8}, 0.5f))});
  EXPECT_THAT(problemsOf(b, 29), IsEmpty());
  EXPECT_THAT(
      problemsOf(b, 28),
      ElementsAre(HasSubstr("differs in scale or zero point from inputs")));
}

TEST(CheckRules, ScalesAboveProducts) {
  auto product = [](float scale) {
    NnBuilder b;
    auto x = b.input(b.tensor(kU8, {4}, 0.5f)),
         y = b.input(b.tensor(kU8, {4}, 0.5f));
    b.add("MUL", {x, y, b.scalar(0)}, {b.output(b.tensor(kU8, {4}, scale))});
    return problemsOf(b);
  };
  EXPECT_THAT(product(0.26f), IsEmpty());
  EXPECT_THAT(product(0.25f),
              ElementsAre(HasSubstr("product: its scale is too small")));
}

TEST(CheckRules, ScalesAboveProductsBelowALevel) {
  Operand w = NnBuilder::tensor(kU8, {8, 3, 3, 3}, 0.25f);
  EXPECT_THAT(problemsOf(quantizedConvolution(w, 0.125f, 0.25f), 27),
              IsEmpty());
  EXPECT_THAT(problemsOf(quantizedConvolution(w, 0.125f, 0.125f), 29),
              IsEmpty());
  EXPECT_THAT(problemsOf(quantizedConvolution(w, 0.125f, 0.125f), 28),
              ElementsAre(HasSubstr("output: its scale is too small")));
}

TEST(CheckRules, ScalesOfBiases) {
  Operand w = NnBuilder::tensor(kU8, {8, 3, 3, 3}, 0.25f);
  EXPECT_THAT(problemsOf(quantizedConvolution(w, 0.12f, 1)),
              ElementsAre(HasSubstr("bias: its scale is not the product")));
  EXPECT_THAT(problemsOf(quantizedConvolution(channelWeights(0), 0, 1)),
              IsEmpty());
  EXPECT_THAT(problemsOf(quantizedConvolution(channelWeights(0), 0.125f, 1)),
              ElementsAre(HasSubstr("bias: must have scale 0")));
}

TEST(CheckRules, AxesOfChannels) {
  EXPECT_THAT(
      problemsOf(quantizedConvolution(channelWeights(3), 0, 1)),
      ElementsAre(HasSubstr(
          "filter: its channels are along a wrong axis, found axis 3")));
}

TEST(CheckRules, Values) {
  NnBuilder b = convolution();
  b.model.operations[0].inputs[7] = b.scalar(0);
  EXPECT_THAT(problemsOf(b),
              ElementsAre("stride_w: has an invalid value, found 0"));
  b = convolution();
  b.model.operations[0].inputs[9] = b.scalar(4);
  EXPECT_THAT(problemsOf(b),
              ElementsAre(HasSubstr("fuse: has an invalid value")));
  b = NnBuilder();
  auto x = b.input(b.floats({2, 2}));
  auto pads = b.constant<std::int32_t>(b.tensor(kI32, {2, 2}), {0, 1, -1, 0});
  b.add("PAD", {x, pads}, {b.output(b.floats({3, 1}))});
  EXPECT_THAT(problemsOf(b),
              ElementsAre(HasSubstr("paddings: has an invalid value")));
}

TEST(CheckRules, Axes) {
  auto softmax = [](std::int32_t axis) {
    NnBuilder b;
    auto x = b.input(b.floats({2, 3}));
    b.add("SOFTMAX", {x, b.scalar(1.f), b.scalar(axis)},
          {b.output(b.floats({2, 3}))});
    return problemsOf(b);
  };
  for (std::int32_t axis : {-2, -1, 0, 1})
    EXPECT_THAT(softmax(axis), IsEmpty());
  for (std::int32_t axis : {-3, 2})
    EXPECT_THAT(softmax(axis),
                ElementsAre(HasSubstr("the axis does not exist")));
}

TEST(CheckRules, AxesOfResults) {
  auto expand = [](std::int32_t axis) {
    NnBuilder b;
    auto x = b.input(b.floats({2, 3}));
    b.add("EXPAND_DIMS", {x, b.scalar(axis)}, {b.output(b.floats({}))});
    return problemsOf(b);
  };
  for (std::int32_t axis : {-3, 2})
    EXPECT_THAT(expand(axis), IsEmpty());
  for (std::int32_t axis : {-4, 3})
    EXPECT_THAT(expand(axis),
                ElementsAre(HasSubstr("the axis does not exist")));
}

TEST(CheckRules, InputsThatBelongTogether) {
  NnBuilder b = convolution();
  for (auto more : {b.flag(false), b.scalar(2)})
    b.model.operations[0].inputs.push_back(more);
  EXPECT_THAT(
      problemsOf(b),
      ElementsAre("dilation_w: only some of these inputs are given, found "
                  "no dilation_h"));
}

TEST(CheckRules, FlagsThatExcludeOneAnother) {
  auto resize = [](bool corners, bool half) {
    NnBuilder b;
    auto x = b.input(b.floats({1, 2, 2, 1}));
    b.add("RESIZE_BILINEAR",
          {x, b.scalar(4), b.scalar(4), b.flag(false), b.flag(corners),
           b.flag(half)},
          {b.output(b.floats({1, 4, 4, 1}))});
    return problemsOf(b);
  };
  EXPECT_THAT(resize(true, false), IsEmpty());
  EXPECT_THAT(resize(false, true), IsEmpty());
  EXPECT_THAT(resize(true, true),
              ElementsAre(HasSubstr("half_pixel: excludes align_corners")));
}

TEST(CheckRules, IntegersWithoutActivation) {
  auto sum = [](std::int32_t fuse) {
    NnBuilder b;
    auto x = b.input(b.tensor(kI32, {4}));
    b.add("ADD", {x, x, b.scalar(fuse)}, {b.output(b.tensor(kI32, {4}))});
    return problemsOf(b);
  };
  EXPECT_THAT(sum(0), IsEmpty());
  EXPECT_THAT(sum(1), ElementsAre(HasSubstr("fuse: no activation")));
}

TEST(CheckRules, ListsOfSome) {
  NnBuilder b;
  b.add("CONCATENATION", {b.scalar(0)}, {b.output(b.floats({}))});
  EXPECT_THAT(problemsOf(b),
              ElementsAre(HasSubstr("inputs: must have at least one tensor")));
}

TEST(CheckRules, OutputsThatAreCounted) {
  NnBuilder b;
  auto x = b.input(b.floats({4}));
  b.add("SPLIT", {x, b.scalar(0), b.scalar(2)}, {b.output(b.floats({2}))});
  EXPECT_THAT(problemsOf(b), ElementsAre(HasSubstr(
                                 "outputs: their number is not num_splits")));
}

TEST(CheckRules, Broadcasts) {
  auto sum = [](Dims a, Dims b, Dims y) {
    NnBuilder m;
    auto x = m.input(m.floats(a)), z = m.input(m.floats(b));
    m.add("ADD", {x, z, m.scalar(0)}, {m.output(m.floats(y))});
    return problemsOf(m);
  };
  EXPECT_THAT(sum({4, 1, 2}, {3, 1}, {4, 3, 2}), IsEmpty());
  EXPECT_THAT(sum({4, 0}, {4, 2}, {4, 2}), IsEmpty());
  EXPECT_THAT(sum({4, 3}, {4, 2}, {4, 3}),
              ElementsAre("sum: the shapes do not broadcast, found [4, "
                          "3] and [4, 2], the result [4, 3]"));
  EXPECT_THAT(sum({4, 3}, {3}, {4, 2}), ::testing::SizeIs(1));
  EXPECT_THAT(sum({4, 3}, {3}, {1, 4, 3}), ::testing::SizeIs(1));
}

TEST(CheckRules, RanksBelowALevel) {
  NnBuilder b = unary("L2_NORMALIZATION", NnBuilder::floats({2, 3}),
                      NnBuilder::floats({2, 3}));
  EXPECT_THAT(problemsOf(b, 29), IsEmpty());
  EXPECT_THAT(problemsOf(b, 28),
              ElementsAre(HasSubstr("input: has a wrong number of axes")));
}

TEST(CheckRules, AxesThatVanish) {
  auto slice = [](std::vector<std::int32_t> begin,
                  std::vector<std::int32_t> end,
                  std::vector<std::int32_t> strides, std::int32_t mask) {
    NnBuilder b;
    auto x = b.input(b.floats({2, 3}));
    auto list = [&](std::vector<std::int32_t> values) {
      return b.constant<std::int32_t>(b.tensor(kI32, {2}), values);
    };
    b.add("STRIDED_SLICE",
          {x, list(begin), list(end), list(strides), b.scalar(0), b.scalar(0),
           b.scalar(mask)},
          {b.output(b.floats({}))});
    return problemsOf(b);
  };
  EXPECT_THAT(slice({0, 0}, {1, 3}, {1, 1}, 1), IsEmpty());
  EXPECT_THAT(slice({0, 0}, {2, 3}, {1, 1}, 0), IsEmpty());
  EXPECT_THAT(slice({0, 0}, {2, 3}, {1, 1}, 1),
              ElementsAre(HasSubstr(
                  "does not have exactly one element, found axis 0")));
  EXPECT_THAT(slice({1, 0}, {0, 3}, {-1, 1}, 1),
              ElementsAre(HasSubstr(
                  "does not have exactly one element, found axis 0")));
  EXPECT_THAT(slice({0, 0}, {2, 3}, {1, 0}, 0),
              ElementsAre(HasSubstr("a stride is 0")));
}
