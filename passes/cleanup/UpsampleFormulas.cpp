//===- UpsampleFormulas.cpp - Images repeated by Concat and Reshape -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tensor joined with itself is repeated. Between reshapes that is how
// networks without a Resize write each pixel, and then each row, several times:
//
//   [1,32,16,16] -R-> [8192,1] -C-> [8192,2] -R-> [512,32] -C-> [512,64]
//   -R-> [1,32,32,32]
//
// is the nearest neighbour at twice the size, which the tensor engine has.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/Transposes.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// A digit of a flat index, the most significant one first: an index of the
/// source's axis, or (kRepeat) the number of a repetition.
struct Digit {
  int64_t axis, size;
};
constexpr int64_t kRepeat = -1;

/// Whether \p op joins nothing but one tensor, again and again.
bool isRepetition(Operation *op) {
  auto concat = dyn_cast_or_null<ConcatOp>(op);
  return concat && concat->getNumOperands() > 1 &&
         llvm::all_equal(concat->getOperands()) &&
         getElementTypeOrSelf(concat->getOperand(0)) ==
             getElementTypeOrSelf(concat->getResult(0));
}

bool isChained(Operation *op) {
  auto reshape = dyn_cast_or_null<ReshapeOp>(op);
  return isRepetition(op) ||
         (reshape && getElementTypeOrSelf(reshape.getX()) ==
                         getElementTypeOrSelf(reshape.getY()));
}

/// How often each axis of \p source is repeated, element by element, to become
/// \p shape; nullopt if the digits are in another order.
std::optional<SmallVector<int64_t>> repeatsOf(ArrayRef<Digit> digits,
                                              ArrayRef<int64_t> source,
                                              ArrayRef<int64_t> shape) {
  SmallVector<int64_t> repeats;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t repeat = 1;
    if (source[axis] != 1) {
      if (digits.empty() || digits.front().axis != int64_t(axis))
        return std::nullopt;
      digits = digits.drop_front();
    }
    while (source[axis] * repeat < shape[axis] && !digits.empty() &&
           digits.front().axis == kRepeat) {
      repeat *= digits.front().size;
      digits = digits.drop_front();
    }
    if (source[axis] * repeat != shape[axis])
      return std::nullopt;
    repeats.push_back(repeat);
  }
  return digits.empty() ? std::optional(repeats) : std::nullopt;
}

struct RepeatedImage : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Operation *> chain;
    Value x = op.getY();
    for (Operation *maker = op; isChained(maker); maker = x.getDefiningOp()) {
      chain.push_back(maker);
      x = maker->getOperand(0);
    }
    ArrayRef<int64_t> source = shapeOf(x), shape = shapeOf(op.getY());
    if (source.size() != 4 || shape.size() != 4 ||
        llvm::none_of(chain, isRepetition))
      return rewriter.notifyMatchFailure(op, "no image that is repeated");
    SmallVector<Digit> digits;
    for (auto [axis, size] : llvm::enumerate(source))
      if (size != 1)
        digits.push_back({int64_t(axis), size});
    for (Operation *link : llvm::reverse(chain))
      if (isRepetition(link) && !repeat(link, digits))
        return rewriter.notifyMatchFailure(op, "axes are taken apart");
    auto repeats = repeatsOf(digits, source, shape);
    if (!repeats)
      return rewriter.notifyMatchFailure(op, "another order of values");
    bool isFirst = (*repeats)[0] == 1 && (*repeats)[1] == 1;
    bool isLast = (*repeats)[0] == 1 && (*repeats)[3] == 1;
    if (!isFirst && !isLast)
      return rewriter.notifyMatchFailure(op, "channels are repeated");
    replace(rewriter, op, x, isFirst);
    return success();
  }

private:
  /// Adds the digit of a repetition; false if it lies within one.
  static bool repeat(Operation *concat, SmallVector<Digit> &digits) {
    ArrayRef<int64_t> shape = shapeOf(concat->getOperand(0));
    int64_t axis = axisOf(concat, "axis", int64_t(shape.size())), outer = 1;
    for (int64_t length : shape.take_front(std::size_t(axis)))
      outer *= length;
    std::size_t place = 0;
    for (int64_t size = 1; size != outer; ++place) {
      if (place == digits.size() || size > outer)
        return false;
      size *= digits[place].size;
    }
    digits.insert(digits.begin() + std::ptrdiff_t(place),
                  {kRepeat, int64_t(concat->getNumOperands())});
    return true;
  }

  static void replace(PatternRewriter &rewriter, ReshapeOp op, Value x,
                      bool areChannelsFirst) {
    auto type = cast<RankedTensorType>(op.getY().getType());
    SmallVector<int64_t> size(type.getShape());
    std::string name = tensorNameOf(op.getY());
    rewriter.setInsertionPoint(op);
    if (areChannelsFirst) {
      size = {size[0], size[2], size[3], size[1]};
      x = makeTranspose(rewriter, locationNextTo(op, "_pixels"), x,
                        {0, 2, 3, 1});
      setTensorName(x.getDefiningOp(), name + "_pixels");
    }
    SmallVector<NamedAttribute> keys = {
        rewriter.getNamedAttr(keys::method, rewriter.getStringAttr("NEAREST")),
        rewriter.getNamedAttr(keys::mode, rewriter.getStringAttr("ASYMMETRIC")),
        rewriter.getNamedAttr(keys::nearest_mode,
                              rewriter.getStringAttr("FLOOR")),
        rewriter.getNamedAttr(keys::size, rewriter.getDenseI64ArrayAttr(size))};
    auto resize = ResizeOp::create(
        rewriter,
        areChannelsFirst ? locationNextTo(op, "_resized") : op.getLoc(),
        TypeRange(type.clone(size)), ValueRange(x), keys);
    Value y = resize->getResult(0);
    if (areChannelsFirst) {
      setTensorName(resize, name + "_resized");
      y = makeTranspose(rewriter, op.getLoc(), y, {0, 3, 1, 2});
    }
    setTensorName(y.getDefiningOp(), name);
    rewriter.replaceOp(op, y);
  }
};

} // namespace

void addUpsampleFormulas(RewritePatternSet &patterns) {
  patterns.add<RepeatedImage>(patterns.getContext());
}

} // namespace yarrow::cleanup
