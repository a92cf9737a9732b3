//===- States.h - Inputs and outputs that are state -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exporters write the state of a network as an input and an output. Pairs that
// a user names are joined; without any, pairs whose names exporters use for
// state (StatePairs.def). Names are those of the file, so this runs before
// nodes are changed; shapes and types are checked after they have been found.
//
//   if (nameStates(graph, {"past.*=present.*"}, diags)) ... fold ...
//   if (checkStates(graph, diags)) ... emit ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_STATES_H
#define YARROW_PARSER_GRAPH_STATES_H

#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"

namespace yarrow::graph {

/// Those of the file stay, unless \p pairs is "none". False after errors.
bool nameStates(Graph &graph, const std::vector<std::string> &pairs,
                DiagnosticEngine &diags);

/// Drops guesses that do not fit and tells the others. False after errors.
bool checkStates(Graph &graph, DiagnosticEngine &diags);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_STATES_H
