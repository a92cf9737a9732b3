//===- Regions.h - Regions of interest as layers have them ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// ONNX and NNAPI have the corners of a region as x1, y1, x2, y2 and the number
// of its image in a list of its own; layers have rows before columns and the
// image first.
//
//   Value y = n.layer("RoiAlign", {n.last(0), regionsOf(n)}, keys);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORS_REGIONS_H
#define YARROW_PARSER_GRAPH_OPERATORS_REGIONS_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// Columns of \p x in another order.
mlir::Value columnsOf(NodeEmitter &n, mlir::Value x,
                      llvm::ArrayRef<int32_t> order);

/// Corners of input 1 and images of input 2: [image, y1, x1, y2, x2].
mlir::Value regionsOf(NodeEmitter &n);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORS_REGIONS_H
