//===- KnownIntegers.h - Integers that follow from shapes -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Converters compute values such as orders of axes with operators, from ranks
// and shapes in the file: CONCATENATION([1, 0], RANGE(2, RANK(x))).
//
//   if (auto perm = knownIntegers(graph, r.input(1))) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_KNOWNINTEGERS_H
#define YARROW_PARSER_TFLITE_KNOWNINTEGERS_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::tflite {

/// The integers of \p tensor, which nodes of \p graph compute; nullopt if they
/// depend on values.
std::optional<std::vector<std::int64_t>>
knownIntegers(const graph::Graph &graph, const graph::Tensor *tensor);

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_KNOWNINTEGERS_H
