//===- ScatterBoxes.cpp - Updates that go to neighbouring places ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A ScatterND whose indices are known and name the places of a box, one after
// the other, is the data around the box joined with the updates: copies, where
// a scatter goes through the whole tensor place by place. Caches that are
// written at one end are spelled so.
//
//   y[:, 3:5] = u   is   Concat(Slice(x, 0:3), u, Slice(x, 5:))
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/indexing/IndexOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/Transposes.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// A part of a tensor without gaps.
struct Box {
  SmallVector<int64_t> begin, length;

  bool isWhole(std::size_t axis, ArrayRef<int64_t> shape) const {
    return length[axis] == shape[axis];
  }
};

/// The box of \p shape whose places \p indices list in row-major order.
std::optional<Box> boxOf(const ConstantView &indices, ArrayRef<int64_t> shape) {
  int64_t rank = indices.shape.back();
  int64_t places = rank == 0 ? 0 : indices.numElements() / rank;
  if (places == 0)
    return std::nullopt;
  auto at = [&](int64_t place, int64_t axis) {
    int64_t index = indices.intAt(place * rank + axis);
    return index < 0 ? index + shape[std::size_t(axis)] : index;
  };
  Box box{{}, SmallVector<int64_t>(shape)};
  int64_t size = 1;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t begin = at(0, axis), length = at(places - 1, axis) - begin + 1;
    if (begin < 0 || length < 1 || begin + length > shape[std::size_t(axis)])
      return std::nullopt;
    box.begin.push_back(begin);
    box.length[std::size_t(axis)] = length;
    size *= length;
  }
  if (size != places)
    return std::nullopt;
  for (int64_t place = 0; place < places; ++place) {
    int64_t rest = place;
    for (int64_t axis = rank; axis-- > 0;) {
      int64_t length = box.length[std::size_t(axis)];
      if (at(place, axis) != box.begin[std::size_t(axis)] + rest % length)
        return std::nullopt;
      rest /= length;
    }
  }
  box.begin.resize(shape.size(), 0);
  return box;
}

struct ScatterOfBox : OpRewritePattern<ScatterNDOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterNDOp op,
                                PatternRewriter &rewriter) const override {
    Value data = op->getOperand(0), updates = op->getOperand(2);
    auto constant = op->getOperand(1).getDefiningOp<ConstantOp>();
    auto indices = constant ? viewConstant(tensorKey(constant, keys::weights))
                            : std::nullopt;
    Type element = getElementTypeOrSelf(op->getResult(0));
    if (!indices || dtypeIsFloat(indices->dtype) || indices->shape.empty() ||
        wordKey(op, keys::reduction, "NONE") != "NONE" ||
        !intsKey(op, keys::scale_value).empty() ||
        getElementTypeOrSelf(data) != element ||
        getElementTypeOrSelf(updates) != element)
      return rewriter.notifyMatchFailure(op,
                                         "values or places are not constant");
    ArrayRef<int64_t> shape = shapeOf(data);
    std::optional<Box> box = boxOf(*indices, shape);
    if (!box)
      return rewriter.notifyMatchFailure(op, "the places do not form a box");
    auto isPartial = [&](std::size_t axis) {
      return !box->isWhole(axis, shape);
    };
    auto axes = llvm::to_vector(llvm::seq<std::size_t>(0, shape.size()));
    if (llvm::none_of(axes, isPartial))
      return rewriter.notifyMatchFailure(op, "no data is left");
    rewriter.setInsertionPoint(op);
    Value joined = updates;
    if (shapeOf(updates) != ArrayRef(box->length))
      joined =
          makeReshape(rewriter, locationNextTo(op, "_updates"), updates,
                      box->length, tensorNameOf(op->getResult(0)) + "_updates");
    for (std::size_t axis : llvm::reverse(axes))
      if (isPartial(axis))
        joined = join(rewriter, op, *box, axis, joined);
    setTensorName(joined.getDefiningOp(), tensorNameOf(op->getResult(0)));
    joined.getDefiningOp()->setLoc(op.getLoc());
    rewriter.replaceOp(op, joined);
    return success();
  }

private:
  static Value slice(PatternRewriter &rewriter, Operation *op, const Box &part,
                     const Twine &suffix) {
    Value data = op->getOperand(0);
    SmallVector<int64_t> end, strides(part.begin.size(), 1);
    for (auto [begin, length] : llvm::zip_equal(part.begin, part.length))
      end.push_back(begin + length);
    auto list = [&](StringRef key, ArrayRef<int64_t> values) {
      return rewriter.getNamedAttr(key, rewriter.getDenseI64ArrayAttr(values));
    };
    auto type = cast<RankedTensorType>(data.getType());
    auto made = SliceOp::create(rewriter, locationNextTo(op, "_" + suffix),
                                type.clone(part.length), ValueRange(data),
                                {list("begin", part.begin), list("end", end),
                                 list("strides", strides)});
    setTensorName(made, tensorNameOf(op->getResult(0)) + "_" + suffix.str());
    return made->getResult(0);
  }

  /// The data before and behind the box along \p axis, with \p joined, all of
  /// the axes behind it, between them.
  static Value join(PatternRewriter &rewriter, Operation *op, const Box &box,
                    std::size_t axis, Value joined) {
    ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
    Box part = box;
    for (std::size_t i = axis; i < shape.size(); ++i)
      part.begin[i] = 0, part.length[i] = shape[i];
    std::string number = std::to_string(axis);
    SmallVector<Value> parts;
    int64_t begin = box.begin[axis], end = begin + box.length[axis];
    if (begin > 0) {
      part.length[axis] = begin;
      parts.push_back(slice(rewriter, op, part, "before" + number));
    }
    parts.push_back(joined);
    if (end < shape[axis]) {
      part.begin[axis] = end, part.length[axis] = shape[axis] - end;
      parts.push_back(slice(rewriter, op, part, "after" + number));
    }
    part.begin[axis] = 0, part.length[axis] = shape[axis];
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto concat = ConcatOp::create(
        rewriter, locationNextTo(op, "_joined" + number),
        TypeRange(type.clone(part.length)), parts,
        rewriter.getNamedAttr(keys::axis,
                              rewriter.getI64IntegerAttr(int64_t(axis))));
    setTensorName(concat, tensorNameOf(op->getResult(0)) + "_joined" + number);
    return concat->getResult(0);
  }
};

} // namespace

void addScatterBoxes(RewritePatternSet &patterns) {
  patterns.add<ScatterOfBox>(patterns.getContext());
}

} // namespace yarrow::cleanup
