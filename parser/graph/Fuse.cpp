//===- Fuse.cpp - Layers that a graph spells by several nodes -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Fuse.h"
#include "parser/graph/FuseRules.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace yarrow;
using namespace yarrow::graph;

Node *Matcher::sharedWriter(const Tensor *tensor, std::string_view op) const {
  auto it = uses.writer.find(tensor);
  // What a model stores is rounded, and no part of a formula.
  return it != uses.writer.end() && !tensor->quantization &&
                 it->second->op == op && it->second->domain.empty()
             ? it->second
             : nullptr;
}

Node *Matcher::writer(const Tensor *tensor, std::string_view op) {
  Node *node = sharedWriter(tensor, op);
  if (!node)
    return nullptr;
  for (const Tensor *output : node->outputs) {
    if (!output)
      continue;
    if (graph.isOutput(output))
      return nullptr;
    if (auto it = uses.readers.find(output); it != uses.readers.end())
      for (Node *reader : it->second)
        if (std::ranges::find(covered, reader) == covered.end())
          return nullptr;
  }
  if (std::ranges::find(covered, node) == covered.end())
    covered.push_back(node);
  return node;
}

std::optional<double> Matcher::scalar(const Tensor *tensor) const {
  if (!tensor || !tensor->constant || tensor->constant->numElements() != 1)
    return std::nullopt;
  return tensor->quantization
             ? realConstant(*tensor->constant, *tensor->quantization)
                   .numberAt(0)
             : tensor->constant->numberAt(0);
}

bool Matcher::isScalar(const Tensor *tensor, double value) const {
  auto found = scalar(tensor);
  // As float16 constants and decimal text round it.
  return found && std::abs(*found - value) <= 1e-3 * std::abs(value);
}

std::optional<std::pair<Tensor *, Tensor *>>
Matcher::operands(const Node &node,
                  const std::function<bool(const Tensor *)> &isFirst) const {
  if (node.inputs.size() != 2)
    return std::nullopt;
  for (size_t i : {0, 1})
    if (isFirst(node.inputs[i]))
      return std::pair(node.inputs[i], node.inputs[1 - i]);
  return std::nullopt;
}

/// One walk over the graph; false if no rule matches.
static bool fuseOnce(Graph &graph, std::map<std::string, unsigned> &counts) {
  Matcher m(graph);
  // Nodes that a match has covered: alive until the walk ends, for the matcher
  // knows them, and matched no more.
  std::set<const Node *> gone;
  std::vector<std::unique_ptr<Node>> replaced;
  for (auto &node : graph.nodes)
    for (const FuseRule &rule : fuseRules()) {
      if (node->op != rule.op || !node->domain.empty() ||
          gone.contains(node.get()))
        continue;
      m.covered = {node.get()};
      std::unique_ptr<Node> made = rule.match(*node, m, graph);
      if (!made || std::ranges::any_of(
                       m.covered, [&](Node *n) { return gone.contains(n); }))
        continue;
      made->outputs = node->outputs;
      made->name = node->name;
      gone.insert(m.covered.begin(), m.covered.end());
      gone.insert(made.get());
      ++counts[rule.name];
      replaced.push_back(std::move(node));
      node = std::move(made);
      break;
    }
  return !replaced.empty();
}

std::map<std::string, unsigned> graph::fuse(Graph &graph) {
  std::map<std::string, unsigned> counts;
  // A rule's result may be part of another's match.
  while (fuseOnce(graph, counts)) {
    std::set<const Tensor *> needed(graph.outputs.begin(), graph.outputs.end());
    for (size_t i = graph.nodes.size(); i-- > 0;) {
      auto &node = graph.nodes[i];
      if (std::ranges::none_of(node->outputs, [&](Tensor *t) {
            return t && needed.contains(t);
          })) {
        graph.nodes.erase(graph.nodes.begin() + long(i));
        continue;
      }
      for (Tensor *tensor : readBy(*node))
        needed.insert(tensor);
    }
  }
  return counts;
}
