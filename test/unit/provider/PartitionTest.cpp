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
