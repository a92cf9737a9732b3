//===- DropIdentities.cpp - Layers that copy their input ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

bool isIdentityPerm(Operation *op) {
  for (auto [i, from] : llvm::enumerate(intsKey(op, "perm")))
    if (from != int64_t(i))
      return false;
  return true;
}

/// All steps forward; the shape says the rest: a slice that keeps every length
/// starts at 0.
bool isForwardSlice(Operation *op) {
  return llvm::all_of(intsKey(op, "strides"),
                      [](int64_t step) { return step > 0; });
}

/// Same type in and out, so a copy if the layer only ever moves values.
bool isIdentity(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      op->getOperand(0).getType() != op->getResult(0).getType())
    return false;
  if (isa<ReshapeOp, PadOp, SplitOp, ConcatOp, CastOp>(op))
    return true;
  if (isa<TransposeOp>(op))
    return isIdentityPerm(op);
  return isa<SliceOp>(op) && isForwardSlice(op);
}

struct DropIdentity : RewritePattern {
  explicit DropIdentity(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return success(isIdentity(op) &&
                   replaceKeepingName(rewriter, op, op->getOperand(0)));
  }
};

struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op->getOperand(0).getDefiningOp<ReshapeOp>();
    if (!first)
      return failure();
    rewriter.modifyOpInPlace(op,
                             [&] { op->setOperand(0, first->getOperand(0)); });
    return success();
  }
};

} // namespace

void addDropIdentities(RewritePatternSet &patterns) {
  patterns.add<DropIdentity, MergeReshapes>(patterns.getContext());
}

} // namespace yarrow::cleanup
