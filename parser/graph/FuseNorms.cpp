//===- FuseNorms.cpp - Formulas of normalisations
//-----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/FuseRules.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;

namespace {
/// 1 / sqrt(mean(x * x) + epsilon) over the axes from `axis` on.
struct RootMean {
  Tensor *x = nullptr;
  int64_t axis = 0;
  double epsilon = 0;
};
} // namespace

/// x where \p tensor is x * x.
static Tensor *squared(const Tensor *tensor, Matcher &m) {
  if (Node *pow = m.writer(tensor, "Pow"))
    return m.isScalar(pow->input(1), 2) ? pow->input(0) : nullptr;
  if (Node *mul = m.writer(tensor, "Mul"))
    return mul->input(0) == mul->input(1) ? mul->input(0) : nullptr;
  return nullptr;
}

/// The first of the axes of a mean over all axes from it on, which stay with
/// length 1; null if it is another mean.
static std::optional<int64_t> suffixMean(const Node &node) {
  auto axes = reducedAxes(node);
  if (!axes || axes->empty() || node.integer("keepdims", 1) == 0)
    return std::nullopt;
  auto rank = int64_t(node.input(0)->shape->size());
  for (size_t i = 0; i < axes->size(); ++i)
    if ((*axes)[i] != rank - int64_t(axes->size() - i))
      return std::nullopt;
  return axes->front();
}

/// What \p tensor, sqrt(mean(x * x) + epsilon), is made of.
static std::optional<RootMean> rootMean(const Tensor *tensor, Matcher &m) {
  Node *root = m.writer(tensor, "Sqrt");
  if (!root)
    if (Node *pow = m.writer(tensor, "Pow");
        pow && m.isScalar(pow->input(1), 0.5))
      root = pow;
  Node *add = root ? m.writer(root->input(0), "Add") : nullptr;
  if (!add)
    return std::nullopt;
  auto both = m.operands(
      *add, [&](const Tensor *t) { return m.scalar(t).has_value(); });
  Node *mean = both ? m.writer(both->second, "ReduceMean") : nullptr;
  auto axis = mean ? suffixMean(*mean) : std::nullopt;
  Tensor *x = axis ? squared(mean->input(0), m) : nullptr;
  if (!x)
    return std::nullopt;
  return RootMean{x, *axis, *m.scalar(both->first)};
}

/// The divisor of \p node and what it divides, of a / b or a * (1 / b).
static std::optional<std::pair<Tensor *, RootMean>> quotient(Node &node,
                                                             Matcher &m) {
  if (node.op == "Div") {
    if (auto root = rootMean(node.input(1), m))
      return std::pair(node.input(0), *root);
    return std::nullopt;
  }
  for (size_t i : {0, 1}) {
    if (Node *reciprocal = m.writer(node.input(i), "Reciprocal")) {
      if (auto root = rootMean(reciprocal->input(0), m))
        return std::pair(node.input(1 - i), *root);
    } else if (Node *div = m.writer(node.input(i), "Div");
               div && m.isScalar(div->input(0), 1)) {
      if (auto root = rootMean(div->input(1), m))
        return std::pair(node.input(1 - i), *root);
    }
  }
  return std::nullopt;
}

static Tensor *constantTensor(Graph &graph, const std::string &name,
                              Constant value) {
  Tensor *tensor = graph.addTensor(name);
  tensor->setType(value.type, value.shape);
  tensor->constant = std::move(value);
  return tensor;
}

static std::unique_ptr<Node> norm(const char *op, Tensor *x,
                                  const RootMean &root, Graph &graph) {
  auto made = madeNode(op, {x, constantTensor(graph, x->name + "_ones",
                                              Constant::ofFloats({}, {1.0f}))});
  made->attributes["axis"] = graph::Attribute::of(root.axis);
  made->attributes["epsilon"] = graph::Attribute::of(float(root.epsilon));
  return made;
}

std::unique_ptr<Node> graph::matchLayerNorm(Node &node, Matcher &m,
                                            Graph &graph) {
  auto both = quotient(node, m);
  if (!both)
    return nullptr;
  auto &[d, root] = *both;
  // Some exporters subtract twice.
  Node *sub = m.writer(d, "Sub"), *again = m.writer(root.x, "Sub");
  if (!sub || !again || sub->input(0) != again->input(0))
    return nullptr;
  for (Node *difference : {sub, again}) {
    Node *mean = m.writer(difference->input(1), "ReduceMean");
    if (!mean || mean->input(0) != sub->input(0) ||
        suffixMean(*mean) != root.axis)
      return nullptr;
  }
  return norm("LayerNormalization", sub->input(0), root, graph);
}

std::unique_ptr<Node> graph::matchRmsNorm(Node &node, Matcher &m,
                                          Graph &graph) {
  auto both = quotient(node, m);
  if (!both || both->first != both->second.x)
    return nullptr;
  return norm("RMSNormalization", both->first, both->second, graph);
}

/// The constant of \p tensor as the scale or bias of norm \p node: of a shape
/// that ends as the input's does, or one value for each channel.
static std::optional<Constant> affineOf(const Tensor *tensor,
                                        const Node &node) {
  if (!tensor->constant || !node.input(0)->shape)
    return std::nullopt;
  Constant c = *tensor->constant;
  const Shape &shape = *node.input(0)->shape;
  if (node.op == "GroupNormalization") {
    // [C,1,1] or [1,C,1,1] beside [N,C,H,W].
    Shape own = c.shape;
    if (own.size() + 1 == shape.size())
      own.insert(own.begin(), 1);
    for (size_t i = 0; i < own.size(); ++i)
      if (own.size() != shape.size() || own[i] != (i == 1 ? shape[1] : 1))
        return std::nullopt;
    c.shape = {shape[1]};
    return c;
  }
  int64_t axis = node.integer("axis", -1);
  axis += axis < 0 ? int64_t(shape.size()) : 0;
  if (c.shape != Shape(shape.begin() + axis, shape.end()))
    return std::nullopt;
  return c;
}

static bool isNorm(const Node &node) {
  return node.op == "LayerNormalization" || node.op == "RMSNormalization" ||
         node.op == "GroupNormalization";
}

/// The norm that alone is read by \p node, and the other operand.
static std::pair<Node *, Tensor *> normOperand(Node &node, Matcher &m) {
  for (size_t i : {0, 1})
    for (const char *op :
         {"LayerNormalization", "RMSNormalization", "GroupNormalization"})
      if (Node *norm = m.writer(node.input(i), op);
          norm && norm->outputs.size() == 1)
        return {norm, node.input(1 - i)};
  return {nullptr, nullptr};
}

/// Whether input \p i of a norm changes nothing: ones, or left out.
static bool isOnes(const Tensor *scale) {
  if (!scale)
    return true;
  if (!scale->constant || scale->constant->numElements() > 1 << 16)
    return false;
  return std::ranges::all_of(scale->constant->numbers(),
                             [](double v) { return v == 1; });
}
static bool isZeros(const Tensor *bias) {
  if (!bias)
    return true;
  if (!bias->constant || bias->constant->numElements() > 1 << 16)
    return false;
  return std::ranges::all_of(bias->constant->numbers(),
                             [](double v) { return v == 0; });
}

static std::unique_ptr<Node> withAffine(Node &norm, size_t i, Constant value,
                                        Graph &graph) {
  auto made = madeNode(norm.op, norm.inputs);
  made->attributes = norm.attributes;
  made->inputs.resize(std::max(made->inputs.size(), i + 1));
  made->inputs[i] = constantTensor(
      graph, norm.outputs[0]->name + (i == 1 ? "_scale" : "_bias"),
      std::move(value));
  return made;
}

std::unique_ptr<Node> graph::matchNormScale(Node &node, Matcher &m,
                                            Graph &graph) {
  auto [norm, other] = normOperand(node, m);
  if (!norm || !isNorm(*norm) || !isOnes(norm->input(1)) ||
      !isZeros(norm->input(2)))
    return nullptr;
  auto value = affineOf(other, *norm);
  return value ? withAffine(*norm, 1, std::move(*value), graph) : nullptr;
}

std::unique_ptr<Node> graph::matchNormBias(Node &node, Matcher &m,
                                           Graph &graph) {
  auto [norm, other] = normOperand(node, m);
  if (!norm || norm->op == "RMSNormalization" || !isZeros(norm->input(2)))
    return nullptr;
  auto value = affineOf(other, *norm);
  return value ? withAffine(*norm, 2, std::move(*value), graph) : nullptr;
}

std::unique_ptr<Node> graph::matchGroupNorm(Node &node, Matcher &m,
                                            Graph &graph) {
  Node *instance = m.writer(node.input(0), "InstanceNormalization");
  Node *first = instance ? m.writer(instance->input(0), "Reshape") : nullptr;
  if (!first || !isOnes(instance->input(1)) || !isZeros(instance->input(2)))
    return nullptr;
  Tensor *x = first->input(0);
  const Tensor *y = node.output(0), *groups = first->output(0);
  if (!x || !x->shape || !y->shape || !groups->shape ||
      *x->shape != *y->shape || x->shape->size() < 3 ||
      groups->shape->size() < 3 || (*groups->shape)[0] != (*x->shape)[0] ||
      (*x->shape)[1] % (*groups->shape)[1])
    return nullptr;
  int64_t channels = (*x->shape)[1];
  auto filled = [&](float value) {
    return constantTensor(
        graph, x->name + "_affine",
        Constant::ofFloats({channels},
                           std::vector<float>(size_t(channels), value)));
  };
  auto made = madeNode("GroupNormalization", {x, filled(1), filled(0)});
  made->attributes["num_groups"] = graph::Attribute::of((*groups->shape)[1]);
  made->attributes["epsilon"] =
      graph::Attribute::of(instance->number("epsilon", 1e-5f));
  return made;
}
