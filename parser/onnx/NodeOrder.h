//===- NodeOrder.h - Nodes in an order that computes ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sorts the nodes of a graph so that each comes after those whose tensors it
// reads, and otherwise as they were. Nodes that wait for one another are
// reported.
//
//   orderNodes(graph, "net.onnx", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_NODEORDER_H
#define YARROW_PARSER_ONNX_NODEORDER_H

#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"

namespace yarrow::onnx {

void orderNodes(graph::Graph &graph, const std::string &path,
                DiagnosticEngine &diags);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_NODEORDER_H
