//===- FoldChannelSlices.cpp - Weights of 0 for channels not read ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A convolution of some channels is one of all channels with weights of 0 for
// the others. The array multiplies faster than the DMA picks single bytes, so
// that a slice of the channels costs more than the products do. Of integers
// alone: their zeros are exact whatever they meet.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "passes/cleanup/CleanupPatterns.h"

#include <cstring>

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// Channels first, first + step, ... of the last axis of \p source.
struct ChannelPart {
  Value source;
  int64_t first, step;

  static std::optional<ChannelPart> of(Value value) {
    auto slice = value.getDefiningOp<SliceOp>();
    if (!slice || cast<RankedTensorType>(slice->getOperand(0).getType())
                          .getElementType() !=
                      cast<RankedTensorType>(value.getType()).getElementType())
      return std::nullopt;
    Value source = slice->getOperand(0);
    ArrayRef<int64_t> in = shapeOf(source), out = shapeOf(value);
    SmallVector<int64_t> begin = intsKey(slice, keys::begin),
                         strides = intsKey(slice, keys::strides);
    strides.resize(strides.empty() ? in.size() : strides.size(), 1);
    if (in.drop_back() != out.drop_back() || begin.size() != in.size() ||
        strides.size() != in.size() ||
        llvm::any_of(strides, [](int64_t step) { return step <= 0; }))
      return std::nullopt;
    int64_t first = begin.back() < 0 ? begin.back() + in.back() : begin.back();
    if (first < 0 || first >= in.back())
      return std::nullopt;
    return ChannelPart{source, first, strides.back()};
  }
};

/// A value that the DMA picks costs about as much as so many products: 16
/// values and 4,096 products a cycle, and half of that as the DMA works beside
/// the array.
constexpr int64_t kProductsPerValue = 128;

struct ChannelsIntoConv : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op->getOperand(0);
    auto part = ChannelPart::of(x);
    if (!part || !x.hasOneUse() || !describe(x).isQuantized())
      return rewriter.notifyMatchFailure(op, "no integer channels picked");
    ElementsAttr weights = tensorKey(op, keys::weights);
    auto view = weights ? viewConstant(weights) : std::nullopt;
    if (!view || view->shape.size() != 4 || intKey(op, keys::group) != 1 ||
        dtypeIsFloat(view->dtype) || boolKey(op, keys::with_winograd) ||
        hasWeightZeroPoint(op))
      return rewriter.notifyMatchFailure(op, "weights have no zero");
    int64_t all = shapeOf(part->source).back(), some = shapeOf(x).back();
    int64_t perPixel =
        view->shape[0] * view->shape[1] * view->shape[2] * (all - some);
    ArrayRef<int64_t> out = shapeOf(op->getResult(0));
    if (out[1] * out[2] * perPixel >
        kProductsPerValue * describe(x).numElements() / out[0])
      return rewriter.notifyMatchFailure(op, "the slice is cheaper");
    ElementsAttr wide = withZeros(op, *view, *part, all);
    rewriter.modifyOpInPlace(op, [&] {
      op->setAttr(keys::weights, wide);
      op->setOperand(0, part->source);
    });
    return success();
  }

private:
  static ElementsAttr withZeros(Operation *op, const ConstantView &some,
                                const ChannelPart &part, int64_t all) {
    SmallVector<int64_t> shape = some.shape;
    shape.back() = all;
    int64_t rows = shape[0] * shape[1] * shape[2];
    auto size = std::size_t(kernels::dtypeBytes(some.dtype));
    std::vector<char> bytes(std::size_t(rows * all) * size, 0);
    const char *from = some.bytes.data();
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t c = 0; c < some.shape.back(); ++c, from += size)
        std::memcpy(bytes.data() +
                        std::size_t(row * all + part.first + c * part.step) *
                            size,
                    from, size);
    return makeConstant(op->getContext(), (layerNameOf(op) + ".weights").str(),
                        shape, some.storedType(), std::move(bytes));
  }
};

} // namespace

void addFoldChannelSlices(RewritePatternSet &patterns) {
  patterns.add<ChannelsIntoConv>(patterns.getContext());
}

} // namespace yarrow::cleanup
