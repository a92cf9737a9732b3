//===- SplitShuffles.cpp - Parts of shuffled channels ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of shuffled channels, slices take the halves: as results of the shuffle each
// is made by itself, and one that nobody reads is not made at all. What a
// ShuffleNet keeps of its channels is then moved while the engine computes
// the others.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// Which of the equal parts of \p x's channels \p user, a slice, takes.
std::optional<int64_t> partOf(Operation *user, Value x) {
  auto slice = dyn_cast<SliceOp>(user);
  if (!slice || slice->getNumOperands() != 1 ||
      getElementTypeOrSelf(slice->getResult(0)) != getElementTypeOrSelf(x))
    return std::nullopt;
  ArrayRef<int64_t> in = shapeOf(x), out = shapeOf(slice->getResult(0));
  SmallVector<int64_t> begin = intsKey(slice, keys::begin);
  if (in.drop_back() != out.drop_back() || begin.size() != in.size() ||
      llvm::any_of(intsKey(slice, keys::strides),
                   [](int64_t step) { return step != 1; }))
    return std::nullopt;
  int64_t first = begin.back() < 0 ? begin.back() + in.back() : begin.back();
  if (first < 0 || in.back() % out.back() != 0 || first % out.back() != 0)
    return std::nullopt;
  return first / out.back();
}

struct PartsOfShuffle : OpRewritePattern<ChannelShuffleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ChannelShuffleOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op->getResult(0);
    if (op->getNumResults() != 1 || x.use_empty() || isOutput(x))
      return rewriter.notifyMatchFailure(op, "its whole result is wanted");
    SmallVector<Operation *> slices(x.getUsers());
    SmallVector<int64_t> shape(shapeOf((*x.user_begin())->getResult(0)));
    int64_t channels = shapeOf(x).back(), count = shape.back();
    // A part is whole runs of one channel of each group.
    if (count == channels || count % intKey(op, keys::group) != 0)
      return rewriter.notifyMatchFailure(op, "parts of other channels");
    auto splits = std::size_t(channels / count);
    SmallVector<Operation *> byPart(splits);
    for (Operation *slice : slices) {
      std::optional<int64_t> part = partOf(slice, x);
      if (!part || shapeOf(slice->getResult(0)) != ArrayRef(shape) ||
          byPart[std::size_t(*part)])
        return rewriter.notifyMatchFailure(op, "a reader takes no part");
      byPart[std::size_t(*part)] = slice;
    }
    auto type = cast<RankedTensorType>(x.getType()).clone(shape);
    SmallVector<Type> types(splits, type);
    SmallVector<std::string> names;
    for (std::size_t i = 0; i < splits; ++i)
      names.push_back(byPart[i]
                          ? tensorNameOf(byPart[i]->getResult(0))
                          : tensorNameOf(x) + ".part" + std::to_string(i));
    NamedAttrList attributes(op->getAttrs());
    attributes.set(keys::splits, rewriter.getI64IntegerAttr(int64_t(splits)));
    attributes.set(kTopNamesAttr,
                   rewriter.getStrArrayAttr(
                       SmallVector<StringRef>(names.begin(), names.end())));
    auto parts = ChannelShuffleOp::create(rewriter, op.getLoc(), types,
                                          op->getOperands(), attributes);
    for (std::size_t i = 0; i < splits; ++i)
      if (byPart[i])
        rewriter.replaceOp(byPart[i], parts->getResult(unsigned(i)));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addSplitShuffles(RewritePatternSet &patterns) {
  patterns.add<PartsOfShuffle>(patterns.getContext());
}

} // namespace yarrow::cleanup
