//===- States.h - Inputs and outputs that are state -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exporters write a network that keeps a state as one that gets it as an input
// and gives it as an output. Pairs that a user names are joined; if none are
// named, those whose names exporters use for that (StatePairs.def). Names are
// those of the file, so this comes before nodes are changed; whether shapes and
// types fit is known when they have been found.
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
