//===- Layout.h - In which order of axes nodes compute ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers that know channels have them last; the foreign format has them first,
// and so do the tensors that a user sees. Every other node may compute in
// either order. The choice for all of them at once transposes the fewest bytes:
// a minimum cut between nodes that must have channels last and nodes that must
// not.
//
//   chooseLayouts(graph);   // sets Node::channelsLast
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_LAYOUT_H
#define YARROW_PARSER_GRAPH_LAYOUT_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

/// Every tensor has a shape.
void chooseLayouts(Graph &graph);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_LAYOUT_H
