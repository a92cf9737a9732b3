//===- ControlTest.cpp - If of QNN ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/Numbers.h"

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// A graph of one node that reads x1 and writes y0, of the graph around it.
std::shared_ptr<qnn::QnnModel> branch(const std::string &type) {
  auto model = std::make_shared<qnn::QnnModel>();
  model->add({.name = "x1", .dims = {3}, .kind = qnn::TensorKind::Input});
  model->add({.name = "y0", .dims = {3}, .kind = qnn::TensorKind::Output});
  model->nodes.push_back(
      {.name = type, .type = type, .inputs = {"x1"}, .outputs = {"y0"}});
  return model;
}

struct IfNode : OneNode {
  explicit IfNode(bool condition, const std::string &otherwise)
      : OneNode("If") {
    input(integers({}, {double(condition)}, DataType::BOOL_8));
    input(floats({3}, {1, -2, 3})).output(kReal, {3});
    qnn::QnnNode &node = model.nodes[0];
    node.inputs.resize(1), node.outputs.clear();
    model.graphs["a"] = branch("Relu");
    model.graphs["b"] = branch("ElementWiseNeg");
    name("then_graph", "a");
    if (!otherwise.empty())
      name("else_graph", otherwise);
  }

private:
  void name(const char *param, const std::string &graph) {
    qnn::QnnParam text{.name = param, .text = graph};
    text.tensor.type = DataType::STRING;
    model.nodes[0].params.push_back(std::move(text));
  }
};

} // namespace

TEST(QnnControl, IfRunsOneOfTwoGraphs) {
  IfNode yes(true, "b"), no(false, "b");
  expectExactly(yes.run(), {1, 0, 3});
  expectExactly(no.run(), {-1, 2, -3});
}

TEST(QnnControl, IfNeedsBothGraphs) {
  EXPECT_FALSE(IfNode(true, "").import());
  EXPECT_FALSE(IfNode(true, "c").import());
  IfNode other(true, "b");
  other.model.graphs["b"]->tensors[1].kind = qnn::TensorKind::Native;
  EXPECT_FALSE(other.import());
}
