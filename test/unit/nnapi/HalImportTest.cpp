//===- HalImportTest.cpp - Operations in the order of HAL 1.0 -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi/ImportedNn.h"
#include "test/unit/nnapi/NnModels.h"

using namespace yarrow;
using namespace yarrow::test;
using nnapi::OperandType;
using testing::ElementsAre;

TEST(HalImport, RunsCellsWithTheStateLast) {
  NnBuilder b;
  auto x = b.input(b.floats({1, 1})), h = b.input(b.floats({1, 1}));
  auto w = b.constant<float>(b.floats({1, 1}), {2}),
       r = b.constant<float>(b.floats({1, 1}), {3}),
       bias = b.constant<float>(b.floats({1}), {-20});
  b.add("RNN", {x, w, r, bias, b.scalar(1), h}, {b.output(b.floats({1, 1}))});
  ImportedNn net(b.model);
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
  ImportedNn net(b.model);
  EXPECT_THAT(net.run<float>({{3, 4}}, 0), ElementsAre(0, 43));
  EXPECT_THAT(net.run<float>({{3, 4}}, 1), ElementsAre(86));
}
