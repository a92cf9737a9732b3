//===- IdentityTest.cpp - Nodes that change nothing -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/onnx/Imported.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::test;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

namespace {

/// A network of one chain of tensors, with a node that changes nothing behind
/// each of its own.
struct IdentityChain {
  std::string between; ///< Operator of those; "": none.
  Message graph;

  void node(const char *op, std::vector<std::string> inputs,
            const std::string &output, const Message &attribute = {}) {
    for (std::string &input : inputs)
      if (renamed.contains(input))
        input = renamed[input];
    Message n = nodeOf(op, inputs, {output});
    if (!attribute.bytes.empty())
      n.add(5, attribute);
    graph.add(1, n);
    if (between.empty())
      return;
    renamed[output] = output + "_same";
    std::vector<std::string> from = {output};
    if (between == "Reshape")
      from.push_back("whole");
    Message same = nodeOf(between, from, {output + "_same"});
    if (between == "Cast")
      same.add(5, intAttribute("to", 1));
    if (between == "Transpose")
      same.add(5, intsAttribute("perm", {0, 1}));
    graph.add(1, same);
  }

  std::map<std::string, std::string> renamed;
};

/// LayerNorm and SiLU by their formulas, a product and its bias.
std::string network(const char *between) {
  IdentityChain c{between, {}, {}};
  c.node("ReduceMean", {"x"}, "m", intsAttribute("axes", {-1}));
  c.node("Sub", {"x", "m"}, "d");
  c.node("Mul", {"d", "d"}, "p");
  c.node("ReduceMean", {"p"}, "v", intsAttribute("axes", {-1}));
  c.node("Add", {"v", "eps"}, "e");
  c.node("Sqrt", {"e"}, "s");
  c.node("Div", {"d", "s"}, "n");
  c.node("Mul", {"n", "gamma"}, "g");
  c.node("Add", {"g", "beta"}, "b");
  c.node("Sigmoid", {"b"}, "i");
  c.node("Mul", {"b", "i"}, "w");
  c.node("MatMul", {"w", "weights"}, "r");
  c.node("Add", {"r", "bias"}, "y");
  std::string y = c.renamed.empty() ? "y" : c.renamed["y"];
  // 0: the length that is there; the means have one column.
  c.graph.add(5, integersOf("whole", {0, 0}))
      .add(5, floatsOf("eps", {}, {1e-5f}))
      .add(5, floatsOf("gamma", {4}, {1, 2, 0.5f, -1}))
      .add(5, floatsOf("beta", {4}, {0, 1, -1, 0.25f}))
      .add(5, floatsOf("weights", {4, 2}, {1, 2, 3, 4, -1, -2, -3, 0.5f}))
      .add(5, floatsOf("bias", {2}, {0.5f, -0.5f}))
      .add(11, valueOf("x", {2, 4}))
      .add(12, valueOf(y, {2, 2}));
  return modelOf(c.graph);
}

const std::vector<float> kValues = {-3, -1, 0.25f, 1, 2, 4, -0.5f, 0};

} // namespace

TEST(Identity, IsNoPartOfAFormula) {
  Imported plain(network(""));
  EXPECT_THAT(plain.layers(),
              ElementsAre("LayerNorm", "Activation", "FullyConnected"));
  for (const char *between :
       {"Identity", "Dropout", "Cast", "Reshape", "Transpose"}) {
    Imported net(network(between));
    EXPECT_EQ(net.layers(), plain.layers()) << between;
    EXPECT_EQ(net.run(kValues), plain.run(kValues)) << between;
  }
}

/// The node before writes the output, and has its name; one of an input or of a
/// constant stays what it is.
TEST(Identity, MayBeAnOutput) {
  Message graph;
  graph.add(1, nodeOf("Exp", {"x"}, {"a"}))
      .add(1, nodeOf("Identity", {"a"}, {"y"}))
      .add(1, nodeOf("Identity", {"a"}, {"again"}))
      .add(1, nodeOf("Identity", {"x"}, {"input"}))
      .add(1, nodeOf("Identity", {"c"}, {"constant"}))
      .add(1, nodeOf("Neg", {"a"}, {"z"}))
      .add(5, floatsOf("c", {2}, {5, 6}))
      .add(11, valueOf("x", {2}));
  for (const char *name : {"y", "again", "input", "constant", "z"})
    graph.add(12, valueOf(name, {2}));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  EXPECT_THAT(net.layers(), ElementsAre("Exp", "Negative"));
  auto outputs = compass::graphOutputs(compass::mainGraph(*net.module));
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_EQ(compass::layerNameOf(outputs[0].getDefiningOp()), "y");
  const std::vector<std::vector<float>> x = {{0, 1}};
  const float e = net.runAs<float, float>(x, 0)[1];
  EXPECT_NEAR(e, std::exp(1.0f), 1e-6f);
  EXPECT_EQ((net.runAs<float, float>(x, 1)), (std::vector<float>{1, e}));
  EXPECT_EQ((net.runAs<float, float>(x, 2)), x[0]);
  EXPECT_EQ((net.runAs<float, float>(x, 3)), (std::vector<float>{5, 6}));
  EXPECT_EQ((net.runAs<float, float>(x, 4)), (std::vector<float>{-1, -e}));
}

/// A mask of ones is still made, and what is in training mode refused.
TEST(Identity, KeepsMasksOfDropout) {
  Message graph;
  graph.add(1, nodeOf("Exp", {"x"}, {"a"}))
      .add(1, nodeOf("Dropout", {"a"}, {"b", "mask"}))
      .add(1, nodeOf("Neg", {"b"}, {"y"}))
      .add(11, valueOf("x", {2}))
      .add(12, valueOf("y", {2}))
      .add(12, valueOf("mask", {2}, 9));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  EXPECT_THAT(net.layers(), ElementsAre("Exp", "Negative"));
  EXPECT_EQ((net.runAs<uint8_t, float>({{0, 1}}, 1)),
            (std::vector<uint8_t>{1, 1}));
  Message training;
  training.add(1, nodeOf("Dropout", {"x", "rate", "mode"}, {"y"}))
      .add(5, floatsOf("rate", {}, {0.5f}))
      .add(11, valueOf("x", {2}))
      .add(11, valueOf("mode", {}, 9))
      .add(12, valueOf("y", {2}));
  Imported refused(modelOf(training));
  ASSERT_EQ(refused.diags.all().size(), 1u);
  EXPECT_EQ(refused.diags.all().front().id, diag::ImportForm);
}

/// Graphs within read what the node before wrote, and give it.
TEST(Identity, IsSeenThroughInBranches) {
  auto branch = [](const char *op) {
    Message graph;
    return graph.add(1, nodeOf("Identity", {"b"}, {"c"}))
        .add(1, nodeOf(op, {"c"}, {"d"}))
        .add(1, nodeOf("Identity", {"d"}, {"e"}))
        .add(12, valueOf("e", {2}));
  };
  auto attribute = [](const char *name, const Message &graph) {
    return Message().add(1, std::string(name)).add(6, graph).add(20, 5);
  };
  Message choice = nodeOf("If", {"k"}, {"y"});
  choice.add(5, attribute("then_branch", branch("Exp")))
      .add(5, attribute("else_branch", branch("Neg")));
  Message graph;
  graph.add(1, nodeOf("Abs", {"x"}, {"a"}))
      .add(1, nodeOf("Identity", {"a"}, {"b"}))
      .add(1, choice)
      .add(11, valueOf("x", {2}))
      .add(11, valueOf("k", {}, 9))
      .add(12, valueOf("y", {2}));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  EXPECT_THAT(net.layers(),
              ::testing::UnorderedElementsAre("Abs", "If", "Exp", "Negative"));
}

/// The same tensors are found under the names that the model gives them.
TEST(Identity, KeepsTheNamesOfTensors) {
  std::vector<graph::ImportedTensor> names;
  graph::ImportOptions options;
  options.names = &names;
  Imported net(network("Identity"), options);
  ASSERT_TRUE(net.module);
  for (const char *name : {"w", "w_same", "y", "y_same", "b_same"})
    EXPECT_THAT(names,
                Contains(::testing::Field(&graph::ImportedTensor::name, name)));
}
