//===- FuseActivations.cpp - Activations into the layer before ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "passes/cleanup/CleanupPatterns.h"

#include <algorithm>
#include <limits>

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// clip(x, lo, hi): what NONE, RELU, RELU6 and CLIP are.
struct Clip {
  double lo = -kInfinity, hi = kInfinity;

  static std::optional<Clip> of(Operation *op, WordKey key) {
    std::string word = wordKey(op, key, "NONE");
    if (word == "NONE")
      return Clip{};
    if (word == "RELU")
      return Clip{0, kInfinity};
    if (word == "RELU6")
      return Clip{0, 6};
    auto lo = numberOf(op->getAttr(keys::clip_min));
    auto hi = numberOf(op->getAttr(keys::clip_max));
    if (word == "CLIP" && lo && hi)
      return Clip{*lo, *hi};
    return std::nullopt;
  }
  /// \p after applied to this one's result.
  Clip then(Clip after) const {
    return {std::clamp(lo, after.lo, after.hi),
            std::clamp(hi, after.lo, after.hi)};
  }
  void setOn(Operation *op, StringRef key) const {
    Builder b(op->getContext());
    bool isRelu = lo == 0 && hi == kInfinity, isRelu6 = lo == 0 && hi == 6;
    op->setAttr(key, b.getStringAttr(isRelu    ? "RELU"
                                     : isRelu6 ? "RELU6"
                                               : "CLIP"));
    if (isRelu || isRelu6) {
      op->removeAttr(keys::clip_min);
      op->removeAttr(keys::clip_max);
      return;
    }
    // IR text has no infinity that every reader knows.
    constexpr double kLargest = 3.4028234663852886e38;
    op->setAttr(keys::clip_min, b.getF64FloatAttr(std::max(lo, -kLargest)));
    op->setAttr(keys::clip_max, b.getF64FloatAttr(std::min(hi, kLargest)));
  }
};

struct FuseActivation : OpRewritePattern<ActivationOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ActivationOp op,
                                PatternRewriter &rewriter) const override {
    Operation *before = op->getOperand(0).getDefiningOp();
    if (!before || !op->getOperand(0).hasOneUse() ||
        !describe(op->getResult(0)).isFloat())
      return rewriter.notifyMatchFailure(op, "its input has other readers");
    bool isActivation = mlir::isa<ActivationOp>(before);
    if (!isActivation && !before->hasTrait<trait::FusesActivation>())
      return rewriter.notifyMatchFailure(op, "no layer to fuse with");
    WordKey key = isActivation ? keys::method : keys::with_activation;
    auto clip = Clip::of(op, keys::method), clipBefore = Clip::of(before, key);
    std::string method = wordKey(op, keys::method);
    bool isSlope = method == "LEAKYRELU" || method == "PRELU";
    bool isFree = !isActivation && wordKey(before, key, "NONE") == "NONE";
    if (!(clip && clipBefore) && !(isSlope && isFree))
      return rewriter.notifyMatchFailure(op, "the activations do not merge");
    std::string name = tensorNameOf(op->getResult(0));
    rewriter.modifyOpInPlace(before, [&] {
      if (clip) {
        clipBefore->then(*clip).setOn(before, key);
      } else {
        before->setAttr(key, rewriter.getStringAttr(method));
        for (KeyName slope : std::initializer_list<KeyName>{
                 keys::negative_slope_value, keys::negative_slope})
          if (Attribute attr = op->getAttr(slope))
            before->setAttr(slope, attr);
      }
      setTensorName(before, name);
    });
    rewriter.replaceOp(op, before->getResult(0));
    return success();
  }
};

} // namespace

void addFuseActivations(RewritePatternSet &patterns) {
  patterns.add<FuseActivation>(patterns.getContext());
}

} // namespace yarrow::cleanup
