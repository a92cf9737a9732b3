//===- FoldChannelSlices.cpp - Channels that a convolution picks ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A convolution of some channels is one of all channels with weights of 0 for
// the others, and one of shuffled channels has its weights in another order.
// The array multiplies faster than the DMA picks single bytes, so that a slice
// of the channels costs more than the products do. Of integers alone: their
// zeros are exact whatever they meet, and their sums have no order.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "passes/cleanup/ChannelOrder.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

struct ChannelsIntoConv : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op->getOperand(0);
    auto picked = pickedChannels(x);
    if (!picked || !describe(x).isQuantized())
      return rewriter.notifyMatchFailure(op, "no integer channels picked");
    auto view = filtersWithZero(op);
    if (!view || intKey(op, keys::group) != 1)
      return rewriter.notifyMatchFailure(op, "weights have no zero");
    // All channels in another order are no product more, whoever else wants
    // that order.
    int64_t all = shapeOf(picked->source).back();
    int64_t others = all - shapeOf(x).back();
    int64_t perPixel =
        view->shape[0] * view->shape[1] * view->shape[2] * others;
    ArrayRef<int64_t> out = shapeOf(op->getResult(0));
    if (others &&
        (!x.hasOneUse() ||
         out[1] * out[2] * perPixel >
             kProductsPerPickedValue * describe(x).numElements() / out[0]))
      return rewriter.notifyMatchFailure(op, "the slice is cheaper");
    ElementsAttr moved =
        withInputs(op, *view, all, [&](int64_t, int64_t input) {
          return picked->channels[std::size_t(input)];
        });
    rewriter.modifyOpInPlace(op, [&] {
      op->setAttr(keys::weights, moved);
      op->setOperand(0, picked->source);
    });
    return success();
  }
};

} // namespace

void addFoldChannelSlices(RewritePatternSet &patterns) {
  patterns.add<ChannelsIntoConv>(patterns.getContext());
}

} // namespace yarrow::cleanup
