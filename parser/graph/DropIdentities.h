//===- DropIdentities.h - Nodes that return their input ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A node that changes nothing hides that its neighbours belong together: a
// formula with an Identity in it is the same formula. Readers of its result
// read its input instead, in inner graphs, too. An output of the graph keeps
// its name: the node before writes it.
//
//   x -> Sub -> d -> Identity -> e -> Mul      x -> Sub -> d -> Mul
//
//   PassedOn passedOn;
//   dropIdentities(graph, passedOn);    // before anything is matched
//   fold(graph, state);
//   dropNodes(graph, state.unchanged, passedOn);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_DROPIDENTITIES_H
#define YARROW_PARSER_GRAPH_DROPIDENTITIES_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

/// A tensor of the model that is not there any more, and the one that is the
/// same.
struct PassedOnTensor {
  const Tensor *tensor;
  const Tensor *same;
  std::string node; ///< That wrote it.
};
using PassedOn = std::vector<PassedOnTensor>;

/// Takes out Identity and Dropout, which in inference drops nothing. An
/// Identity that stores numbers in another form stays.
void dropIdentities(Graph &graph, PassedOn &passedOn);

/// Takes out nodes of \p graph of which it is known that they give their input:
/// \p unchanged has that of each.
void dropNodes(Graph &graph, const std::map<const Node *, Tensor *> &unchanged,
               PassedOn &passedOn);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_DROPIDENTITIES_H
