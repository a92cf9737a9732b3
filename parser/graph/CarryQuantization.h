//===- CarryQuantization.h - Stored tensors that are moved ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Models quantize what layers compute; what only moves elements may lie on
// either side of the QuantizeLinear, or have none. Rounding an element before
// it is moved is rounding it behind, so that such nodes get the form of their
// input, or of their result, on both sides and move integers:
//
//   Conv -> a -> MaxPool -> q     // q is stored
//   Conv -> a -> MaxPool -> q     // so are both
//
// Where this cannot be, a node Identity stores what was moved: numbers that
// others read too, and results that are stored in another form. The graph's
// outputs keep theirs.
//
//   carryQuantization(graph);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_CARRYQUANTIZATION_H
#define YARROW_PARSER_GRAPH_CARRYQUANTIZATION_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

/// In \p graph, not in graphs within it. Behind it no node that picks elements
/// of a tensor gives them another form than the tensor has, but for Identity.
void carryQuantization(Graph &graph);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_CARRYQUANTIZATION_H
