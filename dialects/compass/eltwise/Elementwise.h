//===- Elementwise.h - Checks and broadcasting of layers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the pooling, elementwise, activation and normalization layers check
// before they name a kernel, and the broadcast of two shapes in the kernels'
// terms.
//
//   FailureOr<Arithmetic> arithmetic = arithmeticOf(op);
//   auto shape = broadcastOf(op, a.shape, b.shape, out.shape);
//   // [2, 6] with [2, 3]: dims 2 x 2 x 3, stride 0 of B in the middle one.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_ELEMENTWISE_H
#define YARROW_DIALECTS_COMPASS_ELTWISE_ELEMENTWISE_H

#include "dialects/compass/Layers.h"

namespace yarrow::compass {

enum class Arithmetic { Integer, Float };

/// What a layer computes in: integers if every operand has 8 or 16 bits, or is
/// int32 where \p maxInputBits allows it, and every result 8, 16 or signed 32;
/// float if all tensors are float. Emits an error on anything else.
mlir::FailureOr<Arithmetic> arithmeticOf(mlir::Operation *op,
                                         unsigned maxInputBits = 16);

/// inferShapes of a layer with one input whose result has the same shape.
mlir::LogicalResult
inferSameShape(mlir::Operation *op,
               llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);

/// inferShapes of a layer whose inputs broadcast, one or more.
mlir::LogicalResult
inferBroadcastShape(mlir::Operation *op,
                    llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &shapes);

/// Strides with which operands of shape \p a and \p b, aligned at the innermost
/// axis, fill \p out. A dimension that repeats by a multiple becomes two. Emits
/// an error if a shape does not fit or more than kMaxRank dimensions remain.
mlir::FailureOr<kernels::BroadcastShape>
broadcastOf(mlir::Operation *op, llvm::ArrayRef<int64_t> a,
            llvm::ArrayRef<int64_t> b, llvm::ArrayRef<int64_t> out);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_ELEMENTWISE_H
