//===- MovementPatterns.cpp - Layers that move values, in a row -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Canonicalization. Moving is exact: the bits of the result stay.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace yarrow::compass;
using namespace mlir;

namespace {

struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getX().getDefiningOp<ReshapeOp>();
    if (!first)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, first.getX()); });
    return success();
  }
};

struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getX().getDefiningOp<TransposeOp>();
    if (!first)
      return failure();
    SmallVector<int64_t> inner = intsKey(first, keys::perm), merged;
    for (int64_t from : intsKey(op, keys::perm))
      merged.push_back(inner[std::size_t(from)]);
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, first.getX());
      op->setAttr(keys::perm, rewriter.getDenseI64ArrayAttr(merged));
    });
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
}
