//===- Normalise.h - Every operator in its newest form ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// ONNX has changed operators from version to version: attributes became inputs,
// defaults changed, names were dropped. Here each node gets the form of
// parser/graph/Operators.def, whatever version it is written for, and Constant
// nodes become constants.
//
//   normalise(graph);   // Squeeze(x) {axes=[0]} -> Squeeze(x, [0])
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_NORMALISE_H
#define YARROW_PARSER_ONNX_NORMALISE_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::onnx {

/// The nodes of \p graph and of its sub-graphs.
void normalise(graph::Graph &graph);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_NORMALISE_H
