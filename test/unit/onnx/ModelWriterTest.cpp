//===- ModelWriterTest.cpp - Models that are written ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/ModelWriter.h"
#include "parser/onnx/OnnxReader.h"
#include "parser/onnx/WireWriter.h"
#include "support/diagnostics/Import.h"
#include "test/TemporaryFile.h"
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::onnx;
using ::testing::ElementsAre;

static Bytes bytesOf(const std::vector<float> &values) {
  return std::as_bytes(std::span(values));
}

static TensorSpec floats(std::string name, Lengths source, Lengths order,
                         const std::vector<float> &values) {
  return {std::move(name),  ElementType::F32, std::move(source),
          std::move(order), bytesOf(values),  nullptr};
}

TEST(WireWriter, WritesWhatTheReaderReads) {
  WireWriter inner, wire;
  inner.text(1, "name");
  wire.integer(3, -2);
  wire.number(5, 0.5f);
  wire.message(200, inner);
  wire.integers(7, std::vector<std::int64_t>{1, 300, -1});
  WireReader reader(std::as_bytes(std::span(wire.bytes())));
  auto integer = reader.next(), number = reader.next(), text = reader.next(),
       list = reader.next();
  ASSERT_TRUE(integer && number && text && list);
  EXPECT_EQ(integer->asInt(), -2);
  EXPECT_EQ(number->asFloat(), 0.5f);
  EXPECT_EQ(text->number, 200u);
  EXPECT_EQ(WireReader(text->bytes).next()->text(), "name");
  std::vector<std::int64_t> numbers;
  EXPECT_TRUE(appendVarints(*list, numbers));
  EXPECT_THAT(numbers, ElementsAre(1, 300, -1));
  EXPECT_FALSE(reader.next());
}

TEST(ModelWriter, WritesWhatTheReaderReads) {
  std::vector<float> weights = {1, 2, 3, 4, 5, 6};
  ModelSpec model{.graphName = "net"};
  model.inputs.push_back({"x", ElementType::F32, {1, 3}});
  model.outputs.push_back({"y", ElementType::F32, {1, 2}});
  model.constants.push_back(floats("w", {2, 3}, {1, 0}, weights));
  model.nodes.push_back({"/fc",
                         "Gemm",
                         {"x", "w"},
                         {"y"},
                         {{"alpha", 0.5f}, {"transB", std::int64_t(0)}}});
  yarrow::testing::TemporaryFile file;
  DiagnosticEngine diags;
  auto sizeBytes = writeModel(model, file.path(), diags);
  ASSERT_TRUE(sizeBytes);
  EXPECT_EQ(std::filesystem::file_size(file.path()), *sizeBytes);
  auto read = readOnnx(file.path(), diags);
  ASSERT_TRUE(read);
  EXPECT_TRUE(diags.all().empty());
  ASSERT_EQ(read->nodes.size(), 1u);
  const graph::Node &node = *read->nodes[0];
  EXPECT_EQ(node.name, "/fc");
  EXPECT_EQ(node.number("alpha", 1), 0.5f);
  // Turned while it was written.
  const graph::Constant &w = *node.input(1)->constant;
  EXPECT_EQ(w.shape, (graph::Shape{3, 2}));
  EXPECT_THAT(w.numbers(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(ModelWriter, TurnsConstantsOfAnyRank) {
  std::vector<float> values(2 * 3 * 4);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  ModelSpec model{.graphName = "net"};
  model.inputs.push_back({"x", ElementType::F32, {1}});
  model.outputs.push_back({"y", ElementType::F32, {4, 2, 3}});
  model.constants.push_back(floats("w", {2, 3, 4}, {2, 0, 1}, values));
  model.nodes.push_back({"add", "Add", {"x", "w"}, {"y"}, {}});
  yarrow::testing::TemporaryFile file;
  DiagnosticEngine diags;
  ASSERT_TRUE(writeModel(model, file.path(), diags));
  auto read = readOnnx(file.path(), diags);
  ASSERT_TRUE(read);
  const graph::Constant &w = *read->nodes[0]->input(1)->constant;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_EQ(w.numberAt((k * 2 + i) * 3 + j), (i * 3 + j) * 4 + k);
}

TEST(ModelWriter, RefusesMoreThanAMessageHolds) {
  // Nothing is read of such a constant.
  static const std::byte kFirst{};
  ModelSpec model{.graphName = "net"};
  model.constants.push_back({"w",
                             ElementType::I8,
                             {std::int64_t(1) << 31},
                             {0},
                             Bytes(&kFirst, std::size_t(1) << 31),
                             nullptr});
  yarrow::testing::TemporaryFile file;
  DiagnosticEngine diags;
  EXPECT_FALSE(writeModel(model, file.path(), diags));
  ASSERT_EQ(diags.all().size(), 1u);
  const Diagnostic &d = diags.all()[0];
  EXPECT_EQ(d.id, diag::ExportTooLarge);
  EXPECT_EQ(d.expectedText, "at most 2147483647");
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(ModelWriter, WritesLargeConstantsIntoAFileOfTheirOwn) {
  std::vector<float> few = {1, 2}, many(1025), turned(2 * 1024);
  for (std::size_t i = 0; i < turned.size(); ++i)
    turned[i] = float(i);
  many.back() = 7;
  ModelSpec model{.graphName = "net"};
  model.inputs.push_back({"x", ElementType::F32, {1}});
  model.outputs.push_back({"y", ElementType::F32, {1}});
  model.constants.push_back(floats("few", {2}, {0}, few));
  model.constants.push_back(floats("many", {1025}, {0}, many));
  model.constants.push_back(floats("turned", {2, 1024}, {1, 0}, turned));
  model.nodes.push_back(
      {"sum", "Sum", {"x", "few", "many", "turned"}, {"y"}, {}});
  yarrow::testing::TemporaryFile file, data;
  DiagnosticEngine diags;
  auto sizeBytes = writeModel(model, file.path(), diags, data.path());
  ASSERT_TRUE(sizeBytes);
  // The second one begins at a page.
  EXPECT_EQ(std::filesystem::file_size(data.path()), 8192u + 8192u);
  EXPECT_EQ(std::filesystem::file_size(file.path()) + 8192 + 8192, *sizeBytes);
  auto read = readOnnx(file.path(), diags);
  ASSERT_TRUE(read);
  const graph::Node &sum = *read->nodes[0];
  EXPECT_EQ(sum.input(1)->constant->numberAt(1), 2);
  EXPECT_EQ(sum.input(2)->constant->numberAt(1024), 7);
  EXPECT_EQ(sum.input(3)->constant->shape, (graph::Shape{1024, 2}));
  EXPECT_EQ(sum.input(3)->constant->numberAt(1), 1024);
}
