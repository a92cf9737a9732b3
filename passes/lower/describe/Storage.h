//===- Storage.h - Which results share their operand's memory ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reshapes keep the bytes where they are, elementwise layers replace them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_STORAGE_H
#define YARROW_PASSES_LOWER_DESCRIBE_STORAGE_H

#include "mlir/IR/Operation.h"

namespace yarrow::npu {

/// Are the result's bytes those of the operand?
bool isAlias(mlir::Operation *op);

/// May the result be written over the operand? Elementwise layers write over
/// one that nobody else reads: a kernel loads a chunk before it stores the same
/// chunk, and each TEC has its own.
bool isInPlace(mlir::Operation *op);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_STORAGE_H
