//===- Constants.h - The constants of an executable -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The region of constants, from the buffers of planned functions. The functions
// of one executable are the same network for several input shapes, so they
// share most of their constants; each is stored once.
//
//   shareConstants(functions); // buffers may get other addresses
//   input.weights = constantsOf(functions);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_CONSTANTS_H
#define YARROW_CODEGEN_CONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstddef>
#include <span>
#include <vector>

namespace yarrow {

/// Gives buffers of equal bytes one address. What a single function was
/// planned with stays.
void shareConstants(llvm::ArrayRef<mlir::func::FuncOp> functions);

/// Each buffer at its address, one after the other, gaps filled with zeros. The
/// bytes are those of the functions' buffers.
std::vector<std::span<const std::byte>>
constantsOf(llvm::ArrayRef<mlir::func::FuncOp> functions);

} // namespace yarrow

#endif // YARROW_CODEGEN_CONSTANTS_H
