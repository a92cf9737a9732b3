//===- PicksElements.h - Operators that compute nothing ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The results of some operators are elements of their first input: moved,
// repeated, or the largest of several. They do the same with the integers of a
// quantized tensor as with the numbers that these mean: elements can be rounded
// before or after them.
//
//   picksElements(*reshape); // true
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_PICKSELEMENTS_H
#define YARROW_PARSER_GRAPH_PICKSELEMENTS_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

/// Whether every element of each result of \p node is one of its first input.
bool picksElements(const Node &node);

/// Whether results may also be 0, and nothing else: padding.
bool addsZeros(const Node &node);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_PICKSELEMENTS_H
