//===- TfliteReaderTest.cpp - TFLite models as import graphs --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/TfliteReader.h"
#include "support/diagnostics/Import.h"
#include "test/FlatBytes.h"
#include <gmock/gmock.h>

using namespace yarrow;
using test::Flat;
using test::TfliteModel;
using ::testing::ElementsAre;

namespace {

struct Read {
  explicit Read(const TfliteModel &model) {
    auto owner = std::make_shared<const std::string>(model.bytes());
    graph = tflite::parseTflite(std::as_bytes(std::span(*owner)), owner,
                                "m.tflite", diags);
  }
  std::vector<std::string> operators() const {
    std::vector<std::string> names;
    for (auto &node : graph->nodes)
      names.push_back(node->op);
    return names;
  }
  std::optional<DiagId> onlyProblem() const {
    EXPECT_EQ(diags.all().size(), 1u);
    return diags.all().empty() ? std::nullopt
                               : std::optional(diags.all().front().id);
  }
  DiagnosticEngine diags;
  std::unique_ptr<graph::Graph> graph;
};

constexpr std::int8_t kInt32 = 2, kInt8 = 9, kInt4 = 17;

} // namespace

TEST(TfliteReader, PutsFusedActivationsAfterATensorThatIsNotStored) {
  TfliteModel m;
  auto stored = [&] {
    return std::map<unsigned, Flat>{{4, test::quantizationOf({0.5f}, {3})}};
  };
  m.inputs = {m.tensor("x", {2}, kInt8, stored())};
  int y = m.tensor("y", {2}, kInt8, stored());
  m.op(0, {m.inputs[0], m.inputs[0]}, {y}, 11,
       {{0, Flat::number(std::int8_t(3))}}); // RELU6
  m.outputs = {y};
  Read read(m);
  ASSERT_TRUE(read.graph);
  EXPECT_THAT(read.operators(), ElementsAre("Add", "Clip"));
  const graph::Tensor *between = read.graph->nodes[0]->outputs[0];
  EXPECT_EQ(between->name, "y_before_RELU6");
  EXPECT_FALSE(between->quantization);
  const graph::Tensor *result = read.graph->nodes[1]->outputs[0];
  EXPECT_EQ(result->type, ElementType::F32);
  ASSERT_TRUE(result->quantization);
  EXPECT_EQ(*result->quantization,
            (graph::Quantization{ElementType::I8, {0.5f}, {3}, 0}));
}

TEST(TfliteReader, KeepsIntegersWithoutScale) {
  TfliteModel m;
  int x = m.input("x", {2, 3});
  int y = m.tensor("y", {2}, kInt32);
  m.op(56, {x, m.ints("axis", {1})}, {y}); // ARG_MAX
  m.outputs = {y};
  Read read(m);
  ASSERT_TRUE(read.graph);
  EXPECT_EQ(read.graph->outputs[0]->type, ElementType::I32);
  EXPECT_EQ(read.graph->nodes[0]->integer("axis", -9), 1);
}

TEST(TfliteReader, ViewsWeightsInTheFile) {
  TfliteModel m;
  int x = m.input("x", {1, 2});
  int w = m.floats("w", {1, 2}, {1.5f, -2});
  int y = m.tensor("y", {1, 1});
  m.op(9, {x, w, -1}, {y});
  m.outputs = {y};
  auto owner = std::make_shared<const std::string>(m.bytes());
  DiagnosticEngine diags;
  auto graph = tflite::parseTflite(std::as_bytes(std::span(*owner)), owner,
                                   "m.tflite", diags);
  ASSERT_TRUE(graph);
  const graph::Constant &c = *graph->nodes[0]->inputs[1]->constant;
  EXPECT_THAT(c.numbers(), ElementsAre(1.5, -2));
  auto *at = reinterpret_cast<const char *>(c.bytes.data());
  EXPECT_TRUE(at >= owner->data() && at < owner->data() + owner->size());
  EXPECT_EQ(graph->nodes[0]->inputs[2], nullptr);
}

TEST(TfliteReader, UnpacksFourBits) {
  TfliteModel m;
  int x = m.input("x", {3});
  int w = m.constant("w", {3}, std::vector<std::uint8_t>{0x8f, 0x07}, kInt4,
                     {{4, test::quantizationOf({2}, {0})}});
  int y = m.tensor("y", {3});
  m.op(0, {x, w}, {y});
  m.outputs = {y};
  Read read(m);
  ASSERT_TRUE(read.graph);
  const graph::Constant &c = *read.graph->nodes[0]->inputs[1]->constant;
  EXPECT_THAT(c.integers(), ElementsAre(-1, -8, 7));
  EXPECT_EQ(c.narrowBits, 4u);
}

/// [2, 4] by blocks of two columns: the second block of row 0, the first of
/// row 1.
static Flat blockSparsity(std::int32_t lastIndex) {
  auto indices = [](std::vector<std::int32_t> values) {
    return Flat::table({{0, Flat::list(values)}});
  };
  Flat rows = Flat::table({{1, Flat::number(std::int32_t(2))}});
  Flat columns = Flat::table({{0, Flat::number(std::int8_t(1))},
                              {2, Flat::number(std::uint8_t(1))},
                              {3, indices({0, 1, 2})},
                              {4, Flat::number(std::uint8_t(1))},
                              {5, indices({1, lastIndex})}});
  Flat block = Flat::table({{1, Flat::number(std::int32_t(2))}});
  return Flat::table({{0, Flat::list(std::vector<std::int32_t>{0, 1, 2})},
                      {1, Flat::list(std::vector<std::int32_t>{1})},
                      {2, Flat::tables({rows, columns, block})}});
}

static TfliteModel sparseModel(std::int32_t lastIndex) {
  TfliteModel m;
  int x = m.input("x", {2, 4});
  int w = m.constant("w", {2, 4}, std::vector<float>{1, 2, 3, 4}, 0,
                     {{6, blockSparsity(lastIndex)}});
  int y = m.tensor("y", {2, 4});
  m.op(0, {x, w}, {y});
  m.outputs = {y};
  return m;
}

TEST(TfliteReader, ExpandsSparseBlocks) {
  Read read(sparseModel(0));
  ASSERT_TRUE(read.graph);
  EXPECT_THAT(read.graph->nodes[0]->inputs[1]->constant->numbers(),
              ElementsAre(0, 0, 1, 2, 3, 4, 0, 0));
}

TEST(TfliteReader, RefusesSparseIndicesBeyondTheShape) {
  Read read(sparseModel(2));
  EXPECT_FALSE(read.graph);
  EXPECT_EQ(read.onlyProblem(), diag::TfliteMalformed);
}

TEST(TfliteReader, TakesTheLargerOfTheTwoNumbers) {
  TfliteModel m;
  int x = m.input("x", {2});
  int y = m.tensor("y", {2});
  m.op(158, {x}, {y}); // SIGN: 127 in the old field
  m.outputs = {y};
  Read read(m);
  ASSERT_TRUE(read.graph);
  EXPECT_THAT(read.operators(), ElementsAre("Sign"));
}

TEST(TfliteReader, LeavesLengthsOpenThatTheSignatureLeavesOpen) {
  TfliteModel m;
  m.inputs = {m.tensor("x", {1, 4}, 0,
                       {{7, Flat::list(std::vector<std::int32_t>{-1, 4})}})};
  int y = m.tensor("y", {1, 4});
  m.op(19, m.inputs, {y});
  m.outputs = {y};
  Read read(m);
  ASSERT_TRUE(read.graph);
  EXPECT_THAT(*read.graph->inputs[0]->shape, ElementsAre(-1, 4));
}

TEST(TfliteReader, ReportsOfIntegerWeightsBesideFloats) {
  TfliteModel m;
  int x = m.input("x", {1, 2});
  int w = m.constant("w", {1, 2}, std::vector<std::int8_t>{1, 2}, kInt8,
                     {{4, test::quantizationOf({0.5f}, {0})}});
  int y = m.tensor("y", {1, 1});
  m.op(9, {x, w, -1}, {y});
  m.outputs = {y};
  Read read(m);
  EXPECT_TRUE(read.graph);
  EXPECT_EQ(read.onlyProblem(), diag::TfliteDynamicRange);
}

TEST(TfliteReader, RefusesOptionsOfAnotherOperator) {
  TfliteModel m;
  int x = m.input("x", {2});
  int y = m.tensor("y", {2});
  m.op(98, {x}, {y}, 1); // LEAKY_RELU with those of CONV_2D
  m.outputs = {y};
  Read read(m);
  EXPECT_EQ(read.onlyProblem(), diag::ImportBadGraph);
}

TEST(TfliteReader, SurvivesEveryTruncation) {
  std::string whole = sparseModel(0).bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    auto part = std::make_shared<const std::string>(whole.substr(0, size));
    DiagnosticEngine diags;
    auto graph = tflite::parseTflite(std::as_bytes(std::span(*part)), part,
                                     "m.tflite", diags);
    EXPECT_EQ(bool(graph), !diags.hasErrors()) << size << " bytes";
  }
}
