//===- CleanupPatterns.h - What the clean-up patterns share -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_CLEANUP_CLEANUPPATTERNS_H
#define YARROW_PASSES_CLEANUP_CLEANUPPATTERNS_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <vector>

namespace yarrow::cleanup {

void addFoldIntoWeights(mlir::RewritePatternSet &patterns);
void addFoldIntoNorms(mlir::RewritePatternSet &patterns);
void addFuseNorms(mlir::RewritePatternSet &patterns);
void addUpsampleFormulas(mlir::RewritePatternSet &patterns);
void addFoldChannelSlices(mlir::RewritePatternSet &patterns);
void addAbsorbShuffles(mlir::RewritePatternSet &patterns);
void addSplitShuffles(mlir::RewritePatternSet &patterns);
void addFoldPads(mlir::RewritePatternSet &patterns);
void addFoldPhases(mlir::RewritePatternSet &patterns);
void addScatterBoxes(mlir::RewritePatternSet &patterns);
void addFuseActivations(mlir::RewritePatternSet &patterns);
void addSinkTransposes(mlir::RewritePatternSet &patterns);
void addDropIdentities(mlir::RewritePatternSet &patterns);
void addFoldConstants(mlir::RewritePatternSet &patterns);
void addConstantBranches(mlir::RewritePatternSet &patterns);

bool isOutput(mlir::Value value);
/// Replaces the single result of \p op by \p value. An output keeps its name:
/// the layer that computes \p value takes it over; if that is an input,
/// constant or output itself, nothing is done and false returned.
bool replaceKeepingName(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                        mlir::Value value);
/// \p op's result gets the tensor name \p name.
void setTensorName(mlir::Operation *op, llvm::StringRef name);

/// The floats of a tensor key, or of a compass.constant.
std::optional<std::vector<float>> floatsOf(mlir::ElementsAttr attr);
std::optional<std::vector<float>> constantFloats(mlir::Value value);
void setFloats(mlir::Operation *op, llvm::StringRef key,
               llvm::ArrayRef<int64_t> shape, const std::vector<float> &values);

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
/// The axis of key \p name, wrapped to 0 .. rank-1.
int64_t axisOf(mlir::Operation *op, llvm::StringRef name, int64_t rank);

} // namespace yarrow::cleanup

#endif // YARROW_PASSES_CLEANUP_CLEANUPPATTERNS_H
