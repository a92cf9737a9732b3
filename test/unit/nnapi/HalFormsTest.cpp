//===- HalFormsTest.cpp - Operations in the order of HAL 1.0 --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/HalForms.h"
#include "parser/nnapi/CheckModel.h"
#include "test/unit/nnapi/NnModels.h"
#include <algorithm>
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::nnapi;
using testing::ElementsAre;
using yarrow::test::Dims;
using yarrow::test::NnBuilder;

namespace {

constexpr int kFirstLevel = 27;

void expectRight(const NnModel &model) {
  DiagnosticEngine diags;
  checkModel(model, kFirstLevel, diags);
  for (const Diagnostic &d : diags.all())
    ADD_FAILURE() << d.str();
}

/// The model in the later order; both must be right at the first level.
NnModel laterOf(const NnModel &model) {
  expectRight(model);
  auto later = withoutHalForms(model);
  EXPECT_TRUE(later);
  if (!later)
    return {};
  expectRight(*later);
  return *later;
}

bool areZeros(const Operand &operand) {
  return operand.lifetime == Lifetime::Constant &&
         std::ranges::all_of(operand.value,
                             [](std::byte b) { return b == std::byte(0); });
}

} // namespace

TEST(HalForms, LeavesLaterFormsAlone) {
  NnBuilder b;
  auto x = b.input(b.floats({2})), y = b.output(b.floats({4}));
  b.add("CONCATENATION", {x, x, b.scalar(0)}, {y});
  EXPECT_FALSE(withoutHalForms(b.model));
}

TEST(HalForms, ConcatenatesWithAnActivation) {
  NnBuilder b;
  auto x = b.input(b.floats({2})), y = b.output(b.floats({4}));
  auto axis = b.scalar(0);
  b.add("CONCATENATION", {x, x, axis, b.scalar(3)}, {y});
  NnModel later = laterOf(b.model);
  ASSERT_EQ(later.operations.size(), 2u);
  EXPECT_THAT(later.operations[0].inputs, ElementsAre(x, x, axis));
  EXPECT_EQ(later.operations[1].code, findOperation("RELU6")->code);
  EXPECT_EQ(later.operations[1].inputs, later.operations[0].outputs);
  EXPECT_THAT(later.operations[1].outputs, ElementsAre(y));
  b.model.operations[0].inputs.back() = b.scalar(0);
  later = laterOf(b.model);
  ASSERT_EQ(later.operations.size(), 1u);
  EXPECT_THAT(later.operations[0].outputs, ElementsAre(y));
}

TEST(HalForms, LooksUpInValuesThatComeFirst) {
  for (OperandType type :
       {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_QUANT8_ASYMM}) {
    NnBuilder b;
    float scale = type == OperandType::TENSOR_FLOAT32 ? 0 : 0.5f;
    auto values = b.input(b.tensor(type, {5, 2}, scale));
    auto lookups = b.input(b.tensor(OperandType::TENSOR_INT32, {3}));
    auto y = b.output(b.tensor(type, {3, 2}, scale));
    b.add("EMBEDDING_LOOKUP", {values, lookups}, {y});
    auto later = withoutHalForms(b.model);
    ASSERT_TRUE(later);
    EXPECT_THAT(later->operations[0].inputs, ElementsAre(lookups, values));
  }
}

TEST(HalForms, TellsIndicesFromValuesByTheirAxes) {
  NnBuilder b;
  auto values = b.input(b.tensor(OperandType::TENSOR_INT32, {5, 2}));
  auto lookups = b.input(b.tensor(OperandType::TENSOR_INT32, {3}));
  auto y = b.output(b.tensor(OperandType::TENSOR_INT32, {3, 2}));
  b.add("EMBEDDING_LOOKUP", {values, lookups}, {y});
  auto later = withoutHalForms(b.model);
  ASSERT_TRUE(later);
  EXPECT_THAT(later->operations[0].inputs, ElementsAre(lookups, values));
  b.model.operations[0].inputs = {lookups, values};
  EXPECT_FALSE(withoutHalForms(b.model));
}

TEST(HalForms, RunsCellsWithTheStateLast) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 3})), w = b.input(b.floats({2, 3})),
       r = b.input(b.floats({2, 2})), bias = b.input(b.floats({2})),
       h = b.input(b.floats({1, 2}));
  auto fuse = b.scalar(1), y = b.output(b.floats({1, 2}));
  b.add("RNN", {x, w, r, bias, fuse, h}, {y});
  NnModel later = laterOf(b.model);
  ASSERT_EQ(later.operations.size(), 1u);
  EXPECT_THAT(later.operations[0].inputs, ElementsAre(x, w, r, bias, h, fuse));
  ASSERT_EQ(later.operations[0].outputs.size(), 2u);
  EXPECT_EQ(later.operations[0].outputs[1], y);
}

TEST(HalForms, StartsFiltersWithZeros) {
  NnBuilder b;
  auto x = b.input(b.floats({2, 3})), features = b.input(b.floats({4, 3})),
       time = b.input(b.floats({4, 5}));
  auto state = b.output(b.floats({2, 16})), y = b.output(b.floats({2, 4}));
  b.add("SVDF",
        {x, features, time, b.omitted(OperandType::TENSOR_FLOAT32), b.scalar(1),
         b.scalar(0)},
        {state, y});
  NnModel later = laterOf(b.model);
  ASSERT_EQ(later.operations[0].inputs.size(), 7u);
  const Operand &zeros = later.operands[later.operations[0].inputs[4]];
  EXPECT_THAT(zeros.dims, ElementsAre(2, 16));
  EXPECT_TRUE(areZeros(zeros));
}

TEST(HalForms, StartsCellsWithZeros) {
  NnBuilder b;
  std::vector<std::uint32_t> inputs = {b.input(b.floats({2, 3}))};
  auto weights = b.input(b.floats({4, 3})),
       recurrent = b.input(b.floats({4, 4})), bias = b.input(b.floats({4}));
  auto omitted = b.omitted(OperandType::TENSOR_FLOAT32);
  inputs.insert(inputs.end(), 4, weights);
  inputs.insert(inputs.end(), 4, recurrent);
  inputs.insert(inputs.end(), 3, omitted);
  inputs.insert(inputs.end(), 4, bias);
  inputs.insert(inputs.end(), 2, omitted);
  for (auto last : {b.scalar(4), b.scalar(0.f), b.scalar(0.f)})
    inputs.push_back(last);
  auto scratch = b.output(b.floats({2, 4, 4}));
  auto state = b.output(b.floats({2, 4})), cell = b.output(b.floats({2, 4})),
       y = b.output(b.floats({2, 4}));
  b.add("LSTM", inputs, {scratch, state, cell, y});
  NnModel later = laterOf(b.model);
  ASSERT_EQ(later.operations.size(), 2u);
  ASSERT_EQ(later.operations[0].inputs.size(), 23u);
  for (std::size_t i : {18, 19}) {
    const Operand &zeros = later.operands[later.operations[0].inputs[i]];
    EXPECT_THAT(zeros.dims, ElementsAre(2, 4));
    EXPECT_TRUE(areZeros(zeros));
  }
  EXPECT_EQ(later.operations[1].code, findOperation("RESHAPE")->code);
  EXPECT_THAT(later.operations[1].outputs, ElementsAre(scratch));
}

TEST(HalForms, TakesLengthsThatAreNotThere) {
  NnBuilder b;
  auto x = b.input(b.floats({})), w = b.input(b.floats({2}));
  auto state = b.output(b.floats({})), y = b.output(b.floats({}));
  b.add("SVDF",
        {x, w, w, b.omitted(OperandType::TENSOR_FLOAT32), b.scalar(1),
         b.scalar(0)},
        {state, y});
  auto later = withoutHalForms(b.model);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->operands[later->operations[0].inputs[4]].sizeBytes(), 0u);
  // 2^40 zeros are not made.
  b.model.operands[x].dims = {1u << 20, 1};
  b.model.operands[w].dims = {1, 1u << 20};
  later = withoutHalForms(b.model);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->operands[later->operations[0].inputs[4]].sizeBytes(), 0u);
}
