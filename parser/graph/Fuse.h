//===- Fuse.h - Layers that a graph spells by several nodes -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exporters write an operator that ONNX lacks, or lacked, as its formula. Each
// rule knows one formula and replaces it by one node. It does so only if no
// other node reads the tensors inside, and none of them is an output of the
// network. The rules that matched are returned, for reports and tests.
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
