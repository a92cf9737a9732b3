//===- Bind.h - Inputs, outputs and lengths of a network --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Cuts a graph at the tensors that a user names, gives its inputs their shapes,
// drops what no output needs, and refuses operators that are not imported.
//
//   if (bind(graph, options, diags)) ... // every input has a static shape
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_BIND_H
#define YARROW_PARSER_GRAPH_BIND_H

#include "parser/graph/ImportOptions.h"
#include "support/Diagnostics.h"

namespace yarrow::graph {

/// False after errors.
bool bind(Graph &graph, const ImportOptions &options, DiagnosticEngine &diags);

/// Removes nodes that no output needs, and those whose results are constants.
void dropUnused(Graph &graph);

/// Reports each operator that is not imported, once. False if there is one.
bool checkOperators(const Graph &graph, DiagnosticEngine &diags);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_BIND_H
