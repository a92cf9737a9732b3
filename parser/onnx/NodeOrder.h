//===- NodeOrder.h - Nodes in an order that computes ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sorts the nodes of a graph so that each comes after the nodes whose tensors
// it reads, and otherwise keeps their order. Cycles are reported.
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
