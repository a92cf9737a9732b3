//===- NodeCheck.h - Nodes against the definition of operators --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares the nodes of a model, as its file has them, with the records of
// their operators (OperatorRecords.h): whether the operator set has them, their
// attributes, and how many tensors they have. An unknown name is an error:
// taking a default instead would change the network. Nodes of other domains are
// not checked.
//
//   checkNodes(graph, "net.onnx", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_NODECHECK_H
#define YARROW_PARSER_ONNX_NODECHECK_H

#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"

namespace yarrow::onnx {

/// The nodes of \p graph and of its sub-graphs, before they are normalised.
void checkNodes(const graph::Graph &graph, const std::string &path,
                DiagnosticEngine &diags);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_NODECHECK_H
