//===- DropIdentities.cpp - Layers that copy their input ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Folding.h"
#include "dialects/compass/movement/MovementOps.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

struct DropIdentity : RewritePattern {
  explicit DropIdentity(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Value operand = copiedOperand(op);
    return success(operand && replaceKeepingName(rewriter, op, operand));
  }
};

} // namespace

void addDropIdentities(RewritePatternSet &patterns) {
  patterns.add<DropIdentity>(patterns.getContext());
  ReshapeOp::getCanonicalizationPatterns(patterns, patterns.getContext());
}

} // namespace yarrow::cleanup
