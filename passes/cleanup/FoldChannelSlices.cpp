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
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/ChannelOrder.h"
#include "passes/cleanup/CleanupPatterns.h"

#include <cstring>

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// Channels of the last axis of \p source, in the order of a value's.
struct PickedChannels {
  Value source;
  SmallVector<int64_t> channels;

  /// By a slice, or a part of shuffled channels.
  static std::optional<PickedChannels> of(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !llvm::isa<SliceOp, ChannelShuffleOp>(op) ||
        getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(value))
      return std::nullopt;
    PickedChannels picked{op->getOperand(0), {}};
    if (auto shuffle = dyn_cast<ChannelShuffleOp>(op))
      picked.addShuffled(shuffle, cast<OpResult>(value).getResultNumber());
    else if (!picked.addSliced(cast<SliceOp>(op)))
      return std::nullopt;
    return picked;
  }

  int64_t all() const { return shapeOf(source).back(); }

private:
  void addShuffled(ChannelShuffleOp op, int64_t part) {
    int64_t group = intKey(op, keys::group), size = all() / group;
    int64_t count = all() / intKey(op, keys::splits);
    for (int64_t c = part * count; c < (part + 1) * count; ++c)
      channels.push_back(c % group * size + c / group);
  }
  bool addSliced(SliceOp op) {
    ArrayRef<int64_t> in = shapeOf(source), out = shapeOf(op->getResult(0));
    SmallVector<int64_t> begin = intsKey(op, keys::begin),
                         strides = intsKey(op, keys::strides);
    strides.resize(strides.empty() ? in.size() : strides.size(), 1);
    if (in.drop_back() != out.drop_back() || begin.size() != in.size() ||
        strides.size() != in.size() ||
        llvm::any_of(strides, [](int64_t step) { return step <= 0; }))
      return false;
    int64_t first = begin.back() < 0 ? begin.back() + in.back() : begin.back();
    if (first < 0 || first >= in.back())
      return false;
    for (int64_t c = 0; c < out.back(); ++c)
      channels.push_back(first + c * strides.back());
    return true;
  }
};

struct ChannelsIntoConv : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op->getOperand(0);
    auto picked = PickedChannels::of(x);
    if (!picked || !describe(x).isQuantized())
      return rewriter.notifyMatchFailure(op, "no integer channels picked");
    ElementsAttr weights = tensorKey(op, keys::weights);
    auto view = weights ? viewConstant(weights) : std::nullopt;
    if (!view || view->shape.size() != 4 || intKey(op, keys::group) != 1 ||
        dtypeIsFloat(view->dtype) || boolKey(op, keys::with_winograd) ||
        hasWeightZeroPoint(op))
      return rewriter.notifyMatchFailure(op, "weights have no zero");
    // All channels in another order are no product more, whoever else wants
    // that order.
    int64_t others = picked->all() - shapeOf(x).back();
    int64_t perPixel =
        view->shape[0] * view->shape[1] * view->shape[2] * others;
    ArrayRef<int64_t> out = shapeOf(op->getResult(0));
    if (others &&
        (!x.hasOneUse() ||
         out[1] * out[2] * perPixel >
             kProductsPerPickedValue * describe(x).numElements() / out[0]))
      return rewriter.notifyMatchFailure(op, "the slice is cheaper");
    ElementsAttr moved = withZeros(op, *view, *picked);
    rewriter.modifyOpInPlace(op, [&] {
      op->setAttr(keys::weights, moved);
      op->setOperand(0, picked->source);
    });
    return success();
  }

private:
  /// The weights at their channels, and 0 for those that are not picked.
  static ElementsAttr withZeros(Operation *op, const ConstantView &some,
                                const PickedChannels &picked) {
    int64_t all = picked.all();
    SmallVector<int64_t> shape = some.shape;
    shape.back() = all;
    int64_t rows = shape[0] * shape[1] * shape[2];
    auto size = std::size_t(kernels::dtypeBytes(some.dtype));
    std::vector<char> bytes(std::size_t(rows * all) * size, 0);
    const char *from = some.bytes.data();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t channel : picked.channels) {
        std::memcpy(bytes.data() + std::size_t(row * all + channel) * size,
                    from, size);
        from += size;
      }
    return makeConstant(op->getContext(), (layerNameOf(op) + ".weights").str(),
                        shape, some.storedType(), std::move(bytes));
  }
};

} // namespace

void addFoldChannelSlices(RewritePatternSet &patterns) {
  patterns.add<ChannelsIntoConv>(patterns.getContext());
}

} // namespace yarrow::cleanup
