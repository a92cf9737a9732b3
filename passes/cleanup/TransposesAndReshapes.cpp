//===- TransposesAndReshapes.cpp - Transposes past reshapes and cuts ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A reshape splits and joins axes that lie side by side. Where a transpose
// moves such groups as wholes, the two may change places. Channel shuffles and
// the outputs of detectors are chains of both, which meet the transposes of the
// next layer when they move on.
//
//   [1,44,44,48] -T-> [1,48,44,44] -R-> [24,2,1936]
//   [1,44,44,48] -R-> [1936,24,2] -T-> [24,2,1936]
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MovedNames.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/Transposes.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// Axes of a reshape's operand and those of its result with the same values.
struct Group {
  SmallVector<int64_t> from, to;
};

/// The smallest groups, in order; nullopt of empty tensors. Axes of length one
/// are in none.
std::optional<std::vector<Group>> groupsOf(ArrayRef<int64_t> from,
                                           ArrayRef<int64_t> to) {
  std::vector<Group> groups;
  std::size_t i = 0, j = 0;
  auto next = [](ArrayRef<int64_t> shape, std::size_t &at) {
    while (at < shape.size() && shape[at] == 1)
      ++at;
    return at < shape.size();
  };
  while (next(from, i) && next(to, j)) {
    Group group = {{int64_t(i)}, {int64_t(j)}};
    int64_t left = from[i++], right = to[j++];
    while (left != right) {
      if (left < right ? !next(from, i) : !next(to, j))
        return std::nullopt;
      if (left < right) {
        group.from.push_back(int64_t(i));
        left *= from[i++];
      } else {
        group.to.push_back(int64_t(j));
        right *= to[j++];
      }
    }
    if (left == 0)
      return std::nullopt;
    groups.push_back(std::move(group));
  }
  if (next(from, i) || next(to, j))
    return std::nullopt;
  return groups;
}

SmallVector<int64_t> axesBetween(int64_t first, int64_t end) {
  return llvm::to_vector(llvm::seq(first, end));
}

/// The axes \p to of a reshape, ordered as a transpose that puts axis i of
/// \p from at moved[i] would put the groups that they are part of; nullopt if
/// it takes a group apart or moves nothing. Axes of length one stay with the
/// group in front of them.
std::optional<Perm> orderOfGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                  ArrayRef<int64_t> moved) {
  auto groups = groupsOf(from, to);
  if (!groups || groups->empty())
    return std::nullopt;
  // Places among the axes that are not of length one.
  SmallVector<int64_t> taken;
  for (auto [i, place] : llvm::enumerate(moved))
    if (from[i] != 1)
      taken.push_back(place);
  llvm::sort(taken);
  auto placeOf = [&](int64_t axis) {
    return llvm::find(taken, moved[std::size_t(axis)]) - taken.begin();
  };
  std::vector<std::pair<int64_t, SmallVector<int64_t>>> runs;
  for (auto [g, group] : llvm::enumerate(*groups)) {
    int64_t first = placeOf(group.from.front());
    for (auto [i, axis] : llvm::enumerate(group.from))
      if (placeOf(axis) != first + int64_t(i))
        return std::nullopt;
    bool isLast = g + 1 == groups->size();
    runs.emplace_back(first, axesBetween(group.to.front(),
                                         isLast ? int64_t(to.size())
                                                : (*groups)[g + 1].to.front()));
  }
  Perm order = axesBetween(0, groups->front().to.front());
  if (llvm::is_sorted(runs))
    return std::nullopt;
  llvm::sort(runs);
  for (const auto &[place, run] : runs)
    llvm::append_range(order, run);
  return order;
}

/// reshape(transpose(x)) becomes transpose(reshape(x)).
struct SinkThroughReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = transposeAfter(op.getX());
    if (!transpose || !op.getX().hasOneUse() ||
        getElementTypeOrSelf(op.getX()) != getElementTypeOrSelf(op.getY()))
      return rewriter.notifyMatchFailure(op, "no transpose that would vanish");
    ArrayRef<int64_t> out = shapeOf(op.getY());
    auto order = orderOfGroups(shapeOf(op.getX()), out, permOf(transpose));
    if (!order)
      return rewriter.notifyMatchFailure(op, "moved axes are joined");
    SmallVector<int64_t> shape;
    for (int64_t axis : *order)
      shape.push_back(out[std::size_t(axis)]);
    rewriter.setInsertionPointAfter(op);
    Value moved = makeReshape(rewriter, op.getLoc(), transpose.getX(), shape,
                              tensorNameOf(op.getY()) + kBeforeTranspose.str());
    transposeAfterMoved(rewriter, op, op.getY(), moved, inverseOf(*order));
    rewriter.eraseOp(op);
    return success();
  }
};

/// transpose(reshape(transpose(x))), whose reshape joins what the first one
/// moved, becomes reshape(transpose(transpose(x))): the two are one.
struct HoistThroughReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape || !transposeAfter(op.getY()) || !op.getX().hasOneUse() ||
        getElementTypeOrSelf(reshape.getX()) != getElementTypeOrSelf(op.getX()))
      return rewriter.notifyMatchFailure(op, "no reshape of this layer alone");
    auto first = transposeAfter(reshape.getX());
    if (!first || !reshape.getX().hasOneUse())
      return rewriter.notifyMatchFailure(op, "no transpose to merge with");
    auto order = orderOfGroups(shapeOf(op.getX()), shapeOf(reshape.getX()),
                               inverseOf(permOf(op)));
    if (!order)
      return rewriter.notifyMatchFailure(op, "joined axes are moved");
    // Merged here: one that stood behind the first would sink again.
    Perm inner = permOf(first), merged;
    for (int64_t axis : *order)
      merged.push_back(inner[std::size_t(axis)]);
    std::string name = tensorNameOf(op.getY());
    Value moved =
        makeTranspose(rewriter, reshape.getLoc(), first.getX(), merged);
    setTensorName(moved.getDefiningOp(), name + "_before_reshape");
    rewriter.replaceOp(op, makeReshape(rewriter, op.getLoc(), moved,
                                       shapeOf(op.getY()), name));
    return success();
  }
};

/// Slices that have no more than the whole between them, and the parts of a
/// Split, are transposed each for itself.
struct SinkThroughCuts : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!transposeAfter(op.getY()) || op.getY().hasOneUse() ||
        op.getY().use_empty())
      return failure();
    int64_t values = 0;
    SmallVector<Operation *> slices;
    for (OpOperand &use : op.getY().getUses()) {
      auto slice = dyn_cast<SliceOp>(use.getOwner());
      if (!slice || slice->getNumOperands() != 1)
        return rewriter.notifyMatchFailure(op, "another reader");
      values += cast<RankedTensorType>(slice->getResult(0).getType())
                    .getNumElements();
      slices.push_back(slice);
    }
    if (values > cast<RankedTensorType>(op.getY().getType()).getNumElements())
      return rewriter.notifyMatchFailure(op, "the slices overlap");
    for (Operation *slice : llvm::reverse(slices))
      sinkThrough(rewriter, slice, {op.getX()}, permOf(op));
    return success();
  }
};

struct SinkThroughSplit : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SplitOp op,
                                PatternRewriter &rewriter) const override {
    Value whole = op->getOperand(0);
    auto transpose = transposeAfter(whole);
    if (!transpose || !whole.hasOneUse())
      return rewriter.notifyMatchFailure(op, "no transpose that would vanish");
    Perm perm = permOf(transpose);
    int64_t axis = axisOf(op, keys::axis, int64_t(perm.size()));
    rewriter.setInsertionPointAfter(op);
    Operation *moved = rewriter.clone(*op);
    moved->setOperand(0, transpose.getX());
    moved->setAttr(keys::axis,
                   rewriter.getI64IntegerAttr(perm[std::size_t(axis)]));
    SmallVector<Attribute> names;
    for (auto [part, before] :
         llvm::zip(op->getResults(), moved->getResults())) {
      auto type = cast<RankedTensorType>(part.getType());
      before.setType(type.clone(unpermuted(Perm(type.getShape()), perm)));
      names.push_back(
          rewriter.getStringAttr(tensorNameOf(part) + kBeforeTranspose.str()));
    }
    moved->setAttr(kTopNamesAttr, rewriter.getArrayAttr(names));
    for (auto [part, before] : llvm::zip(op->getResults(), moved->getResults()))
      transposeAfterMoved(rewriter, op, part, before, perm);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addTransposesAndReshapes(RewritePatternSet &patterns) {
  patterns.add<SinkThroughReshape, HoistThroughReshape, SinkThroughCuts,
               SinkThroughSplit>(patterns.getContext());
}

} // namespace yarrow::cleanup
