//===- NodeMaker.h - Nodes in the place of one operator ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Readers of formats make nodes with this. One of their operators can become
// several nodes, with tensors and constants in between that are named after the
// operator's result.
//
//   NodeMaker make(graph, "conv1");
//   Tensor *equal = make.between("equal");           // conv1_equal
//   make.add("Equal", {a, b}, {equal});
//   make.add("Not", {equal}, {y});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_NODEMAKER_H
#define YARROW_PARSER_GRAPH_NODEMAKER_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

/// Activations behind an operator, as NNAPI and TFLite number them.
enum class FusedActivation : std::int64_t { Relu = 1, Relu1, Relu6, Tanh };

class NodeMaker {
public:
  NodeMaker(Graph &graph, std::string name)
      : graph(graph), prefix(std::move(name)) {}

  Graph &graph; ///< That the nodes go into.

  /// The operator is called as what it writes.
  const std::string &name() const { return prefix; }

  /// The node is called as the first tensor that it writes.
  Node &add(std::string op, std::vector<Tensor *> from,
            std::vector<Tensor *> to);

  /// One between nodes of the operator, which the model never stores.
  Tensor *between(const std::string &what);
  /// One that is stored as \p other is.
  Tensor *storedLike(const Tensor &other, const std::string &what);
  Tensor *constant(const std::string &what, Constant value);
  Tensor *integers(const std::string &what, std::vector<std::int64_t> values);
  Tensor *integer(const std::string &what, std::int64_t value);
  Tensor *number(const std::string &what, float value);

  /// \p x with the axes in the order \p perm, stored as it is.
  Tensor *transposed(Tensor *x, const std::vector<std::int64_t> &perm,
                     const std::string &what);

  //===--- Operators of several formats ---===//
  /// The activation of \p from is \p to; one operator has at most one.
  void addFused(FusedActivation activation, Tensor *from, Tensor *to);
  /// Cast to \p type; there is one for every type.
  Node &addCast(Tensor *from, ElementType type, Tensor *to);
  /// A node that only moves what \p source has. A result that is stored
  /// otherwise is behind a node Identity.
  Node &addMoved(std::string op, std::vector<Tensor *> from,
                 const Tensor &source, const std::vector<Tensor *> &to);
  /// Tensors side by side along an axis of their own.
  void addPack(const std::vector<Tensor *> &parts, std::int64_t axis,
               Tensor *to);
  /// Rows of [before, behind] for each axis as Pad has them: all before, then
  /// all behind.
  Tensor *padsOf(const std::vector<std::int64_t> &rows);

private:
  std::string prefix;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_NODEMAKER_H
