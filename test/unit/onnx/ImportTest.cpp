//===- ImportTest.cpp - From ONNX models to layers ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/onnx/Imported.h"

using namespace yarrow;
using namespace yarrow::test;
using ::testing::ElementsAre;

static Message graphOf(const Message &node, const std::vector<int64_t> &shape) {
  Message graph;
  return graph.add(1, node)
      .add(11, valueOf("x", shape))
      .add(12, valueOf("y", {}));
}

TEST(Import, KeepsNames) {
  Imported net(
      modelOf(graphOf(nodeOf("Relu", {"x"}, {"y"}, "/a b/Relu"), {2})));
  ASSERT_TRUE(net.module);
  mlir::Value y = compass::graphOutputs(compass::mainGraph(*net.module))[0];
  EXPECT_EQ(compass::layerNameOf(y.getDefiningOp()), "/a_b/Relu");
  EXPECT_EQ(compass::tensorNameOf(y), "/a_b/Relu_0");
  EXPECT_EQ(net.run({-1, 2}), (std::vector<float>{0, 2}));
}

TEST(Import, FoldsShapeComputations) {
  // Reshape(x, Concat(Shape(x)[0:1], [-1]))
  Message gather = nodeOf("Gather", {"s", "zero"}, {"first"});
  Message concat = nodeOf("Concat", {"first", "rest"}, {"to"});
  concat.add(5, intAttribute("axis", 0));
  Message graph;
  graph.add(1, nodeOf("Shape", {"x"}, {"s"}))
      .add(1, gather)
      .add(1, concat)
      .add(1, nodeOf("Reshape", {"x", "to"}, {"y"}))
      .add(5, integersOf("zero", {0}))
      .add(5, integersOf("rest", {-1}))
      .add(11, valueOf("x", {2, 3, 4}))
      .add(12, valueOf("y", {}));
  Imported net(modelOf(graph));
  EXPECT_THAT(net.layers(), ElementsAre("Reshape"));
}

TEST(Import, BindsLengths) {
  Message graph = graphOf(nodeOf("Relu", {"x"}, {"y"}), {-1, -1});
  graph::ImportOptions options;
  options.shapes["x"] = {2, 5};
  EXPECT_TRUE(Imported(modelOf(graph), options).module);
  Imported open(modelOf(graph));
  ASSERT_EQ(open.diags.all().size(), 2u);
  const Diagnostic &batch = open.diags.all()[0], &d = open.diags.all()[1];
  EXPECT_EQ(batch.id, diag::ImportBatchOfOne);
  EXPECT_EQ(d.id, diag::ImportUnknownLength);
  EXPECT_EQ(d.foundText, "axis 1 is N");
}

TEST(Import, ReportsShapesOfOtherInputs) {
  graph::ImportOptions options;
  options.shapes["z"] = {2};
  Imported net(modelOf(graphOf(nodeOf("Relu", {"x"}, {"y"}), {2})), options);
  ASSERT_EQ(net.diags.all().size(), 1u);
  const Diagnostic &d = net.diags.all().front();
  EXPECT_EQ(d.id, diag::ImportInputShape);
}

TEST(Import, ReportsAllUnknownOperatorsAtOnce) {
  Message graph;
  graph.add(1, nodeOf("StringConcat", {"x", "x"}, {"a"}))
      .add(1, nodeOf("Bernoulli", {"a"}, {"b"}))
      .add(1, nodeOf("Bernoulli", {"b"}, {"y"}))
      .add(11, valueOf("x", {2}))
      .add(12, valueOf("y", {2}));
  Imported net(modelOf(graph));
  ASSERT_EQ(net.diags.all().size(), 2u);
  const Diagnostic &d = net.diags.all()[0];
  EXPECT_EQ(d.id, diag::ImportUnknownOperator);
  EXPECT_EQ(d.foundText, "2 nodes");
}

TEST(Import, ReportsFormsAndWrongNodes) {
  Message unique = nodeOf("ReduceMax", {"x", "axes"}, {"y"});
  Message graph = graphOf(unique, {2, 3});
  graph.add(11, valueOf("axes", {1}, 7));
  Imported form(modelOf(graph, 18));
  ASSERT_EQ(form.diags.all().size(), 1u);
  const Diagnostic &f = form.diags.all().front();
  EXPECT_EQ(f.id, diag::ImportForm);
  Message softmax = nodeOf("Softmax", {"x"}, {"y"});
  softmax.add(5, intAttribute("axis", 7));
  Imported wrong(modelOf(graphOf(softmax, {2, 3})));
  ASSERT_EQ(wrong.diags.all().size(), 1u);
  const Diagnostic &w = wrong.diags.all().front();
  EXPECT_EQ(w.id, diag::ImportBadNode);
  EXPECT_EQ(w.place.file, "m.onnx: node of tensor y");
}

TEST(Import, ReportsValuesThatFillNoTensor) {
  auto problemOf = [](const Message &value) {
    Message node = nodeOf("ConstantOfShape", {"shape"}, {"y"});
    node.add(5,
             Message().add(1, std::string("value")).add(5, value).add(20, 4));
    Message graph;
    graph.add(1, node)
        .add(5, integersOf("shape", {2, 2}))
        .add(12, valueOf("y", {2, 2}));
    Imported net(modelOf(graph));
    EXPECT_EQ(net.diags.all().size(), 1u);
    return net.diags.all().front();
  };
  Diagnostic d = problemOf(floatsOf("v", {2}, {1, 2}));
  EXPECT_EQ(d.id, diag::ImportBadNode);
  EXPECT_EQ(d.foundText, "[2]");
  d = problemOf(Message().add(1, 1).add(2, 17)); // float8e4m3fn
  EXPECT_EQ(d.id, diag::ImportForm);
  EXPECT_EQ(d.foundText, "float8e4m3fn");
}

TEST(Import, ReportsScalesOfMoreAxesThanTheValues) {
  Message norm = nodeOf("LayerNormalization", {"x", "w"}, {"y"});
  Message graph = graphOf(norm, {2, 3});
  graph.add(11, valueOf("w", {2, 2, 3}));
  Imported net(modelOf(graph));
  ASSERT_EQ(net.diags.all().size(), 1u);
  const Diagnostic &d = net.diags.all().front();
  EXPECT_EQ(d.id, diag::ImportBadNode);
  EXPECT_EQ(d.foundText, "[2,2,3]");
}

TEST(Import, BroadcastsFromTheAxisThatOldNodesName) {
  auto lengthsOf = [](std::uint64_t opset) {
    Message add = nodeOf("Add", {"x", "b"}, {"y"});
    add.add(5, intAttribute("broadcast", 1)).add(5, intAttribute("axis", 1));
    Message graph = graphOf(add, {2, 3, 3});
    graph.add(11, valueOf("b", {3}));
    Imported net(modelOf(graph, opset));
    EXPECT_TRUE(net.module);
    return net.layers();
  };
  EXPECT_THAT(lengthsOf(6), ElementsAre("Reshape", "Eltwise"));
  Message drop = nodeOf("Dropout", {"x"}, {"y"});
  Imported training(modelOf(graphOf(drop, {2}), 6));
  ASSERT_EQ(training.diags.all().size(), 1u);
  const Diagnostic &d = training.diags.all().front();
  EXPECT_EQ(d.id, diag::ImportForm);
}

TEST(Import, CutsAtNodesAndTensors) {
  Message graph;
  graph.add(1, nodeOf("Relu", {"x"}, {"a"}, "first"))
      .add(1, nodeOf("Exp", {"a"}, {"b"}, "second"))
      .add(1, nodeOf("Abs", {"b"}, {"y"}, "third"))
      .add(11, valueOf("x", {2}))
      .add(12, valueOf("y", {2}));
  graph::ImportOptions options;
  options.outputs = {"second"};
  Imported head(modelOf(graph), options);
  EXPECT_THAT(head.layers(), ElementsAre("Activation", "Exp"));
  options.outputs = {"secnd"};
  Imported wrong(modelOf(graph), options);
  ASSERT_EQ(wrong.diags.all().size(), 1u);
  const Diagnostic &d = wrong.diags.all().front();
  EXPECT_EQ(d.id, diag::ImportCut);
}

TEST(Import, ReportsConstantsThatDoNotFit) {
  Message graph;
  graph.add(1, nodeOf("Add", {"x", "big"}, {"y"}))
      .add(5, integersOf("big", {int64_t(1) << 40}))
      .add(11, valueOf("x", {1}, 7))
      .add(12, valueOf("y", {1}, 7));
  Imported net(modelOf(graph));
  EXPECT_TRUE(net.module);
  ASSERT_EQ(net.diags.all().size(), 1u);
  const Diagnostic &d = net.diags.all().front();
  EXPECT_EQ(d.id, diag::ImportNarrowed);
}

TEST(Import, TakesTheBranchOfAConstantCondition) {
  auto branch = [](const char *op) {
    Message graph;
    return graph.add(1, nodeOf(op, {"x"}, {"r"})).add(12, valueOf("r", {2}));
  };
  Message node = nodeOf("If", {"c"}, {"y"});
  for (auto [key, op] :
       {std::pair{"then_branch", "Exp"}, {"else_branch", "Abs"}})
    node.add(5,
             Message().add(1, std::string(key)).add(6, branch(op)).add(20, 5));
  Message condition;
  condition.add(2, 9).add(8, std::string("c")).add(9, std::string(1, '\0'));
  Message graph = graphOf(node, {2});
  graph.add(5, condition);
  Imported net(modelOf(graph));
  EXPECT_THAT(net.layers(), ElementsAre("Abs"));
}

TEST(Import, ReportsBranchesWhoseResultsDiffer) {
  Message thenGraph, elseGraph;
  thenGraph.add(1, nodeOf("Exp", {"x"}, {"r"})).add(12, valueOf("r", {2}));
  Message concat = nodeOf("Concat", {"x", "x"}, {"r"});
  concat.add(5, intAttribute("axis", 0));
  elseGraph.add(1, concat).add(12, valueOf("r", {4}));
  Message node = nodeOf("If", {"c"}, {"y"});
  for (auto &[key, branch] :
       {std::pair{"then_branch", thenGraph}, {"else_branch", elseGraph}})
    node.add(5, Message().add(1, std::string(key)).add(6, branch).add(20, 5));
  Message graph = graphOf(node, {2});
  graph.add(11, valueOf("c", {}, 9));
  Imported net(modelOf(graph));
  EXPECT_FALSE(net.module);
  ASSERT_EQ(net.diags.all().size(), 1u);
  const Diagnostic &d = net.diags.all().front();
  EXPECT_EQ(d.id, diag::ImportForm);
  EXPECT_THAT(d.message,
              ::testing::HasSubstr("branches with results of different"));
  EXPECT_EQ(d.foundText, "[2] and [4]");
  EXPECT_EQ(d.expectedText, "the same shape and type");
}

/// A key of a Tile has 65,535 of them at most; Keras spells LayerNorm with
/// more.
TEST(Import, ExpandsToMoreCopiesThanAKeyHas) {
  Message shape;
  shape.add(1, uint64_t(2)).add(2, uint64_t(7)).add(8, std::string("shape"));
  shape.add(7, uint64_t(2)).add(7, uint64_t(70000));
  Message graph;
  graph.add(1, nodeOf("Expand", {"x", "shape"}, {"y"}))
      .add(5, shape)
      .add(11, valueOf("x", {2, 1}))
      .add(12, valueOf("y", {}));
  std::vector<float> y = Imported(modelOf(graph, 13)).run({3, 4});
  std::vector<float> expected(70000, 3.0f);
  expected.resize(140000, 4.0f);
  EXPECT_EQ(y, expected);
}

/// Of the tensor itself, say, as Keras spells LayerNormalization.
TEST(Import, BatchNormTakesStatisticsOfRunTime) {
  Message graph;
  graph
      .add(1, nodeOf("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"})
                  .add(5, floatAttribute("epsilon", 0.75f)))
      .add(5, floatsOf("s", {2}, {2, 3}))
      .add(5, floatsOf("b", {2}, {0.5f, -1}))
      .add(11, valueOf("x", {1, 2, 2}))
      .add(11, valueOf("m", {2}))
      .add(11, valueOf("v", {2}))
      .add(12, valueOf("y", {}));
  Imported net(modelOf(graph, 15));
  ASSERT_TRUE(net.module);
  // Roots of 0.25 + 0.75 and of 3.25 + 0.75.
  EXPECT_THAT((net.runAs<float, float>({{1, 2, 3, 4}, {1, 2}, {0.25f, 3.25f}})),
              ElementsAre(0.5f, 2.5f, 0.5f, 2));
}
