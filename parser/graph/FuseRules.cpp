//===- FuseRules.cpp - All formulas that are recognised
//-----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/FuseRules.h"
#include <algorithm>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;

std::span<const FuseRule> graph::fuseRules() {
  static constexpr FuseRule rules[] = {
#define FUSION(NAME, OP, FUNCTION) {NAME, #OP, FUNCTION},
#include "parser/graph/FuseRules.def"
  };
  return rules;
}

std::unique_ptr<Node> graph::madeNode(std::string op,
                                      std::vector<Tensor *> inputs) {
  auto node = std::make_unique<Node>();
  node->op = std::move(op);
  node->inputs = std::move(inputs);
  return node;
}

std::optional<std::vector<int64_t>> graph::reducedAxes(const Node &node) {
  const Tensor *x = node.input(0), *list = node.input(1);
  if (!x || !x->shape)
    return std::nullopt;
  auto rank = int64_t(x->shape->size());
  std::vector<int64_t> axes;
  if (list) {
    if (!list->constant)
      return std::nullopt;
    axes = list->constant->integers();
  }
  for (int64_t &axis : axes)
    axis += axis < 0 ? rank : 0;
  std::ranges::sort(axes);
  if (axes.empty()) {
    if (node.integer("noop_with_empty_axes", 0))
      return std::nullopt;
    axes.resize(size_t(rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}
