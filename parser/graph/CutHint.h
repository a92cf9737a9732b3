//===- CutHint.h - Where a network can be cut -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Names the tensors at which a network ends before nodes that are not imported,
// and those at which it begins after them, as --output and --input take them.
//
//   cutHint(graph, unknown)
//   // "end the network before these operators with --output a,b;
//   //  begin it after them with --input c"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_CUTHINT_H
#define YARROW_PARSER_GRAPH_CUTHINT_H

#include "parser/graph/ImportGraph.h"
#include <set>

namespace yarrow::graph {

/// "" where nothing is left on either side. \p unknown are nodes of \p graph,
/// whose nodes are in an order that computes.
std::string cutHint(const Graph &graph, const std::set<const Node *> &unknown);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_CUTHINT_H
