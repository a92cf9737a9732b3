//===- FuseNorms.cpp - Norms that are spelled as formulas -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A norm by means, squares and roots takes ten layers that each round and go
// through the whole tensor. Factors and offsets that follow stay layers of
// their own here: FoldIntoNorms puts them into the norm.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/NormFormulas.h"
#include "passes/cleanup/NormMaker.h"

using namespace yarrow::compass;
using namespace mlir;
using yarrow::kernels::BinaryOp;

namespace yarrow::cleanup {

namespace {

/// Puts \p value in the place of \p op, whose name it gets.
void replaceByNorm(PatternRewriter &rewriter, Operation *op, Value value) {
  setTensorName(value.getDefiningOp(), tensorNameOf(op->getResult(0)));
  rewriter.replaceOp(op, value);
}

/// x / sqrt(spread), x * rsqrt(spread), x * (rsqrt(spread) * factor), of x
/// itself or less its mean.
struct QuotientNorm : RewritePattern {
  explicit QuotientNorm(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 2 || op->getNumResults() != 1)
      return failure();
    Value result = op->getResult(0);
    if (auto div = operandsOf(result, BinaryOp::Div))
      return match(op, div->first, div->second, false, rewriter);
    auto mul = operandsOf(result, BinaryOp::Mul);
    if (!mul)
      return failure();
    for (auto [x, root] : {*mul, std::pair(mul->second, mul->first)})
      if (succeeded(match(op, x, root, true, rewriter)) ||
          succeeded(matchScaled(op, x, root, rewriter)))
        return success();
    return failure();
  }

private:
  /// x * (rsqrt(spread) * factor): the factor comes behind the norm.
  static LogicalResult matchScaled(Operation *op, Value x, Value scaledRoot,
                                   PatternRewriter &rewriter) {
    auto product = operandsOf(scaledRoot, BinaryOp::Mul);
    if (!product)
      return failure();
    for (auto [root, factor] :
         {*product, std::pair(product->second, product->first)})
      if (constantFloats(factor))
        return match(op, x, root, true, rewriter, factor);
    return failure();
  }

  static LogicalResult match(Operation *op, Value dividend, Value root,
                             bool isInverse, PatternRewriter &rewriter,
                             Value factor = {}) {
    Value radicand = radicandOf(root, isInverse);
    if (!radicand || shapeOf(dividend) != shapeOf(op->getResult(0)))
      return failure();
    auto along = broadcastAxes(dividend, root);
    if (!along || along->axes.empty())
      return failure();
    auto spread = spreadOf(radicand, along->axes, shapeOf(dividend));
    if (!spread)
      return rewriter.notifyMatchFailure(op, "no root of a mean of squares");
    Value x = spread->isCentred ? centredOf(dividend, along->axes) : dividend;
    if (x != spread->x)
      return rewriter.notifyMatchFailure(op, "another tensor is divided");
    NormMaker maker(rewriter, op);
    Value y = maker.make(*spread, along->axes);
    if (factor)
      y = maker.binary("MUL", y, factor, "scaled");
    replaceByNorm(rewriter, op, y);
    return success();
  }
};

/// x * s + (offset - mean * s) with s = factor * rsqrt(spread): how a batch
/// normalisation is written whose statistics are those of the tensor itself.
struct ScaledNorm : RewritePattern {
  explicit ScaledNorm(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 2 || op->getNumResults() != 1)
      return failure();
    Value result = op->getResult(0);
    if (auto add = operandsOf(result, BinaryOp::Add))
      return success(
          succeeded(match(op, add->first, add->second, false, rewriter)) ||
          succeeded(match(op, add->second, add->first, false, rewriter)));
    auto sub = operandsOf(result, BinaryOp::Sub);
    return sub ? match(op, sub->first, sub->second, true, rewriter) : failure();
  }

private:
  /// \p scaled is x * s; \p shift is offset - mean * s, or mean * s where it
  /// is subtracted.
  static LogicalResult match(Operation *op, Value scaled, Value shift,
                             bool isSubtracted, PatternRewriter &rewriter) {
    auto product = operandsOf(scaled, BinaryOp::Mul);
    if (!product || shapeOf(scaled) != shapeOf(op->getResult(0)))
      return failure();
    Value offset, meanProduct = shift;
    if (!isSubtracted) {
      auto difference = operandsOf(shift, BinaryOp::Sub);
      if (!difference)
        return failure();
      offset = difference->first, meanProduct = difference->second;
    }
    auto second = operandsOf(meanProduct, BinaryOp::Mul);
    if (!second)
      return failure();
    for (auto [x, s] : {*product, std::pair(product->second, product->first)})
      for (auto [mean, t] : {*second, std::pair(second->second, second->first)})
        if (s == t && succeeded(fuse(op, x, s, mean, offset, rewriter)))
          return success();
    return failure();
  }

  static LogicalResult fuse(Operation *op, Value x, Value s, Value mean,
                            Value offset, PatternRewriter &rewriter) {
    auto along = broadcastAxes(x, mean);
    if (!along || along->axes.empty() || !isMeanOf(mean, *along))
      return failure();
    Value factor, root = s;
    if (auto product = operandsOf(s, BinaryOp::Mul)) {
      bool isFirst = bool(constantFloats(product->first));
      factor = isFirst ? product->first : product->second;
      root = isFirst ? product->second : product->first;
    }
    auto same = broadcastAxes(x, root);
    Value radicand = radicandOf(root, /*isInverse=*/true);
    if (!radicand || !same || same->axes != along->axes)
      return failure();
    auto spread = spreadOf(radicand, along->axes, shapeOf(x));
    if (!spread || !spread->isCentred || spread->x != x)
      return rewriter.notifyMatchFailure(op, "another tensor's deviation");
    NormMaker maker(rewriter, op);
    Value y = maker.make(*spread, along->axes);
    if (factor)
      y = maker.binary("MUL", y, factor, "scaled");
    if (offset)
      y = maker.binary("ADD", y, offset, "moved");
    replaceByNorm(rewriter, op, y);
    return success();
  }
};

} // namespace

void addFuseNorms(RewritePatternSet &patterns) {
  patterns.add<QuotientNorm, ScaledNorm>(patterns.getContext());
}

} // namespace yarrow::cleanup
