//===- CarryQuantization.h - Stored tensors that are moved ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Models quantize what layers compute. Nodes that only move elements can come
// before the QuantizeLinear, after it, or without it. Rounding before a move
// equals rounding after it, so these nodes get the form of their input, or of
// their result, on both sides and move integers:
//
//   Conv -> a -> MaxPool -> q     // q is stored
//   Conv -> a -> MaxPool -> q     // so are both
//
// Where this is impossible, an Identity node stores the moved numbers: numbers
// that other nodes read, too, and results that are stored in another form. The
// graph's outputs keep their form.
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
