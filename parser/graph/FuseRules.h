//===- FuseRules.h - All formulas that are recognised -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   for (const FuseRule &rule : fuseRules()) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_FUSERULES_H
#define YARROW_PARSER_GRAPH_FUSERULES_H

#include "parser/graph/ImportGraph.h"
#include <functional>
#include <span>

namespace yarrow::graph {

/// What a rule asks of the graph around a node.
class Matcher {
public:
  explicit Matcher(const Graph &graph) : graph(graph), uses(graph) {}

  const Graph &graph;
  Uses uses;
  /// Whom the match so far covers, the last node first.
  std::vector<Node *> covered = {};

  /// The node of operator \p op that writes \p tensor, if its only reader is
  /// among those covered; it is covered then. Null otherwise.
  Node *writer(const Tensor *tensor, std::string_view op);
  /// The same of a tensor that others may read; it is not covered.
  Node *sharedWriter(const Tensor *tensor, std::string_view op) const;
  /// The number that a constant of one element is.
  std::optional<double> scalar(const Tensor *tensor) const;
  bool isScalar(const Tensor *tensor, double value) const;
  /// The operands of a commutative node: one by \p isFirst, and the other.
  std::optional<std::pair<Tensor *, Tensor *>>
  operands(const Node &node,
           const std::function<bool(const Tensor *)> &isFirst) const;
};

/// A rule: the node that is to take the place of all that are covered, with the
/// outputs of \p node; null where it does not match.
struct FuseRule {
  const char *name, *op; ///< op: of the last node.
  std::unique_ptr<Node> (*match)(Node &node, Matcher &m, Graph &graph);
};

/// In the order in which they are tried.
std::span<const FuseRule> fuseRules();

#define FUSION(NAME, OP, FUNCTION)                                             \
  std::unique_ptr<Node> FUNCTION(Node &node, Matcher &m, Graph &graph);
#include "parser/graph/FuseRules.def"

/// A node of operator \p op that reads \p inputs.
std::unique_ptr<Node> madeNode(std::string op, std::vector<Tensor *> inputs);
/// The axes from the front that a Reduce node of ONNX names; null if they are
/// not constant.
std::optional<std::vector<int64_t>> reducedAxes(const Node &node);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_FUSERULES_H
