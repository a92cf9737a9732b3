//===- FuseTest.cpp - Formulas that are recognised, and that are not ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/onnx/Imported.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::test;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

namespace {
/// Nodes on x [2,4] with scalars; the last tensor is y.
struct Formula {
  Message graph;

  explicit Formula(std::vector<int64_t> shape = {2, 4}) {
    graph.add(11, valueOf("x", shape)).add(12, valueOf("y", {}));
  }
  Formula &scalar(const char *name, float value) {
    graph.add(5, floatsOf(name, {}, {value}));
    return *this;
  }
  Formula &node(const char *op, std::vector<std::string> inputs,
                const char *output, const Message &attribute = {}) {
    Message n = nodeOf(op, inputs, {output});
    if (!attribute.bytes.empty())
      n.add(5, attribute);
    graph.add(1, n);
    return *this;
  }
};

const std::vector<float> kX = {-3, -1, -0.5, 0, 0.25, 1, 2, 4};
const std::vector<float> kImage = {1, 2, 3,  4, -1, 0, 5, 2,
                                   8, 8, -8, 7, 3,  1, 0, 0.5};

/// Checks that the rules keep the network's results.
void expectSame(const Formula &f, const std::vector<float> &x) {
  graph::ImportOptions spelled;
  spelled.fuses = false;
  Imported fused(modelOf(f.graph)), plain(modelOf(f.graph), spelled);
  ASSERT_TRUE(fused.module && plain.module);
  EXPECT_NE(fused.layers(), plain.layers());
  EXPECT_THAT(fused.run(x), Pointwise(FloatNear(1e-5f), plain.run(x)));
}

Formula geluErf() {
  Formula f;
  return f.scalar("root", std::sqrt(2.0f))
      .scalar("one", 1)
      .scalar("half", 0.5)
      .node("Div", {"x", "root"}, "a")
      .node("Erf", {"a"}, "b")
      .node("Add", {"b", "one"}, "c")
      .node("Mul", {"x", "c"}, "d")
      .node("Mul", {"d", "half"}, "y");
}

Formula layerNorm(const char *output = "y") {
  Formula f;
  return f.scalar("two", 2)
      .scalar("eps", 1e-5f)
      .node("ReduceMean", {"x"}, "m", intsAttribute("axes", {-1}))
      .node("Sub", {"x", "m"}, "d")
      .node("Pow", {"d", "two"}, "p")
      .node("ReduceMean", {"p"}, "v", intsAttribute("axes", {-1}))
      .node("Add", {"v", "eps"}, "e")
      .node("Sqrt", {"e"}, "s")
      .node("Div", {"d", "s"}, output);
}
} // namespace

TEST(Fuse, Gelu) {
  Imported net(modelOf(geluErf().graph));
  EXPECT_THAT(net.layers(), ElementsAre("Activation"));
  std::vector<float> expected;
  for (float x : kX)
    expected.push_back(0.5f * x * (1 + std::erf(x / std::sqrt(2.0f))));
  EXPECT_THAT(net.run(kX), Pointwise(FloatNear(1e-5f), expected));
}

TEST(Fuse, NotWhatAnOutputShows) {
  Formula f = geluErf();
  f.graph.add(12, valueOf("b", {}));
  EXPECT_THAT(Imported(modelOf(f.graph)).layers(), Contains("Erf"));
}

TEST(Fuse, NotWhatOthersRead) {
  Formula f = geluErf();
  f.node("Neg", {"c"}, "z").graph.add(12, valueOf("z", {}));
  EXPECT_THAT(Imported(modelOf(f.graph)).layers(), Contains("Erf"));
}

TEST(Fuse, GeluByTanh) {
  Formula f;
  f.scalar("three", 3)
      .scalar("k", 0.044715f)
      .scalar("r", 0.7978846f)
      .scalar("one", 1)
      .scalar("half", 0.5)
      .node("Pow", {"x", "three"}, "a")
      .node("Mul", {"k", "a"}, "b")
      .node("Add", {"x", "b"}, "c")
      .node("Mul", {"c", "r"}, "d")
      .node("Tanh", {"d"}, "e")
      .node("Add", {"one", "e"}, "f")
      .node("Mul", {"half", "x"}, "g")
      .node("Mul", {"g", "f"}, "y");
  EXPECT_THAT(Imported(modelOf(f.graph)).layers(), ElementsAre("Activation"));
  expectSame(f, kX);
}

TEST(Fuse, SwishAndItsNeighbour) {
  Formula swish, other;
  swish.node("Sigmoid", {"x"}, "s").node("Mul", {"x", "s"}, "y");
  EXPECT_THAT(Imported(modelOf(swish.graph)).layers(),
              ElementsAre("Activation"));
  other.node("Sigmoid", {"x"}, "s").node("Exp", {"x"}, "e");
  other.node("Mul", {"e", "s"}, "y");
  EXPECT_THAT(Imported(modelOf(other.graph)).layers(), Contains("Eltwise"));
  expectSame(swish, kX);
}

TEST(Fuse, HardSwishAndOtherBounds) {
  auto formula = [](float most) {
    Formula f;
    return f.scalar("three", 3)
        .scalar("zero", 0)
        .scalar("six", 6)
        .scalar("most", most)
        .node("Add", {"x", "three"}, "a")
        .node("Clip", {"a", "zero", "most"}, "b")
        .node("Mul", {"x", "b"}, "c")
        .node("Div", {"c", "six"}, "y");
  };
  Imported net(modelOf(formula(6).graph));
  EXPECT_THAT(net.layers(), ElementsAre("Activation"));
  std::vector<float> expected;
  for (float x : kX)
    expected.push_back(x * std::clamp(x + 3, 0.0f, 6.0f) / 6);
  EXPECT_THAT(net.run(kX), Pointwise(FloatNear(1e-5f), expected));
  EXPECT_THAT(Imported(modelOf(formula(5).graph)).layers(), Contains("Div"));
}

TEST(Fuse, HardSwishByAHardSigmoidOfASixthAlone) {
  auto formula = [](float alpha, float beta) {
    Formula f;
    Message hard = nodeOf("HardSigmoid", {"x"}, {"h"});
    hard.add(5, floatAttribute("alpha", alpha))
        .add(5, floatAttribute("beta", beta));
    f.graph.add(1, hard);
    return f.node("Mul", {"x", "h"}, "y");
  };
  Formula swish = formula(1 / 6.0f, 0.5f);
  EXPECT_THAT(Imported(modelOf(swish.graph)).layers(),
              ElementsAre("Activation"));
  expectSame(swish, kX);
  for (const Formula &other : {formula(0.2f, 0.5f), formula(1 / 6.0f, 0.4f)})
    EXPECT_THAT(Imported(modelOf(other.graph)).layers(),
                ElementsAre("Activation", "Eltwise"));
}

TEST(Fuse, MishAndLeakyRelu) {
  Formula mish, leaky;
  mish.node("Softplus", {"x"}, "a").node("Tanh", {"a"}, "b");
  mish.node("Mul", {"x", "b"}, "y");
  EXPECT_THAT(Imported(modelOf(mish.graph)).layers(),
              ElementsAre("Activation"));
  leaky.scalar("a", 0.1f).node("Mul", {"x", "a"}, "b");
  leaky.node("Max", {"x", "b"}, "y");
  Imported net(modelOf(leaky.graph));
  EXPECT_THAT(net.layers(), ElementsAre("Activation"));
  EXPECT_FLOAT_EQ(net.run(kX)[0], -0.3f);
  expectSame(mish, kX);
  expectSame(leaky, kX);
}

TEST(Fuse, LayerNormWithScaleAndBias) {
  Formula f = layerNorm("n");
  f.graph.add(5, floatsOf("g", {4}, {1, 2, 3, 4}));
  f.graph.add(5, floatsOf("b", {4}, {0, 1, 0, -1}));
  f.node("Mul", {"n", "g"}, "o").node("Add", {"o", "b"}, "y");
  Imported net(modelOf(f.graph));
  EXPECT_THAT(net.layers(), ElementsAre("LayerNorm"));
  // The same without the rules: the formula for the last element.
  double mean = -1.125, variance = 0;
  for (int i = 0; i < 4; ++i)
    variance += (kX[size_t(i)] - mean) * (kX[size_t(i)] - mean) / 4;
  EXPECT_NEAR(net.run(kX)[3], 4 * (0 - mean) / std::sqrt(variance + 1e-5) - 1,
              1e-4);
  expectSame(f, kX);
}

TEST(Fuse, NoLayerNormOverOtherAxes) {
  Formula f;
  f.scalar("two", 2)
      .scalar("eps", 1e-5f)
      .node("ReduceMean", {"x"}, "m", intsAttribute("axes", {0}))
      .node("Sub", {"x", "m"}, "d")
      .node("Pow", {"d", "two"}, "p")
      .node("ReduceMean", {"p"}, "v", intsAttribute("axes", {0}))
      .node("Add", {"v", "eps"}, "e")
      .node("Sqrt", {"e"}, "s")
      .node("Div", {"d", "s"}, "y");
  EXPECT_THAT(Imported(modelOf(f.graph)).layers(), Contains("Reduce"));
}

TEST(Fuse, RmsNorm) {
  Formula f;
  f.scalar("eps", 1e-6f)
      .node("Mul", {"x", "x"}, "p")
      .node("ReduceMean", {"p"}, "v", intsAttribute("axes", {-1}))
      .node("Add", {"v", "eps"}, "e")
      .node("Sqrt", {"e"}, "s")
      .node("Reciprocal", {"s"}, "r")
      .node("Mul", {"x", "r"}, "y");
  EXPECT_THAT(Imported(modelOf(f.graph)).layers(), ElementsAre("RMSNorm"));
  expectSame(f, kX);
}

TEST(Fuse, ChannelShuffle) {
  Formula f({1, 4, 1, 2});
  f.graph.add(5, integersOf("five", {1, 2, 2, 1, 2}));
  f.graph.add(5, integersOf("four", {1, 4, 1, 2}));
  f.node("Reshape", {"x", "five"}, "a")
      .node("Transpose", {"a"}, "b", intsAttribute("perm", {0, 2, 1, 3, 4}))
      .node("Reshape", {"b", "four"}, "y");
  Imported net(modelOf(f.graph));
  EXPECT_THAT(net.layers(), Contains("ChannelShuffle"));
  EXPECT_THAT(net.run({0, 1, 2, 3, 4, 5, 6, 7}),
              ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(Fuse, GroupNorm) {
  Formula f({1, 4, 2, 2});
  f.graph.add(5, integersOf("three", {0, 2, -1}));
  f.graph.add(5, integersOf("four", {1, 4, 2, 2}));
  f.graph.add(5, floatsOf("one", {2}, {1, 1}));
  f.graph.add(5, floatsOf("zero", {2}, {0, 0}));
  f.graph.add(5, floatsOf("g", {4, 1, 1}, {1, 2, 3, 4}));
  f.node("Reshape", {"x", "three"}, "a")
      .node("InstanceNormalization", {"a", "one", "zero"}, "b")
      .node("Reshape", {"b", "four"}, "c")
      .node("Mul", {"c", "g"}, "y");
  EXPECT_THAT(Imported(modelOf(f.graph)).layers(),
              ElementsAre("Transpose", "GroupNorm", "Transpose"));
  expectSame(f, kImage);
}

TEST(Fuse, MatMulAndBias) {
  Formula f;
  f.graph.add(5, floatsOf("w", {4, 2}, {1, 0, 0, 1, 0, 0, 0, 0}));
  f.graph.add(5, floatsOf("b", {2}, {10, 20}));
  f.node("MatMul", {"x", "w"}, "a").node("Add", {"a", "b"}, "y");
  Imported net(modelOf(f.graph));
  EXPECT_THAT(net.layers(), ElementsAre("FullyConnected"));
  EXPECT_FLOAT_EQ(net.run(kX)[0], 7);
}

TEST(Fuse, MeanOfAnImage) {
  for (int64_t keepdims : {0, 1}) {
    Formula f({1, 4, 2, 2});
    Message node = nodeOf("ReduceMean", {"x"}, {"y"});
    node.add(5, intsAttribute("axes", {2, 3}));
    node.add(5, intAttribute("keepdims", keepdims));
    f.graph.add(1, node);
    EXPECT_THAT(Imported(modelOf(f.graph)).layers(), Contains("Pooling"));
    expectSame(f, kImage);
  }
}
