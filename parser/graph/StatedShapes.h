//===- StatedShapes.h - Shapes that a file states ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares the shapes that a file states of its tensors with those that the
// nodes compute. Where they differ, the nodes are not what their writer meant.
// Results that depend on values, and everything computed from them, are not
// compared: here they have their largest size, and the file states the size of
// one run.
//
//   if (graph.statesShapes && !checkStatedShapes(graph, diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_STATEDSHAPES_H
#define YARROW_PARSER_GRAPH_STATEDSHAPES_H

#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"
#include <string_view>

namespace yarrow::graph {

/// Whether the values of inputs can decide how many elements the results have.
/// Operators in the domain of another format do not: its reader states what the
/// layers make.
bool dependsOnValues(std::string_view op, std::string_view domain);
/// Of these, the ones that have sub-graphs: what decides there is an operator
/// within them, as the importer takes no branches of different sizes and no
/// value that changes its size from round to round.
bool isControl(std::string_view op, std::string_view domain);

/// Of a graph whose shapes are found (Fold.h). False after errors.
bool checkStatedShapes(const Graph &graph, DiagnosticEngine &diags);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_STATEDSHAPES_H
