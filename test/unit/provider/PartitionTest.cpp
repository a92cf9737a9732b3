//===- PartitionTest.cpp - Which parts of a model the NPU takes -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/Partition.h"
#include "test/unit/provider/Models.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::provider;

namespace {

std::vector<std::size_t> leftIn(const Partition &partition) {
  std::vector<std::size_t> nodes;
  for (const LeftOut &left : partition.leftOut)
    nodes.push_back(left.node);
  return nodes;
}

TEST(Partition, TheImporterDecides) {
  auto graph = models::graph({"a = Relu x", "b = NoSuch a", "c = Tanh b",
                              "d = NoSuch c", "y = Relu d"},
                             {"y"}, {"a", "b", "c", "d"});
  Partition partition = divide(*graph, PartCompiler({}), {});
  EXPECT_EQ(leftIn(partition), (std::vector<std::size_t>{1, 3}));
  ASSERT_EQ(partition.parts.size(), 3u);
  EXPECT_EQ(partition.numMoved(), 3u);
  for (const Part &part : partition.parts)
    EXPECT_TRUE(part.executable);
  for (const LeftOut &left : partition.leftOut) {
    EXPECT_EQ(left.code, "E1004");
    EXPECT_NE(left.why.find("NoSuch is not imported"), std::string::npos);
  }
}

TEST(Partition, ShapesThatNobodyStates) {
  auto graph =
      models::graph({"a = Relu x", "b = NoSuch a", "y = Relu b"}, {"y"});
  Partition partition = divide(*graph, PartCompiler({}), {});
  ASSERT_EQ(leftIn(partition), (std::vector<std::size_t>{1, 2}));
  EXPECT_NE(partition.leftOut[1].why.find("the shape of b"), std::string::npos);
}

/// y = Loop(3, "", x), each round by \p op of the value and x; the model states
/// no shape of y, as ONNX Runtime does not.
std::unique_ptr<ModelGraph> loopOf(const std::string &op) {
  test::Message body;
  std::string value = "v";
  if (op != "Add") {
    body.add(1, test::nodeOf(op, {"v"}, {"u"}));
    body.add(1, test::nodeOf("ReduceSum", {"u"}, {"r"}));
    value = "r";
  }
  body.add(1, test::nodeOf("Add", {value, "x"}, {"w"}));
  body.add(1, test::nodeOf("Identity", {"c"}, {"d"})).add(2, std::string("b"));
  body.add(11, test::valueOf("i", {}, 7)).add(11, test::valueOf("c", {}, 9));
  body.add(11, test::valueOf("v", {4, 4}));
  body.add(12, test::valueOf("d", {}, 9)).add(12, test::valueOf("w", {4, 4}));
  test::Message loop = test::nodeOf("Loop", {"n", "", "x"}, {"y"}, "loop");
  loop.add(5, test::Message()
                  .add(1, std::string("body"))
                  .add(6, body)
                  .add(20, std::uint64_t(5)));
  test::Message graph;
  graph.add(1, loop).add(1, test::nodeOf("Relu", {"y"}, {"z"}, "relu"));
  graph.add(5, test::integersOf("n", {3}));
  graph.add(11, test::valueOf("x", {4, 4})).add(12, test::valueOf("z", {4, 4}));
  std::string bytes = test::modelOf(graph);
  DiagnosticEngine diags;
  return ModelGraph::read(
      MappedFile::ofMemory("m.onnx", std::as_bytes(std::span(bytes))), diags);
}

/// What goes round in a loop has one size, unless an operator inside of it
/// makes as many elements as values say.
TEST(Partition, LoopsHaveResultsOfOneSize) {
  auto graph = loopOf("Add");
  ASSERT_TRUE(graph);
  Partition partition = divide(*graph, PartCompiler({}), {});
  EXPECT_EQ(partition.numMoved(), 2u);

  graph = loopOf("NonZero");
  ASSERT_TRUE(graph);
  EXPECT_TRUE(graph->nodes()[0].inner.contains({"NonZero", ""}));
  partition = divide(*graph, PartCompiler({}), {});
  ASSERT_FALSE(partition.leftOut.empty());
  EXPECT_EQ(partition.leftOut[0].node, 0u);
  EXPECT_NE(partition.leftOut[0].why.find("depends on values"),
            std::string::npos);
}

TEST(Partition, OnlyWhatPays) {
  std::vector<std::string> nodes = {"a = Relu x", "b = NoSuch a", "c = Tanh b",
                                    "d = Relu c", "y = MatMul d d"};
  auto graph = models::graph(nodes, {"y"}, {"a", "b", "c", "d"});
  Partition partition = divide(*graph, PartCompiler({}), {.minNodes = 2});
  ASSERT_EQ(partition.parts.size(), 1u);
  EXPECT_EQ(partition.parts[0].nodes, (Group{2, 3, 4}));
  EXPECT_EQ(partition.parts[0].macs, 64u);
  EXPECT_EQ(leftIn(partition), (std::vector<std::size_t>{0, 1}));

  graph = models::graph(nodes, {"y"}, {"a", "b", "c", "d"});
  partition = divide(*graph, PartCompiler({}), {.minMacs = 65});
  EXPECT_TRUE(partition.parts.empty());
  EXPECT_EQ(partition.leftOut.size(), 5u);
}

TEST(Partition, TextHasEveryNode) {
  auto graph = models::graph({"a = Relu x", "y = NoSuch a"}, {"y"}, {"a"});
  Partition partition = divide(*graph, PartCompiler({}), {});
  std::string text = describe(*graph, partition);
  EXPECT_NE(text.find("1 of 2 nodes on the NPU, in 1 part\n"), text.npos);
  EXPECT_NE(text.find("npu: part_0, 1 node, 0 MACs: x -> a\n"), text.npos);
  EXPECT_NE(text.find("cpu: NoSuch y: E1004: "), text.npos) << text;
}

} // namespace
