//===- Scalars.h - Small constants for a tensor -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Helpers of several operators: a constant of one element with the type and
// rank of a value, layers of two operands, numbers of ONNX's types.
//
//   Value y = eltwise(n, "ADD", x, scalarLike(n, x, 0.5));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORS_SCALARS_H
#define YARROW_PARSER_GRAPH_OPERATORS_SCALARS_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// \p value as a tensor of one element with the type and rank of \p x.
mlir::Value scalarLike(NodeEmitter &n, mlir::Value x, double value);
/// An Eltwise layer; a null value stays one.
mlir::Value eltwise(NodeEmitter &n, llvm::StringRef method, mlir::Value a,
                    mlir::Value b);
/// The same of integers without a scale: results of 8 and 16 bits wrap around,
/// as those of numpy and ONNX Runtime do, where the layer's own ones end at the
/// type's limits.
mlir::Value integerEltwise(NodeEmitter &n, llvm::StringRef method,
                           mlir::Value a, mlir::Value b);
/// y * inputs[1] + inputs[2], which broadcast to \p y, as layers; of the two
/// what the node has. A null value stays one.
mlir::Value scaleAndShift(NodeEmitter &n, mlir::Value y);

/// The inputs \p first and on, brought to one rank; reports shapes that do not
/// broadcast. Empty after an error.
llvm::SmallVector<mlir::Value> broadcastInputs(NodeEmitter &n,
                                               size_t first = 0);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORS_SCALARS_H
