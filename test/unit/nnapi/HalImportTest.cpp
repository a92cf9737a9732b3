//===- HalImportTest.cpp - Operations in the order of HAL 1.0 -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include "test/unit/nnapi/ImportedNn.h"
#include "test/unit/nnapi/NnModels.h"

using namespace yarrow;
using namespace yarrow::test;
using nnapi::OperandType;
using ::testing::ElementsAre;

namespace {

/// A model that is right at the first level.
struct HalNn : ImportedNn {
  explicit HalNn(const nnapi::NnModel &model) : ImportedNn(model) {
    constexpr int kFirstLevel = 27;
    DiagnosticEngine problems;
    checkModel(model, kFirstLevel, problems);
    for (const Diagnostic &d : problems.all())
      ADD_FAILURE() << d.str();
  }
};

} // namespace

TEST(HalImport, RunsCellsWithTheStateLast) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 1})), h = b.input(b.floats({1, 1}));
  auto w = b.constant<float>(b.floats({1, 1}), {2}),
       r = b.constant<float>(b.floats({1, 1}), {3}),
       bias = b.constant<float>(b.floats({1}), {-20});
  b.add("RNN", {x, w, r, bias, b.scalar(1), h}, {b.output(b.floats({1, 1}))});
  HalNn net(b.model);
  EXPECT_THAT(net.run<float>({{4}, {5}}), ElementsAre(3)); // 8 + 15 - 20
  EXPECT_THAT(net.run<float>({{1}, {1}}), ElementsAre(0));
}

TEST(HalImport, StartsFiltersWithZeros) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 2}));
  auto features = b.constant<float>(b.floats({1, 2}), {1, 10}),
       time = b.constant<float>(b.floats({1, 3}), {5, 7, 2});
  auto state = b.output(b.floats({1, 2})), y = b.output(b.floats({1, 1}));
  b.add("SVDF",
        {x, features, time, b.omitted(OperandType::TENSOR_FLOAT32), b.scalar(1),
         b.scalar(0)},
        {state, y});
  HalNn net(b.model);
  EXPECT_THAT(net.run<float>({{3, 4}}, 0), ElementsAre(0, 43));
  EXPECT_THAT(net.run<float>({{3, 4}}, 1), ElementsAre(86));
}

TEST(HalImport, ConcatenatesWithAnActivation) {
  NnBuilder b;
  auto x = b.input(b.floats({2})), y = b.input(b.floats({1}));
  b.add("CONCATENATION", {x, y, b.scalar(0), b.scalar(3)},
        {b.output(b.floats({3}))});
  HalNn net(b.model);
  EXPECT_THAT(net.run<float>({{-1, 7}, {2}}), ElementsAre(0, 6, 2));
}

TEST(HalImport, LooksUpInValuesThatComeFirst) {
  NnBuilder b;
  auto values = b.input(b.floats({3, 2}));
  auto lookups = b.constant<std::int32_t>(
      b.tensor(OperandType::TENSOR_INT32, {2}), {2, 0});
  b.add("EMBEDDING_LOOKUP", {values, lookups}, {b.output(b.floats({2, 2}))});
  HalNn net(b.model);
  EXPECT_THAT(net.run<float>({{1, 2, 3, 4, 5, 6}}), ElementsAre(5, 6, 1, 2));
}

TEST(HalImport, ReportsIndicesFromValuesByTheirAxes) {
  NnBuilder b;
  auto values = b.input(b.tensor(OperandType::TENSOR_INT32, {3, 2}));
  auto lookups = b.constant<std::int32_t>(
      b.tensor(OperandType::TENSOR_INT32, {2}), {2, 0});
  auto y = b.output(b.tensor(OperandType::TENSOR_INT32, {2, 2}));
  b.add("EMBEDDING_LOOKUP", {values, lookups}, {y});
  for (bool isLater : {false, true}) {
    if (isLater)
      std::swap(b.model.operations[0].inputs[0],
                b.model.operations[0].inputs[1]);
    ImportedNn net(b.model);
    EXPECT_THAT(net.run<std::int32_t>({{1, 2, 3, 4, 5, 6}}),
                ElementsAre(5, 6, 1, 2));
  }
}

TEST(HalImport, MakesNoStateThatIsNoTensor) {
  // 2^20 rows of 2^20 filters less one step.
  NnBuilder b;
  auto x = b.input(b.floats({1u << 20, 1})),
       w = b.input(b.floats({1u << 20, 1})),
       time = b.input(b.floats({1u << 20, 2}));
  b.add("SVDF",
        {x, w, time, b.omitted(OperandType::TENSOR_FLOAT32), b.scalar(1),
         b.scalar(0)},
        {b.output(b.floats({})), b.output(b.floats({}))});
  ImportedNn net(b.model);
  ASSERT_EQ(net.diags.numErrors(), 1u);
  EXPECT_EQ(net.diags.all()[0].message, "SVDF: the initial state is too large");
}

TEST(HalImport, StartsCellsWithZeros) {
  NnBuilder b;
  auto weights = [&](float value) {
    return b.constant<float>(b.floats({1, 1}), {value});
  };
  auto bias = b.constant<float>(b.floats({1}), {0});
  auto omitted = b.omitted(OperandType::TENSOR_FLOAT32);
  std::vector<std::uint32_t> inputs = {b.input(b.floats({1, 1}))};
  // Gates are half open whatever the input; the cell's input is the model's.
  for (float value : {0.f, 0.f, 1.f, 0.f})
    inputs.push_back(weights(value));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(weights(7)); // Of a state of zero.
  inputs.insert(inputs.end(), 3, omitted);
  inputs.insert(inputs.end(), 4, bias);
  inputs.insert(inputs.end(), 2, omitted);
  for (auto last : {b.scalar(0), b.scalar(0.f), b.scalar(0.f)})
    inputs.push_back(last);
  auto scratch = b.output(b.floats({1, 1, 4}));
  auto state = b.output(b.floats({1, 1})), cell = b.output(b.floats({1, 1})),
       y = b.output(b.floats({1, 1}));
  b.add("LSTM", inputs, {scratch, state, cell, y});
  HalNn net(b.model);
  EXPECT_THAT(net.run<float>({{6}}, 2), ElementsAre(3));
  EXPECT_THAT(net.run<float>({{6}}, 3), ElementsAre(1.5f));
  EXPECT_EQ(net.run<float>({{6}}, 0).size(), 4u);
}
