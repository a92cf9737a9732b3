//===- TypeCheck.h - Types of a model's tensors -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Follows the types of elements from inputs and constants through the nodes, as
// the signatures of their operators say (OperatorRecords.h), and reports a node
// that takes no tensors of the types that it gets, and a tensor of which the
// file states another type than its node gives. A type that cannot be known,
// behind an operator of another domain, is the one that the file states.
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
