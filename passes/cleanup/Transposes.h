//===- Transposes.h - Transposes that change places -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto transpose = transposeAfter(op->getOperand(0)); // or null
//   sinkThrough(rewriter, op, {transpose->getOperand(0)}, permOf(transpose));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_CLEANUP_TRANSPOSES_H
#define YARROW_PASSES_CLEANUP_TRANSPOSES_H

#include "dialects/compass/movement/MovementOps.h"
#include "mlir/IR/PatternMatch.h"

namespace yarrow::cleanup {

using Perm = llvm::SmallVector<int64_t>;

Perm permOf(mlir::Operation *transpose);
Perm inverseOf(const Perm &perm);

/// The transpose that gives \p value, or null. One that gives its stored
/// integers another scale or zero point is left where it is: behind it they
/// mean something else than before it.
compass::TransposeOp transposeAfter(mlir::Value value);

/// Whether a transpose of \p shape by \p perm keeps the values' order: only
/// axes of length one move.
bool keepsOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> perm);

mlir::Value makeTranspose(mlir::PatternRewriter &rewriter, mlir::Location loc,
                          mlir::Value value, const Perm &perm);

/// The same values in another shape, as the tensor \p name.
mlir::Value makeReshape(mlir::PatternRewriter &rewriter, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> shape,
                        llvm::StringRef name);

/// Where \p op stands, for a layer beside it: its name and \p suffix.
mlir::Location locationNextTo(mlir::Operation *op, const llvm::Twine &suffix);

/// Puts a transpose by \p perm in place of \p result of \p op, which \p moved
/// computes in the order before it. The transpose takes over the name.
void transposeAfterMoved(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                         mlir::Value result, mlir::Value moved,
                         const Perm &perm);

/// op(transpose(x), ...) becomes transpose(op(x, ...)).
void sinkThrough(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                 llvm::ArrayRef<mlir::Value> operands, const Perm &perm);

/// Parts of addSinkTransposes.
void addTransposesAndReshapes(mlir::RewritePatternSet &patterns);
void addSlicesOfReshapes(mlir::RewritePatternSet &patterns);

} // namespace yarrow::cleanup

#endif // YARROW_PASSES_CLEANUP_TRANSPOSES_H
