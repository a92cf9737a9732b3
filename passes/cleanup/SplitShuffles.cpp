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
#include "passes/cleanup/ChannelOrder.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// Which of the equal parts of its operand's channels \p user, a slice, takes.
std::optional<int64_t> partOf(Operation *user) {
  auto picked = llvm::isa<SliceOp>(user) && user->getNumOperands() == 1
                    ? pickedChannels(user->getResult(0))
                    : std::nullopt;
  if (!picked)
    return std::nullopt;
  int64_t first = picked->channels.front(), last = picked->channels.back(),
          count = int64_t(picked->channels.size());
  if (last - first != count - 1 || first % count != 0 ||
      shapeOf(picked->source).back() % count != 0)
    return std::nullopt;
  return first / count;
}

struct PartsOfShuffle : OpRewritePattern<ChannelShuffleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ChannelShuffleOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op->getResult(0);
    SmallVector<Operation *> slices(x.getUsers());
    if (op->getNumResults() != 1 || isOutput(x) || slices.empty() ||
        !llvm::all_of(slices, partOf))
      return rewriter.notifyMatchFailure(op, "its whole result is read");
    SmallVector<int64_t> shape(shapeOf(slices.front()->getResult(0)));
    int64_t channels = shapeOf(x).back(), count = shape.back();
    // A part is whole runs of one channel of each group.
    if (count == channels || count % intKey(op, keys::group) != 0)
      return rewriter.notifyMatchFailure(op, "parts of other channels");
    auto splits = std::size_t(channels / count);
    SmallVector<Operation *> byPart(splits);
    for (Operation *slice : slices) {
      auto part = std::size_t(*partOf(slice));
      if (shapeOf(slice->getResult(0)) != ArrayRef(shape) || byPart[part])
        return rewriter.notifyMatchFailure(op, "parts of different sizes");
      byPart[part] = slice;
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
