//===- ElementwiseTest.cpp - Arithmetic and comparisons of NNAPI ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Expected values follow from the definitions, written out here.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/nnapi/ImportedNn.h"
#include "test/unit/nnapi/NnModels.h"
#include <array>

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using ::testing::ElementsAre;

namespace {

/// The sum of two tensors of steps of 0.5, behind it the activation \p fuse.
NnModel sumWith(std::int32_t fuse) {
  NnBuilder b;
  auto a = b.input(NnBuilder::bytes({3}, 0.5f, 100)),
       c = b.input(NnBuilder::bytes({1}, 0.5f, 100));
  b.add("ADD", {a, c, b.scalar(fuse)},
        {b.output(NnBuilder::bytes({3}, 0.25f, 8))});
  return b.model;
}

} // namespace

TEST(NnapiElementwise, DividesIntegersDownwards) {
  NnBuilder b;
  auto integers = [](Dims dims) {
    return NnBuilder::tensor(OperandType::TENSOR_INT32, std::move(dims));
  };
  auto x = b.input(integers({4})), y = b.input(integers({4}));
  b.add("DIV", {x, y, b.scalar(0)}, {b.output(integers({4}))});
  EXPECT_THAT(
      ImportedNn(b.model).run<std::int32_t>({{7, -7, 7, -6}, {2, 2, -2, -3}}),
      ElementsAre(3, -4, -4, 2));
}

TEST(NnapiElementwise, CombinesTruths) {
  for (auto [operation, expected] :
       {std::pair("LOGICAL_AND", std::array{0, 0, 0, 1}),
        {"LOGICAL_OR", {0, 1, 1, 1}}}) {
    NnBuilder b;
    Operand truths = NnBuilder::tensor(OperandType::TENSOR_BOOL8, {4});
    auto x = b.input(truths), y = b.input(truths);
    b.add(operation, {x, y}, {b.output(truths)});
    EXPECT_THAT(
        ImportedNn(b.model).run<std::uint8_t>({{0, 0, 1, 1}, {0, 1, 0, 1}}),
        ::testing::ElementsAreArray(expected))
        << operation;
  }
}

TEST(NnapiElementwise, ComparesTheNumbersThatIntegersMean) {
  // 1, 1.5 and 0.5 beside 1.
  for (auto [operation, expected] : {std::pair("EQUAL", std::array{1, 0, 0}),
                                     {"NOT_EQUAL", {0, 1, 1}},
                                     {"LESS", {0, 0, 1}},
                                     {"GREATER_EQUAL", {1, 1, 0}}}) {
    NnBuilder b;
    auto x = b.input(NnBuilder::bytes({3}, 0.5f, 10)),
         y = b.input(NnBuilder::bytes({1}, 0.25f, 0));
    b.add(operation, {x, y},
          {b.output(NnBuilder::tensor(OperandType::TENSOR_BOOL8, {3}))});
    EXPECT_THAT(ImportedNn(b.model).run<std::uint8_t>({{12, 13, 11}, {4}}),
                ::testing::ElementsAreArray(expected))
        << operation;
  }
}

TEST(NnapiElementwise, FusesActivationsIntoTheSum) {
  // 3, 0.5 and -2 in steps of 0.25 from 8 on.
  std::vector<std::vector<std::uint8_t>> inputs = {{104, 99, 94}, {102}};
  ImportedNn relu1(sumWith(2));
  EXPECT_THAT(relu1.layers(), ElementsAre("Eltwise"));
  EXPECT_THAT(relu1.run(inputs), ElementsAre(12, 10, 4));
  EXPECT_THAT(ImportedNn(sumWith(0)).run(inputs), ElementsAre(20, 10, 0));
  EXPECT_THAT(ImportedNn(sumWith(1)).run(inputs), ElementsAre(20, 10, 8));
  ImportedNn none(sumWith(4));
  EXPECT_FALSE(none.module);
  EXPECT_EQ(none.diags.all().front().id, diag::ImportBadNode);
}
