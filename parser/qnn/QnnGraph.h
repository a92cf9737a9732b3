//===- QnnGraph.h - A graph of QNN as an import graph -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Nodes of a QNN graph come in any order; here each follows the nodes that it
// reads (NodeOrder.h). Encodings become quantizations, offsets zero points of
// the other sign. The file's lengths of results are compared with those of the
// layers (Graph::statesShapes).
//
//   std::unique_ptr<graph::Graph> graph = readQnnModel(model, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_QNNGRAPH_H
#define YARROW_PARSER_QNN_QNNGRAPH_H

#include "parser/graph/ImportGraph.h"
#include "parser/qnn/QnnModel.h"

namespace yarrow::qnn {

/// Null after errors, which are reported.
std::unique_ptr<graph::Graph> readQnnModel(const QnnModel &model,
                                           DiagnosticEngine &diags);

/// A graph that If names. Its inputs are the tensors of the graph around it in
/// \p outer, its outputs those with the names \p outputs. Null after errors.
std::unique_ptr<graph::Graph>
readBranch(const QnnModel &model,
           const std::map<std::string, graph::Tensor *> &outer,
           const std::vector<std::string> &outputs, DiagnosticEngine &diags);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_QNNGRAPH_H
