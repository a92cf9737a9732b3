//===- NormMaker.h - The layers that stand for a norm's formula -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Which norm of the dialect it is follows from the axes: a LayerNorm, or, where
// each channel of an image or group of them is normalised, an InstanceNorm or
// GroupNorm with the channels last. Other orders get a transpose on either
// side, which meets those around it.
//
//   NormMaker maker(rewriter, op);
//   Value y = maker.make(spread, axes);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_CLEANUP_NORMMAKER_H
#define YARROW_PASSES_CLEANUP_NORMMAKER_H

#include "mlir/IR/PatternMatch.h"
#include "passes/cleanup/NormFormulas.h"

#include <string>

namespace yarrow::cleanup {

class NormMaker {
public:
  /// Of layers in place of \p op.
  NormMaker(mlir::PatternRewriter &rewriter, mlir::Operation *op);

  /// (x - mean) / sqrt(spread) along \p axes, or x / sqrt(spread).
  mlir::Value make(const Spread &spread, llvm::ArrayRef<int64_t> axes);

  /// A layer of two operands, of the type of the replaced one's result.
  mlir::Value binary(llvm::StringRef method, mlir::Value a, mlir::Value b,
                     llvm::StringRef what);

private:
  mlir::Value ofChannels(const Spread &spread, int64_t channels);
  mlir::Value ofGroups(const Spread &spread, int64_t channels, int64_t groups);
  mlir::Value
  withChannelsLast(mlir::Value x, int64_t channels,
                   llvm::function_ref<mlir::Value(mlir::Value)> makeLayer);
  mlir::Value transposed(mlir::Value x, llvm::ArrayRef<int64_t> perm,
                         llvm::StringRef what);
  /// A norm with ones and, if it has them, zeros of shape \p affine.
  mlir::Value layer(llvm::StringRef kind, mlir::Value x, double epsilon,
                    llvm::ArrayRef<int64_t> affine,
                    llvm::ArrayRef<mlir::NamedAttribute> keys);
  mlir::Value named(mlir::Operation *made, llvm::StringRef what);

  mlir::PatternRewriter &rewriter;
  mlir::Operation *op;
  std::string name;
};

} // namespace yarrow::cleanup

#endif // YARROW_PASSES_CLEANUP_NORMMAKER_H
