//===- TablesTest.cpp - NNAPI's tables, hashes and counted results --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/indexing/Fingerprint.h"
#include "support/diagnostics/Import.h"
#include "test/unit/nnapi/ImportedNn.h"
#include "test/unit/nnapi/NnModels.h"
#include <bit>

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using ::testing::Contains;
using ::testing::ElementsAre;

namespace {

using Ints = std::vector<std::int32_t>;

TEST(Tables, KeysThatDifferInTheLastBitAreReported) {
  NnBuilder b;
  auto lookups = b.input(NnBuilder::integers({4})),
       keys = b.input(NnBuilder::integers({3})),
       values = b.input(NnBuilder::integers({3, 2})),
       rows = b.output(NnBuilder::integers({4, 2})),
       hits = b.output(
           NnBuilder::tensor(OperandType::TENSOR_QUANT8_ASYMM, {4}, 1));
  b.add("HASHTABLE_LOOKUP", {lookups, keys, values}, {rows, hits});
  ImportedNn net(b.model);
  std::vector<Ints> inputs = {{2147483647, 2147483646, -2147483647, 0},
                              {-2147483647, 16777217, 2147483647},
                              {1, 2, 3, 4, 16777217, 6}};
  EXPECT_THAT(net.run<std::int32_t>(inputs),
              ElementsAre(16777217, 6, 0, 0, 1, 2, 0, 0));
  EXPECT_THAT((net.runAs<std::uint8_t, std::int32_t>(inputs, 1)),
              ElementsAre(1, 0, 1, 0));
}

/// What is hashed of quantized items is what is stored.
TEST(Tables, ProjectionHashesStoredBytes) {
  const std::vector<float> seeds = {0.5f, -1, 3, 0.25f};
  const std::vector<std::uint8_t> items = {0, 255, 17, 128, 3, 4};
  NnBuilder b;
  auto hashes = b.constant(NnBuilder::floats({2, 2}), seeds),
       input = b.input(NnBuilder::tensor(OperandType::TENSOR_QUANT8_ASYMM,
                                         {3, 2}, 0.3f, 7)),
       bits = b.output(NnBuilder::integers({4}));
  auto weights = b.omitted(OperandType::TENSOR_FLOAT32);
  b.add("LSH_PROJECTION", {hashes, input, weights, b.scalar(2)}, {bits});
  ImportedNn net(b.model);
  Ints expected;
  for (float seed : seeds) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
      sum += double(std::int64_t(kernels::fingerprint(
          {std::bit_cast<std::uint32_t>(seed), &items[2 * i], 2})));
    expected.push_back(sum > 0);
  }
  EXPECT_EQ((net.runAs<std::int32_t, std::uint8_t>({items})), expected);
}

TEST(Tables, CountedResultsEndAModel) {
  NnBuilder b;
  auto scores = b.input(NnBuilder::floats({5, 2})),
       boxes = b.input(NnBuilder::floats({5, 8})),
       images = b.input(NnBuilder::integers({5}));
  auto kept = b.between(NnBuilder::floats({0})),
       corners = b.output(NnBuilder::floats({0, 4})),
       classes = b.output(NnBuilder::integers({0})),
       numbers = b.output(NnBuilder::integers({0})),
       y = b.output(NnBuilder::floats({0}));
  b.add("BOX_WITH_NMS_LIMIT",
        {scores, boxes, images, b.scalar(0.5f), b.scalar(-1), b.scalar(0),
         b.scalar(0.5f), b.scalar(1.0f), b.scalar(0.5f)},
        {kept, corners, classes, numbers});
  b.add("RELU", {kept}, {y});
  ImportedNn net(b.model);
  EXPECT_FALSE(net.module);
  std::vector<DiagId> ids;
  for (const Diagnostic &d : net.diags.all())
    ids.push_back(d.id);
  EXPECT_THAT(ids, Contains(DiagId(diag::ImportForm)));
}

} // namespace
