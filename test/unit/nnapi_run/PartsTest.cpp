//===- PartsTest.cpp - Where a model is divided ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Parts.h"
#include "test/unit/nnapi/NnModels.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using ::testing::ElementsAre;

static std::vector<NnStep> stepsOf(const NnModel &model) {
  std::vector<std::size_t> order(model.operations.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  return nnapi::stepsOf(model, order);
}

TEST(PartsTest, ConstantsMakeOnePart) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 2})), y = b.between(b.floats({1, 2})),
       z = b.output(b.floats({1, 2}));
  b.add("RELU", {x}, {y});
  b.add("TANH", {y}, {z});
  auto steps = stepsOf(b.model);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_THAT(steps[0].operations, ElementsAre(0, 1));
  EXPECT_THAT(steps[0].inputs, ElementsAre(x));
  EXPECT_THAT(steps[0].outputs, ElementsAre(z)); // y is nobody else's
}

TEST(PartsTest, NeededValuesEndAPart) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 2})), w = b.input(b.floats({3, 2})),
       sum = b.between(b.floats({3, 2})), y = b.output(b.floats({1, 3}));
  b.add("RELU", {w}, {sum});
  b.add("FULLY_CONNECTED",
        {x, sum, b.constant<float>(b.floats({3}), {0, 0, 0}), b.scalar(0)},
        {y});
  auto steps = stepsOf(b.model);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_THAT(steps[1].inputs, ElementsAre(x, sum));
  EXPECT_THAT(steps[1].frozen, ElementsAre(sum));
  NnModel part = partOf(b.model, steps[1]);
  ASSERT_EQ(part.inputs.size(), 2u);
  EXPECT_EQ(part.operands[part.inputs[1]].lifetime, Lifetime::Input);
}

TEST(PartsTest, UnknownLengthsEndAPart) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 2})), y = b.between(b.floats({0, 0})),
       z = b.output(b.floats({1, 2}));
  b.add("RELU", {x}, {y});
  b.add("TANH", {y}, {z});
  EXPECT_EQ(stepsOf(b.model).size(), 2u);
}
