//===- AbsorbShuffles.cpp - Shuffled channels beside convolutions ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The filters of a convolution whose channels are shuffled are put in that
// order. A depthwise convolution takes and makes any order: the shuffle goes
// behind it, to convolutions, which read any order (FoldChannelSlices.cpp).
//
//   conv -> shuffle -> depthwise       conv' -> depthwise
//   shuffle -> depthwise -> conv       depthwise' -> conv'
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "passes/cleanup/ChannelOrder.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/Transposes.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// One that changes nothing but the order of its channels of integers.
bool isOrder(ChannelShuffleOp op) {
  return op && op->getNumResults() == 1 &&
         op->getOperand(0).getType() == op->getResult(0).getType() &&
         describe(op->getResult(0)).isQuantized();
}

struct ShuffleIntoMaker : OpRewritePattern<ChannelShuffleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ChannelShuffleOp op,
                                PatternRewriter &rewriter) const override {
    auto conv = op->getOperand(0).getDefiningOp<ConvolutionOp>();
    if (!isOrder(op) || !conv || !op->getOperand(0).hasOneUse() ||
        !canReorderChannels(conv))
      return rewriter.notifyMatchFailure(op, "not after a convolution");
    if (intKey(conv, keys::group) != 1 && !isCheapWhole(conv))
      return rewriter.notifyMatchFailure(op, "the shuffle is cheaper");
    SmallVector<int64_t> order = shuffledOrder(op);
    rewriter.modifyOpInPlace(conv, [&] {
      joinGroups(conv);
      reorderChannels(conv, order);
    });
    if (!replaceKeepingName(rewriter, op, conv->getResult(0)))
      llvm_unreachable("a convolution takes any name");
    return success();
  }

private:
  /// Whether products with 0 for the inputs of other groups cost less than the
  /// shuffle of the results.
  static bool isCheapWhole(ConvolutionOp conv) {
    auto view = filtersWithZero(conv);
    if (!view)
      return false;
    int64_t others = view->numElements() * (intKey(conv, keys::group) - 1);
    ArrayRef<int64_t> out = shapeOf(conv->getResult(0));
    return others <= kProductsPerPickedValue * out.back();
  }

  /// Of one group, with 0 for the inputs of the others.
  static void joinGroups(ConvolutionOp conv) {
    int64_t group = intKey(conv, keys::group);
    if (group == 1)
      return;
    ConstantView some = *filtersWithZero(conv);
    int64_t inputs = some.shape.back(), outputs = some.shape.front();
    conv->setAttr(keys::weights,
                  withInputs(conv, some, inputs * group,
                             [&](int64_t output, int64_t input) {
                               return output / (outputs / group) * inputs +
                                      input;
                             }));
    conv->setAttr(keys::group,
                  Builder(conv->getContext()).getI64IntegerAttr(1));
  }
};

struct ShuffleBehindDepthwise : OpRewritePattern<DepthwiseConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DepthwiseConvOp op,
                                PatternRewriter &rewriter) const override {
    auto shuffle = op->getOperand(0).getDefiningOp<ChannelShuffleOp>();
    Value y = op->getResult(0);
    // With more filters than channels, an order of channels is one of pairs.
    if (!isOrder(shuffle) || isOutput(y) || y.use_empty() ||
        shapeOf(y).back() != shapeOf(shuffle->getResult(0)).back() ||
        !canReorderChannels(op) ||
        !llvm::all_of(y.getUsers(), [](Operation *reader) {
          auto conv = dyn_cast<ConvolutionOp>(reader);
          return conv && intKey(conv, keys::group) == 1;
        }))
      return rewriter.notifyMatchFailure(op, "its readers need the order");
    SmallVector<int64_t> order = shuffledOrder(shuffle), back(order.size());
    for (auto [to, from] : llvm::enumerate(order))
      back[std::size_t(from)] = int64_t(to);
    rewriter.modifyOpInPlace(op, [&] {
      reorderChannels(op, back);
      op->setOperand(0, shuffle->getOperand(0));
    });
    rewriter.setInsertionPointAfter(op);
    auto behind = ChannelShuffleOp::create(
        rewriter, locationNextTo(op, "_shuffled"), TypeRange(y.getType()),
        ValueRange(y), shuffle->getAttrs());
    setTensorName(behind, tensorNameOf(y) + "_shuffled");
    rewriter.replaceAllUsesExcept(y, behind->getResult(0), behind);
    return success();
  }
};

} // namespace

void addAbsorbShuffles(RewritePatternSet &patterns) {
  patterns.add<ShuffleIntoMaker, ShuffleBehindDepthwise>(patterns.getContext());
}

} // namespace yarrow::cleanup
