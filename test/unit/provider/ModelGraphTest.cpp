//===- ModelGraphTest.cpp - An ONNX model that can be cut -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/ModelGraph.h"
#include "compiler/session/Network.h"
#include "support/diagnostics/Import.h"
#include "test/unit/provider/Models.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::provider;

namespace {

TEST(ModelGraph, CutHasWhatItNeeds) {
  auto graph =
      models::graph({"a = Relu x", "b = Relu a", "c = Add a b", "y = Relu c"},
                    {"y"}, {"a", "b", "c"});
  ASSERT_TRUE(graph);
  std::size_t part[] = {1, 2};
  CutModel cut = graph->cut(part);
  EXPECT_EQ(cut.inputs, std::vector<std::string>{"a"});
  EXPECT_EQ(cut.outputs, std::vector<std::string>{"c"});

  DiagnosticEngine diags;
  session::ModelSource source{"part"};
  source.bytes = std::as_bytes(std::span(cut.bytes));
  auto network = session::load(source, {diags});
  ASSERT_TRUE(network) << diags.all().front().str();
  EXPECT_EQ(network->inputShapes(),
            (std::vector<std::vector<int64_t>>{{4, 4}}));
}

TEST(ModelGraph, GivenLengthsTakeThePlaceOfStatedOnes) {
  auto graph = models::graph({"y = Relu x"}, {"y"});
  std::size_t part[] = {0};
  CutModel cut = graph->cut(part, {{"x", {2, 3}}});
  DiagnosticEngine diags;
  session::ModelSource source{"part"};
  source.bytes = std::as_bytes(std::span(cut.bytes));
  auto network = session::load(source, {diags});
  ASSERT_TRUE(network);
  EXPECT_EQ(network->inputShapes(),
            (std::vector<std::vector<int64_t>>{{2, 3}}));
}

TEST(ModelGraph, NodesComeInAnOrderThatComputes) {
  auto graph =
      models::graph({"y = Relu b", "b = Relu a", "a = Relu x"}, {"y"}, {});
  ASSERT_EQ(graph->nodes().size(), 3u);
  EXPECT_EQ(graph->nodes()[0].name, "a");
  EXPECT_EQ(graph->nodes()[0].position, 2u);
  EXPECT_EQ(graph->writerOf("y"), 2);
  EXPECT_EQ(graph->writerOf("x"), -1);
}

TEST(ModelGraph, NodesBeforeATensor) {
  auto graph = models::graph(
      {"a = Relu x", "b = Relu a", "c = Relu x", "d = Add a c", "y = Add b d"},
      {"y"});
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->nodesBefore({"b"}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(graph->nodesBefore({"d", "b"}),
            (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(graph->nodesBefore({"x"}).empty());
}

TEST(ModelGraph, EveryNodeHasANameOfItsOwn) {
  test::Message graph;
  graph.add(1, test::nodeOf("Relu", {"x"}, {"a"}));
  graph.add(1, test::nodeOf("Relu", {"a"}, {"b"}, "Relu_0"));
  graph.add(1, test::nodeOf("Relu", {"b"}, {"y"}, "Relu_0"));
  graph.add(11, test::valueOf("x", {4}));
  graph.add(12, test::valueOf("y", {4}));
  std::string bytes = test::modelOf(graph);
  DiagnosticEngine diags;
  auto read = ModelGraph::read(
      MappedFile::ofMemory("m", std::as_bytes(std::span(bytes))), diags);
  ASSERT_TRUE(read);
  std::set<std::string> names;
  for (const ModelNode &node : read->nodes())
    names.insert(node.name);
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(read->nodes()[1].name, "Relu_0");
}

TEST(ModelGraph, WhatIsNotAModelIsReported) {
  std::string good = models::bytes({"y = Relu x"}, {"y"});
  for (std::string bad :
       {std::string("text"), std::string(), good.substr(0, good.size() / 2),
        models::bytes({"a = Relu b", "b = Relu a"}, {"a"})}) {
    DiagnosticEngine diags;
    EXPECT_FALSE(ModelGraph::read(
        MappedFile::ofMemory("m", std::as_bytes(std::span(bad))), diags));
    ASSERT_TRUE(diags.hasErrors());
    EXPECT_EQ(diags.all().front().id, DiagId(diag::OnnxMalformed));
  }
}

} // namespace
