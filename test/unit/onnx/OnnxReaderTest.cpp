//===- OnnxReaderTest.cpp - Whole and broken models -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OnnxReader.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Import.h"
#include "test/OnnxBytes.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::test;
namespace fs = std::filesystem;

static std::unique_ptr<graph::Graph> parse(const std::string &bytes,
                                           DiagnosticEngine &diags,
                                           const std::string &path = "m.onnx") {
  auto owner = std::make_shared<const std::string>(bytes);
  return onnx::parseOnnx(std::as_bytes(std::span(*owner)), owner, path, diags);
}

static Message small() {
  Message graph;
  return graph.add(1, nodeOf("Relu", {"x"}, {"y"}, "r"))
      .add(11, valueOf("x", {1, -1}))
      .add(12, valueOf("y", {1, -1}));
}

/// The only diagnostic of a model that is wrong.
static Diagnostic problemOf(const std::string &bytes) {
  DiagnosticEngine diags;
  EXPECT_EQ(parse(bytes, diags), nullptr);
  EXPECT_EQ(diags.numErrors(), 1u);
  return diags.all().empty() ? Diagnostic{diag::FileUnreadable, {}, ""}
                             : diags.all().front();
}

TEST(OnnxReader, ReadsNamesShapesAndSymbols) {
  DiagnosticEngine diags;
  auto graph = parse(modelOf(small()), diags);
  ASSERT_TRUE(graph);
  ASSERT_EQ(graph->nodes.size(), 1u);
  EXPECT_EQ(graph->nodes[0]->op, "Relu");
  EXPECT_EQ(graph->nodes[0]->version, 17);
  EXPECT_EQ(graph->inputs[0]->shape, (graph::Shape{1, -1}));
  EXPECT_EQ(graph->inputs[0]->symbols[1], "N");
  EXPECT_EQ(graph->outputs[0], graph->nodes[0]->outputs[0]);
}

TEST(OnnxReader, BringsNodesIntoAnOrderThatComputes) {
  Message graph;
  graph.add(1, nodeOf("Relu", {"a"}, {"y"}))
      .add(1, nodeOf("Abs", {"x"}, {"a"}))
      .add(11, valueOf("x", {2}))
      .add(12, valueOf("y", {2}));
  DiagnosticEngine diags;
  auto read = parse(modelOf(graph), diags);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->nodes[0]->op, "Abs");
}

TEST(OnnxReader, KeepsWeightsWhereTheyLie) {
  Message graph = small();
  graph.add(5, floatsOf("w", {2}, {1.5f, -2}));
  DiagnosticEngine diags;
  auto owner = std::make_shared<const std::string>(modelOf(graph));
  auto read =
      onnx::parseOnnx(std::as_bytes(std::span(*owner)), owner, "m.onnx", diags);
  ASSERT_TRUE(read);
  graph::Graph &g = *read;
  g.addNode("Add", {g.inputs[0]}, {g.addTensor("z")});
  EXPECT_FALSE(diags.hasErrors());
}

/// A model that calls the function Twice of \p body; its second input is left
/// out.
static std::string callOf(const Message &body) {
  Message function;
  function.add(1, std::string("Twice"))
      .add(4, std::string("a"))
      .add(4, std::string("c"))
      .add(5, std::string("b"))
      .add(7, body)
      .add(10, std::string("mine"));
  Message call = nodeOf("Twice", {"x"}, {"y"}, "t");
  call.add(7, std::string("mine"));
  Message graph;
  graph.add(1, call).add(11, valueOf("x", {2})).add(12, valueOf("y", {2}));
  Message model;
  model.add(1, 8).add(8, Message().add(2, 17)).add(7, graph).add(25, function);
  return model.bytes;
}

TEST(OnnxReader, InlinesFunctions) {
  DiagnosticEngine diags;
  auto read = parse(callOf(nodeOf("Add", {"a", "a"}, {"b"}, "sum")), diags);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->nodes.size(), 1u);
  EXPECT_EQ(read->nodes[0]->op, "Add");
  EXPECT_EQ(read->nodes[0]->name, "t/sum");
}

TEST(OnnxReader, LeavesOutInputsThatCallsLeaveOut) {
  DiagnosticEngine diags;
  auto read = parse(callOf(nodeOf("Clip", {"a", "c"}, {"b"})), diags);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->nodes.size(), 1u);
  EXPECT_FALSE(read->nodes[0]->input(1));
}

TEST(OnnxReader, ReportsOutputsThatFunctionsDoNotWrite) {
  Diagnostic d = problemOf(callOf(nodeOf("Add", {"a", "a"}, {"other"})));
  EXPECT_EQ(d.id, diag::ImportBadGraph);
  EXPECT_EQ(d.foundText, "tensor y");
}

TEST(OnnxReader, ReportsBrokenFiles) {
  std::string whole = modelOf(small());
  Diagnostic d = problemOf(whole.substr(0, whole.size() - 3));
  EXPECT_EQ(d.id, diag::OnnxMalformed);
  d = problemOf(Message().add(1, 8).bytes);
  EXPECT_EQ(d.id, diag::OnnxMalformed);
  Message graph = small();
  graph.add(5, floatsOf("w", {3}, {1, 2}));
  d = problemOf(modelOf(graph));
  EXPECT_EQ(d.id, diag::OnnxMalformed);
  EXPECT_EQ(d.foundText, "8 bytes");
}

TEST(OnnxReader, ReportsVersions) {
  EXPECT_EQ(problemOf(modelOf(small(), 5)).id, diag::OnnxVersion);
  EXPECT_EQ(problemOf(modelOf(small(), 99)).id, diag::OnnxVersion);
  DiagnosticEngine diags;
  EXPECT_TRUE(parse(modelOf(small(), 17, 15), diags));
  ASSERT_EQ(diags.all().size(), 1u);
  const Diagnostic &d = diags.all().front();
  EXPECT_EQ(d.id, diag::OnnxNewerIr);
}

TEST(OnnxReader, ReportsGraphsThatDoNotFit) {
  Message undefined, twice, circle;
  undefined.add(1, nodeOf("Relu", {"nobody"}, {"y"}, "r"))
      .add(12, valueOf("y", {2}));
  twice = small();
  twice.add(1, nodeOf("Abs", {"x"}, {"y"}));
  circle.add(1, nodeOf("Relu", {"b"}, {"a"}))
      .add(1, nodeOf("Relu", {"a"}, {"b"}))
      .add(12, valueOf("a", {2}));
  for (const Message &graph : {undefined, twice, circle}) {
    Diagnostic d = problemOf(modelOf(graph));
    EXPECT_EQ(d.id, diag::ImportBadGraph);
    EXPECT_THAT(d.place.file, ::testing::StartsWith("m.onnx: node"));
  }
}

TEST(OnnxReader, ConfinesExternalData) {
  fs::path folder = fs::temp_directory_path() / "yarrow_onnx_external";
  fs::remove_all(folder);
  fs::create_directories(folder / "in");
  std::ofstream(folder / "in" / "w.bin") << std::string(8, '\0');
  std::ofstream(folder / "secret.bin") << std::string(8, '\0');
  fs::create_symlink(folder / "secret.bin", folder / "in" / "link.bin");
  auto graphOf = [](const std::string &location, const std::string &length) {
    auto entry = [](const std::string &key, const std::string &value) {
      return Message().add(1, key).add(2, value);
    };
    Message tensor;
    tensor.add(1, 2).add(2, 1).add(8, std::string("w")).add(14, 1);
    tensor.add(13, entry("location", location))
        .add(13, entry("length", length));
    return small().add(5, tensor);
  };
  std::string model = (folder / "in" / "m.onnx").string();
  DiagnosticEngine good;
  EXPECT_TRUE(parse(modelOf(graphOf("w.bin", "8")), good, model));
  std::pair<const char *, const char *> wrong[] = {
      {"../secret.bin", "8"}, {"/etc/hostname", "8"}, {"link.bin", "8"},
      {"none.bin", "8"},      {"w.bin", "4"},         {"w.bin", "x"}};
  for (auto [location, length] : wrong) {
    DiagnosticEngine diags;
    EXPECT_FALSE(parse(modelOf(graphOf(location, length)), diags, model));
    ASSERT_EQ(diags.all().size(), 1u) << location;
    const Diagnostic &d = diags.all().front();
    EXPECT_EQ(d.id, diag::OnnxExternalData) << location;
  }
  fs::remove_all(folder);
}
