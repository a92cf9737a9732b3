//===- MovementTest.cpp - Operations of NNAPI that move and convert -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Expected values follow from the definitions, written out here.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/unit/nnapi/ImportedNn.h"
#include "test/unit/nnapi/NnModels.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using ::testing::ElementsAre;

namespace {

std::uint32_t list(NnBuilder &b, const std::vector<std::int32_t> &values) {
  return b.constant<std::int32_t>(
      NnBuilder::integers({std::uint32_t(values.size())}), values);
}

/// The lengths of the first result.
std::vector<std::int64_t> shapeOfResult(ImportedNn &net) {
  std::vector<std::int64_t> shape;
  if (net.module)
    net.module->walk([&](mlir::func::ReturnOp op) {
      auto lengths = compass::describe(op.getOperand(0)).shape;
      shape.assign(lengths.begin(), lengths.end());
    });
  return shape;
}

/// STRIDED_SLICE of [2, 3] by 1 that shrinks axis 0.
NnModel shrinking(std::int32_t begin, std::int32_t end, std::int32_t step,
                  std::int32_t endMask = 0) {
  NnBuilder b;
  auto x = b.input(NnBuilder::floats({2, 3}));
  b.add("STRIDED_SLICE",
        {x, list(b, {begin, 0}), list(b, {end, 3}), list(b, {step, 1}),
         b.scalar(0), b.scalar(endMask), b.scalar(1)},
        {b.output(NnBuilder::floats({3}))});
  return b.model;
}

} // namespace

TEST(NnapiMovement, ShrinksAxesOfOneElementAlone) {
  EXPECT_THAT(ImportedNn(shrinking(-1, 2, 1)).run<float>({{1, 2, 3, 4, 5, 6}}),
              ElementsAre(4, 5, 6));
  // A step beyond the end leaves one, too.
  EXPECT_THAT(
      ImportedNn(shrinking(0, 0, 2, 1)).run<float>({{1, 2, 3, 4, 5, 6}}),
      ElementsAre(1, 2, 3));
  EXPECT_TRUE(isBad(shrinking(0, 2, 1)));
  EXPECT_TRUE(isBad(shrinking(1, 0, -1)));
  EXPECT_TRUE(isBad(shrinking(1, 1, 1)));
}

TEST(NnapiMovement, LeavesOneAxis) {
  for (const char *operation : {"STRIDED_SLICE", "SQUEEZE", "REDUCE_SUM"}) {
    NnBuilder b;
    auto x = b.input(NnBuilder::floats({1, 1})),
         y = b.output(NnBuilder::floats({1}));
    std::string name = operation;
    if (name == "STRIDED_SLICE")
      b.add(name,
            {x, list(b, {0, 0}), list(b, {1, 1}), list(b, {1, 1}), b.scalar(0),
             b.scalar(0), b.scalar(3)},
            {y});
    else if (name == "SQUEEZE")
      b.add(name, {x, b.omitted(OperandType::TENSOR_INT32)}, {y});
    else
      b.add(name, {x, list(b, {-1, 0, 1}), b.flag(false)}, {y});
    ImportedNn net(b.model);
    EXPECT_THAT(shapeOfResult(net), ElementsAre(1)) << name;
    EXPECT_THAT(net.run<float>({{5}}), ElementsAre(5)) << name;
  }
}

TEST(NnapiMovement, PadsWithTheStoredInteger) {
  NnBuilder b;
  auto x = b.input(NnBuilder::bytes({2}, 0.3f, 9)),
       y = b.output(NnBuilder::bytes({4}, 0.3f, 9));
  b.add("PAD_V2",
        {x, b.constant<std::int32_t>(NnBuilder::integers({1, 2}), {1, 1}),
         b.scalar(200)},
        {y});
  ImportedNn net(b.model);
  EXPECT_THAT(net.layers(), ElementsAre("Pad"));
  EXPECT_THAT(net.run<std::uint8_t>({{0, 255}}), ElementsAre(200, 0, 255, 200));
}

TEST(NnapiMovement, JoinsOtherScalesInTheResults) {
  NnBuilder b;
  auto a = b.input(NnBuilder::bytes({2}, 0.5f, 10)),
       c = b.input(NnBuilder::bytes({1}, 2, 0)),
       y = b.output(NnBuilder::bytes({3}, 1, 5));
  b.add("CONCATENATION", {a, c, b.scalar(0)}, {y});
  // 5 and -2 + 5, ties to even; 2 * 4 + 5.
  EXPECT_THAT(ImportedNn(b.model).run<std::uint8_t>({{10, 6}, {4}}),
              ElementsAre(5, 3, 13));
}

TEST(NnapiMovement, TakesTheLargerOfEqualPlacesFirst) {
  NnBuilder b;
  auto x = b.input(NnBuilder::tensor(OperandType::TENSOR_INT32, {4})),
       values = b.output(NnBuilder::integers({3})),
       places = b.output(NnBuilder::integers({3}));
  b.add("TOPK_V2", {x, b.scalar(3)}, {values, places});
  ImportedNn net(b.model);
  EXPECT_THAT(net.run<std::int32_t>({{7, 9, 7, 9}}, 0), ElementsAre(9, 9, 7));
  EXPECT_THAT(net.run<std::int32_t>({{7, 9, 7, 9}}, 1), ElementsAre(3, 1, 2));
}

TEST(NnapiMovement, RefusesAxesThatAreNotThere) {
  for (std::int32_t axis : {2, -3}) {
    NnBuilder b;
    auto x = b.input(NnBuilder::floats({2, 2}));
    auto y = b.output(NnBuilder::floats({2}));
    b.add("REDUCE_MAX", {x, list(b, {axis}), b.flag(false)}, {y});
    EXPECT_TRUE(isBad(b.model)) << axis;
  }
  NnBuilder b;
  auto x = b.input(NnBuilder::floats({2, 1}));
  b.add("SQUEEZE", {x, list(b, {0})}, {b.output(NnBuilder::floats({1}))});
  EXPECT_TRUE(isBad(b.model));
}

TEST(NnapiMovement, CastsStoredIntegers) {
  // 200 means 4 * (200 - 100), which the cast does not ask.
  NnBuilder b;
  auto x = b.input(NnBuilder::bytes({3}, 4, 100));
  b.add("CAST", {x}, {b.output(NnBuilder::integers({3}))});
  b.add("CAST", {x}, {b.output(NnBuilder::floats({3}))});
  b.add("CAST", {x}, {b.output(NnBuilder::bytes({3}, 3, 1))});
  ImportedNn net(b.model);
  EXPECT_THAT(net.layers(), ElementsAre("Cast", "Cast", "Cast"));
  EXPECT_THAT((net.runAs<std::int32_t, std::uint8_t>({{200, 100, 0}}, 0)),
              ElementsAre(200, 100, 0));
  EXPECT_THAT((net.runAs<float, std::uint8_t>({{200, 100, 0}}, 1)),
              ElementsAre(200, 100, 0));
  EXPECT_THAT(net.run<std::uint8_t>({{200, 100, 0}}, 2),
              ElementsAre(200, 100, 0));
}

TEST(NnapiMovement, CastsStoredIntegersOfConstants) {
  NnBuilder b;
  auto x = b.constant<std::uint8_t>(NnBuilder::bytes({2}, 4, 100), {200, 7});
  auto y = b.constant<float>(NnBuilder::floats({2}), {-3, 7.9f});
  b.add("CAST", {x}, {b.output(NnBuilder::integers({2}))});
  b.add("CAST", {y}, {b.output(NnBuilder::bytes({2}, 3, 1))});
  ImportedNn net(b.model);
  EXPECT_THAT(net.layers(), ::testing::IsEmpty());
  EXPECT_THAT(net.run<std::int32_t>({}, 0), ElementsAre(200, 7));
  EXPECT_THAT(net.run<std::uint8_t>({}, 1), ElementsAre(0, 7));
}

TEST(NnapiMovement, CastsTowardsZeroWithinTheType) {
  NnBuilder b;
  auto x = b.input(NnBuilder::floats({4}));
  b.add("CAST", {x}, {b.output(NnBuilder::bytes({4}, 4, 100))});
  EXPECT_THAT((ImportedNn(b.model).runAs<std::uint8_t, float>(
                  {{-1.9f, 1.9f, 254.5f, 1e9f}})),
              ElementsAre(0, 1, 254, 255));
}

TEST(NnapiMovement, ReadsScalesOfAnAxisAtRunTime) {
  NnBuilder b;
  Operand operand =
      NnBuilder::tensor(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 2});
  operand.channels = {1, {0.5f, 2}};
  auto x = b.input(operand);
  b.add("DEQUANTIZE", {x}, {b.output(NnBuilder::floats({2, 2}))});
  EXPECT_THAT((ImportedNn(b.model).runAs<float, std::int8_t>({{1, 1, -2, 3}})),
              ElementsAre(0.5f, 2, -1, 6));
}
