//===- FuseMovement.cpp - Formulas of movement, products and means
//------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/FuseRules.h"

using namespace yarrow;
using namespace yarrow::graph;

/// [N,C,H,W] -> [N,g,C/g,H,W] -> [N,C/g,g,H,W] -> [N,C,H,W]
std::unique_ptr<Node> graph::matchChannelShuffle(Node &node, Matcher &m,
                                                 Graph &) {
  Node *transpose = m.writer(node.input(0), "Transpose");
  Node *first = transpose ? m.writer(transpose->input(0), "Reshape") : nullptr;
  if (!first || transpose->integers("perm") != Shape{0, 2, 1, 3, 4})
    return nullptr;
  Tensor *x = first->input(0);
  const Tensor *split = first->output(0), *y = node.output(0);
  if (!x->shape || !split->shape || !y->shape || x->shape->size() != 4 ||
      *x->shape != *y->shape)
    return nullptr;
  const Shape &s = *x->shape, &five = *split->shape;
  if (five.size() != 5 || five[0] != s[0] || five[1] * five[2] != s[1] ||
      five[3] != s[2] || five[4] != s[3])
    return nullptr;
  auto made = madeNode("ChannelShuffle", {x});
  made->attributes["group"] = Attribute::of(five[1]);
  return made;
}

std::unique_ptr<Node> graph::matchMatMulBias(Node &node, Matcher &m, Graph &) {
  for (size_t i : {0, 1}) {
    Node *product = m.writer(node.input(i), "MatMul");
    const Tensor *bias = node.input(1 - i);
    if (!product || product->inputs.size() != 2 || !bias->constant)
      continue;
    const Tensor *weights = product->input(1);
    if (weights->constant && weights->constant->shape.size() == 2 &&
        bias->constant->shape == Shape{weights->constant->shape[1]})
      return madeNode(
          "MatMul", {product->input(0), product->input(1), node.input(1 - i)});
  }
  return nullptr;
}

std::unique_ptr<Node> graph::matchImageMean(Node &node, Matcher &, Graph &) {
  Tensor *x = node.input(0);
  auto axes = reducedAxes(node);
  bool isFloat =
      x->type && (*x->type == ElementType::F32 || *x->type == ElementType::F16);
  if (!axes || x->shape->size() != 4 || *axes != Shape{2, 3} || !isFloat)
    return nullptr;
  auto made = madeNode("GlobalAveragePool", {x});
  made->attributes["keepdims"] = Attribute::of(node.integer("keepdims", 1));
  return made;
}
