//===- Fuse.h - Layers that a graph spells by several nodes -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exporters write an operator that ONNX has not, or had not, by its formula.
// Each rule knows one formula and puts one node in its place. It does so only
// if nobody else reads what lies within, and nothing within is an output of the
// network. Which rules matched is returned, for reports and tests.
//
//   fuse(graph);   // Mul(x, Sigmoid(x)) -> Swish(x)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_FUSE_H
#define YARROW_PARSER_GRAPH_FUSE_H

#include "parser/graph/ImportGraph.h"
#include <map>

namespace yarrow::graph {

/// How often each rule matched.
std::map<std::string, unsigned> fuse(Graph &graph);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_FUSE_H
