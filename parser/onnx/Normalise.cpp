//===- Normalise.cpp - Every operator in its newest form ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/Normalise.h"
#include "parser/onnx/Contrib.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Attribute;
using graph::Constant;
using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::Tensor;

namespace {

/// What a rule may do: rewrite the node in its place.
struct Rule {
  const char *op;
  std::int64_t before; ///< Versions that it is for; 0: all.
  void (*apply)(Graph &, Node &);
};

Tensor *constantOf(Graph &graph, const Node &node, const char *what,
                   Constant value) {
  std::string owner = node.name;
  if (owner.empty() && !node.outputs.empty() && node.outputs[0])
    owner = node.outputs[0]->name;
  Tensor *tensor = graph.addTensor(owner + "_" + what);
  tensor->setType(value.type, value.shape);
  tensor->constant = std::move(value);
  return tensor;
}

void setInput(Node &node, std::size_t i, Tensor *tensor) {
  if (node.inputs.size() <= i)
    node.inputs.resize(i + 1);
  if (!node.inputs[i])
    node.inputs[i] = tensor;
}

/// A list attribute as input \p i.
void listToInput(Graph &graph, Node &node, const char *key, std::size_t i) {
  const Attribute *a = node.attribute(key);
  if (!a || a->kind != Attribute::Kind::Ints)
    return;
  std::vector<std::int64_t> list = a->integers;
  node.attributes.erase(key);
  setInput(node, i,
           constantOf(graph, node, key,
                      Constant::ofIntegers({std::int64_t(list.size())}, list)));
}

void axesToInput(Graph &graph, Node &node) {
  listToInput(graph, node, "axes", 1);
}

void splitToInput(Graph &graph, Node &node) {
  listToInput(graph, node, "split", 1);
}

void sliceToInputs(Graph &graph, Node &node) {
  listToInput(graph, node, "starts", 1);
  listToInput(graph, node, "ends", 2);
  listToInput(graph, node, "axes", 3);
}

void padToInputs(Graph &graph, Node &node) {
  listToInput(graph, node, "pads", 1);
  if (const Attribute *value = node.attribute("value"))
    setInput(node, 2,
             constantOf(graph, node, "value",
                        Constant::ofFloats({}, {value->number})));
}

void clipToInputs(Graph &graph, Node &node) {
  for (auto [key, i] : {std::pair{"min", 1}, {"max", 2}})
    if (const Attribute *a = node.attribute(key))
      setInput(
          node, std::size_t(i),
          constantOf(graph, node, key, Constant::ofFloats({}, {a->number})));
  node.attributes.clear();
}

void topKToInput(Graph &graph, Node &node) {
  if (const Attribute *k = node.attribute("k"))
    setInput(
        node, 1,
        constantOf(graph, node, "k", Constant::ofIntegers({1}, {k->integer})));
}

/// Until version 13 the axes from `axis` on were one.
void flatten(Graph &, Node &node) {
  node.attributes["flatten"] = Attribute::of(std::int64_t(1));
}

/// Until version 21 scale and bias had one value for each group.
void perGroup(Graph &, Node &node) {
  node.attributes["per_group"] = Attribute::of(std::int64_t(1));
}

/// Upsample, and Resize of version 10: only scales, and pixels at corners.
void resizeOfScales(Graph &graph, Node &node) {
  if (const Attribute *scales = node.attribute("scales");
      scales && scales->kind == Attribute::Kind::Floats) {
    std::vector<float> list = scales->numbers;
    setInput(node, 1,
             constantOf(graph, node, "scales",
                        Constant::ofFloats({std::int64_t(list.size())}, list)));
    node.attributes.erase("scales");
  }
  // Of the first operator set.
  if (node.attribute("height_scale") || node.attribute("width_scale"))
    setInput(node, 1,
             constantOf(
                 graph, node, "scales",
                 Constant::ofFloats({4}, {1, 1, node.number("height_scale", 1),
                                          node.number("width_scale", 1)})));
  node.op = "Resize";
  if (node.inputs.size() == 2)
    node.inputs.insert(node.inputs.begin() + 1, nullptr);
  node.attributes["coordinate_transformation_mode"] =
      Attribute::of(std::string("asymmetric"));
  node.attributes["nearest_mode"] = Attribute::of(std::string("floor"));
}

void toScatterElements(Graph &, Node &node) { node.op = "ScatterElements"; }

/// Per-image statistics; only the form over the whole batch has a layer.
void batchNorm(Graph &, Node &node) {
  bool isOldTraining =
      node.version > 0 && node.version < 7 && !node.integer("is_test", 0);
  if (node.integer("spatial", 1) == 0 || isOldTraining)
    node.attributes["training_mode"] = Attribute::of(std::int64_t(1));
  // Results beyond the first are those of training.
  while (node.outputs.size() > 1 && !node.outputs.back())
    node.outputs.pop_back();
}

constexpr Rule kRules[] = {
    {"BatchNormalization", 0, batchNorm},
    {"Clip", 11, clipToInputs},
    {"GroupNormalization", 21, perGroup},
    {"Hardmax", 13, flatten},
    {"LogSoftmax", 13, flatten},
    {"Pad", 11, padToInputs},
    {"ReduceL1", 0, axesToInput},
    {"ReduceL2", 0, axesToInput},
    {"ReduceLogSum", 0, axesToInput},
    {"ReduceLogSumExp", 0, axesToInput},
    {"ReduceMax", 0, axesToInput},
    {"ReduceMean", 0, axesToInput},
    {"ReduceMin", 0, axesToInput},
    {"ReduceProd", 0, axesToInput},
    {"ReduceSum", 0, axesToInput},
    {"ReduceSumSquare", 0, axesToInput},
    {"Resize", 11, resizeOfScales},
    {"Scatter", 0, toScatterElements},
    {"Slice", 10, sliceToInputs},
    {"Softmax", 13, flatten},
    {"Split", 13, splitToInput},
    {"Squeeze", 13, axesToInput},
    {"TopK", 10, topKToInput},
    {"Unsqueeze", 13, axesToInput},
    {"Upsample", 0, resizeOfScales},
};

/// The value of a node of Constant; null if it is of a kind without layers.
std::optional<Constant> valueOf(const Node &node) {
  using Kind = Attribute::Kind;
  for (auto &[key, a] : node.attributes) {
    if (key == "value" && a.kind == Kind::Tensor)
      return a.tensor;
    if (key == "value_float" && a.kind == Kind::Float)
      return Constant::ofFloats({}, {a.number});
    if (key == "value_floats" && a.kind == Kind::Floats)
      return Constant::ofFloats({std::int64_t(a.numbers.size())}, a.numbers);
    if (key == "value_int" && a.kind == Kind::Int)
      return Constant::ofIntegers({}, {a.integer});
    if (key == "value_ints" && a.kind == Kind::Ints)
      return Constant::ofIntegers({std::int64_t(a.integers.size())},
                                  a.integers);
  }
  return std::nullopt;
}

} // namespace

void onnx::normalise(Graph &graph) {
  std::vector<std::unique_ptr<Node>> nodes;
  for (auto &node : graph.nodes) {
    for (auto &[key, attribute] : node->attributes)
      if (attribute.graph)
        normalise(*attribute.graph);
    // Inputs that are left out at the end, but for a loop's first two.
    std::size_t least = node->op == "Loop" ? 2 : 0;
    while (node->inputs.size() > least && !node->inputs.back())
      node->inputs.pop_back();
    // ONNX Runtime writes this one without its domain.
    if (node->op == "SimplifiedLayerNormalization")
      node->domain = "com.microsoft";
    if (node->domain == "com.microsoft")
      splitContrib(graph, *node, nodes);
    if (!node->domain.empty()) {
      nodes.push_back(std::move(node));
      continue;
    }
    if (node->op == "QLinearConv" || node->op == "QLinearMatMul")
      splitQuantized(graph, *node, nodes);
    if (node->op == "Constant" && node->output(0))
      if (auto value = valueOf(*node)) {
        node->outputs[0]->setType(value->type, value->shape);
        node->outputs[0]->constant = std::move(value);
        continue;
      }
    for (const Rule &rule : kRules)
      if (node->op == rule.op &&
          (rule.before == 0 || node->version < rule.before)) {
        rule.apply(graph, *node);
        break;
      }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}
