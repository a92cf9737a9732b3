//===- LayoutTest.cpp - The order of axes ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/onnx/Imported.h"

using namespace yarrow;
using namespace yarrow::test;

namespace {
/// A chain on x [1,3,4,4] with weights of 3 channels.
struct Chain {
  Message graph;
  Chain() {
    graph.add(5, floatsOf("w", {3, 3, 1, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}))
        .add(11, valueOf("x", {1, 3, 4, 4}))
        .add(12, valueOf("y", {}));
  }
  Chain &node(const Message &n) {
    graph.add(1, n);
    return *this;
  }
  long transposes() {
    Imported net(modelOf(graph));
    EXPECT_TRUE(net.module);
    auto layers = net.layers();
    return std::ranges::count(layers, "Transpose");
  }
};
} // namespace

TEST(Layout, ResidualBlocksHaveTransposesAtTheirEndsAlone) {
  Chain c;
  c.node(nodeOf("Conv", {"x", "w"}, {"a"}))
      .node(nodeOf("Relu", {"a"}, {"b"}))
      .node(nodeOf("Conv", {"b", "w"}, {"d"}))
      .node(nodeOf("Add", {"d", "b"}, {"e"}))
      .node(nodeOf("Conv", {"e", "w"}, {"y"}));
  EXPECT_EQ(c.transposes(), 2);
}

TEST(Layout, AxesFollowTheOrder) {
  Chain c;
  Message concat = nodeOf("Concat", {"a", "a"}, {"b"});
  concat.add(5, intAttribute("axis", 1));
  Message mean = nodeOf("ReduceMax", {"b"}, {"y"});
  mean.add(5, intsAttribute("axes", {2, 3}))
      .add(5, intAttribute("keepdims", 0));
  c.node(nodeOf("Conv", {"x", "w"}, {"a"})).node(concat).node(mean);
  EXPECT_EQ(c.transposes(), 1); // of the input
  Imported net(modelOf(c.graph));
  std::vector<float> x(48);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  EXPECT_THAT(net.run(x), ::testing::ElementsAre(15, 31, 47, 15, 31, 47));
}

TEST(Layout, ConstantsMoveInsteadOfTensors) {
  Chain c;
  c.graph.add(5, floatsOf("s", {}, {2}))
      .add(5, floatsOf("t", {3, 1, 1}, {1, 2, 3}));
  c.node(nodeOf("Conv", {"x", "w"}, {"a"}))
      .node(nodeOf("Mul", {"s", "a"}, {"b"}))
      .node(nodeOf("Add", {"b", "t"}, {"d"}))
      .node(nodeOf("Conv", {"d", "w"}, {"y"}));
  EXPECT_EQ(c.transposes(), 2);
}

TEST(Layout, NothingMovesWithoutChannels) {
  Chain c;
  Message softmax = nodeOf("Softmax", {"x"}, {"y"});
  softmax.add(5, intAttribute("axis", 1));
  EXPECT_EQ(c.node(softmax).transposes(), 0);
}

TEST(Layout, TransposesOfTheModelMeetOurs) {
  Chain c;
  Message move = nodeOf("Transpose", {"a"}, {"y"});
  move.add(5, intsAttribute("perm", {0, 2, 3, 1}));
  EXPECT_EQ(c.node(nodeOf("Conv", {"x", "w"}, {"a"})).node(move).transposes(),
            1);
}
