//===- TypeCheck.h - Types of a model's tensors -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Follows the types of elements from inputs and constants through the nodes, as
// the signatures of their operators say (OperatorRecords.h), and reports nodes
// that do not accept the types of their inputs, and tensors whose type in the
// file differs from the type that their node gives. After an operator of
// another domain, whose result type is unknown, the file's type is used.
//
//   checkTypes(graph, "net.onnx", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_TYPECHECK_H
#define YARROW_PARSER_ONNX_TYPECHECK_H

#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"

namespace yarrow::onnx {

/// The nodes of \p graph and of its sub-graphs, before they are normalised and
/// in an order that computes.
void checkTypes(const graph::Graph &graph, const std::string &path,
                DiagnosticEngine &diags);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_TYPECHECK_H
