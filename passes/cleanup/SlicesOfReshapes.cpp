//===- SlicesOfReshapes.cpp - One part of an axis that was split ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Channels that are split into groups, of which a slice takes one, are every
// second channel, or the first half: a slice of the channels themselves.
//
//   [44,44,48] -R-> [44,44,24,2] -S-> [44,44,24,1]
//   [44,44,48] -S-> [44,44,24] -R-> [44,44,24,1]
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/Transposes.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// Every \p step th index of one axis, from \p begin on.
struct AxisPart {
  std::size_t axis;
  int64_t begin, count, step;
};

/// The only axis along which \p slice takes a part, if that is one index.
std::optional<AxisPart> oneIndexOf(SliceOp slice) {
  ArrayRef<int64_t> in = shapeOf(slice->getOperand(0)),
                    out = shapeOf(slice->getResult(0));
  SmallVector<int64_t> begin = intsKey(slice, keys::begin),
                       strides = intsKey(slice, keys::strides);
  if (begin.size() != in.size() ||
      llvm::any_of(strides, [](int64_t step) { return step <= 0; }))
    return std::nullopt;
  std::optional<AxisPart> part;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] == out[i])
      continue;
    int64_t first = begin[i] < 0 ? begin[i] + in[i] : begin[i];
    if (part || out[i] != 1 || first < 0 || first >= in[i])
      return std::nullopt;
    part = {i, first, 1, 1};
  }
  return part;
}

/// The part of one axis of \p whole that \p part is of \p split, the same
/// values in another shape.
std::optional<AxisPart> beforeSplit(ArrayRef<int64_t> whole,
                                    ArrayRef<int64_t> split, AxisPart part) {
  auto axisWith = [&](int64_t outer, int64_t length) {
    int64_t before = 1;
    for (std::size_t i = 0; i < whole.size(); before *= whole[i++])
      if (before == outer && whole[i] == length)
        return std::optional(i);
    return std::optional<std::size_t>();
  };
  auto product = [&](std::size_t end) {
    int64_t values = 1;
    for (int64_t length : split.take_front(end))
      values *= length;
    return values;
  };
  int64_t length = split[part.axis];
  std::size_t before = part.axis, after = part.axis + 1;
  while (before > 0 && split[before - 1] == 1)
    --before;
  while (after < split.size() && split[after] == 1)
    ++after;
  if (before > 0)
    if (auto axis = axisWith(product(before - 1), split[before - 1] * length))
      return AxisPart{*axis, part.begin, split[before - 1], length};
  if (after < split.size())
    if (auto axis = axisWith(product(part.axis), length * split[after]))
      return AxisPart{*axis, part.begin * split[after], split[after], 1};
  return std::nullopt;
}

struct SliceBeforeReshape : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op->getOperand(0).getDefiningOp<ReshapeOp>();
    Value y = op->getResult(0);
    if (!reshape || op->getNumOperands() != 1 ||
        getElementTypeOrSelf(reshape.getX()) != getElementTypeOrSelf(y) ||
        getElementTypeOrSelf(reshape.getY()) != getElementTypeOrSelf(y))
      return rewriter.notifyMatchFailure(op, "not after a reshape");
    Value x = reshape.getX();
    auto part = oneIndexOf(op);
    if (part)
      part = beforeSplit(shapeOf(x), shapeOf(reshape.getY()), *part);
    if (!part)
      return rewriter.notifyMatchFailure(op, "no part of an axis before it");
    SmallVector<int64_t> begin(shapeOf(x).size(), 0), end(shapeOf(x)),
        strides(shapeOf(x).size(), 1), shape(shapeOf(x));
    begin[part->axis] = part->begin;
    end[part->axis] = part->begin + (part->count - 1) * part->step + 1;
    strides[part->axis] = part->step;
    shape[part->axis] = part->count;
    rewriter.setInsertionPoint(op);
    auto list = [&](StringRef key, ArrayRef<int64_t> values) {
      return rewriter.getNamedAttr(key, rewriter.getDenseI64ArrayAttr(values));
    };
    auto type = cast<RankedTensorType>(y.getType());
    auto slice = SliceOp::create(
        rewriter, op.getLoc(), type.clone(shape), ValueRange(x),
        {list("begin", begin), list("end", end), list("strides", strides)});
    std::string name = tensorNameOf(y);
    setTensorName(slice, name + "_before_reshape");
    rewriter.replaceOp(op,
                       makeReshape(rewriter, locationNextTo(op, "_reshape"),
                                   slice->getResult(0), type.getShape(), name));
    return success();
  }
};

} // namespace

void addSlicesOfReshapes(RewritePatternSet &patterns) {
  patterns.add<SliceBeforeReshape>(patterns.getContext());
}

} // namespace yarrow::cleanup
