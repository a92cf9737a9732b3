//===- FoldPads.cpp - Borders into the padding of the layer behind --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A convolution and a pooling have padding of their own, at no cost. Of
// integers as of floats: padding holds the stored value of a real 0, and of a
// maximum the least value, so that no bit of the result changes.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/pool/PoolOps.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/LeastValue.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// A border of one value around the rows and columns of NHWC \p inner.
struct Border {
  PadOp pad;
  SmallVector<int64_t> perm; ///< of a transpose between pad and layer, or empty
  double value = 0;          ///< as stored
  int64_t top = 0, bottom = 0, left = 0, right = 0;

  static std::optional<Border> before(Operation *op) {
    Border border;
    Value value = op->getOperand(0);
    if (auto transpose = value.getDefiningOp<TransposeOp>()) {
      border.perm = intsKey(transpose, keys::perm);
      value = transpose->getOperand(0);
      if (value.getType() != permutedType(value, border.perm, op))
        return std::nullopt;
    }
    border.pad = value.getDefiningOp<PadOp>();
    if (!border.pad || !border.read(op))
      return std::nullopt;
    return border;
  }

  /// The layer reads what the pad reads, its own padding being larger.
  void moveInto(PatternRewriter &rewriter, Operation *op) const {
    Value inner = pad->getOperand(0);
    if (!perm.empty()) {
      rewriter.setInsertionPoint(op);
      Value old = op->getOperand(0);
      auto type = cast<RankedTensorType>(old.getType());
      SmallVector<int64_t> shape;
      for (int64_t from : perm)
        shape.push_back(shapeOf(inner)[std::size_t(from)]);
      auto moved = TransposeOp::create(
          rewriter, old.getLoc(), type.clone(shape), ValueRange(inner),
          rewriter.getNamedAttr(keys::perm,
                                rewriter.getDenseI64ArrayAttr(perm)));
      setTensorName(moved, tensorNameOf(old) + "_before_pad");
      inner = moved.getY();
    }
    rewriter.modifyOpInPlace(op, [&] {
      auto add = [&](StringRef key, int64_t more) {
        auto old = op->getAttrOfType<IntegerAttr>(key);
        op->setAttr(
            key, rewriter.getI64IntegerAttr((old ? old.getInt() : 0) + more));
      };
      add("pad_top", top);
      add("pad_bottom", bottom);
      add("pad_left", left);
      add("pad_right", right);
      op->setOperand(0, inner);
    });
  }

private:
  /// The type of \p op's operand before the transpose by \p perm.
  static Type permutedType(Value before, ArrayRef<int64_t> perm,
                           Operation *op) {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    return type.clone(unpermuted(SmallVector<int64_t>(type.getShape()), perm));
  }

  bool read(Operation *op) {
    // Behind a pad of another scale the stored values mean something else.
    auto elementOf = [](Value v) {
      return cast<RankedTensorType>(v.getType()).getElementType();
    };
    auto pads = pad->getAttrOfType<ArrayAttr>(keys::pads);
    if (!pads || pads.size() != 4 ||
        elementOf(pad->getOperand(0)) != elementOf(pad->getResult(0)) ||
        wordKey(pad, keys::mode, "CONSTANT") != "CONSTANT")
      return false;
    value = numberOf(pad->getAttr(keys::constant_value)).value_or(0);
    ArrayRef<int64_t> rows[4];
    for (unsigned i = 0; i < 4; ++i) {
      unsigned axis = perm.empty() ? i : unsigned(perm[i]);
      auto row = dyn_cast<DenseI64ArrayAttr>(pads[axis]);
      if (!row || row.size() != 2 || row[0] < 0 || row[1] < 0 ||
          ((i == 0 || i == 3) && (row[0] || row[1])))
        return false;
      rows[i] = row.asArrayRef();
    }
    top = rows[1][0], bottom = rows[1][1];
    left = rows[2][0], right = rows[2][1];
    WindowKeys keys = windowKeys(op);
    keys.padTop += top, keys.padBottom += bottom;
    keys.padLeft += left, keys.padRight += right;
    constexpr int64_t kMostPadding = 32767; // of checkWindow
    return std::max({keys.padTop, keys.padBottom, keys.padLeft,
                     keys.padRight}) <= kMostPadding;
  }
};

/// The stored value of a real 0.
bool isZero(const Border &border) {
  TensorInfo info = describe(border.pad->getResult(0));
  return border.value == (info.isQuantized() ? -double(info.zp) : 0.0);
}

template <typename ConvOp> struct PadIntoConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern<ConvOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto border = Border::before(op);
    if (!border || !isZero(*border))
      return rewriter.notifyMatchFailure(op, "no border of zeros before it");
    // Tiles of transformed weights lie as their layer has them.
    if (boolKey(op, keys::with_winograd))
      return rewriter.notifyMatchFailure(op, "transformed weights");
    border->moveInto(rewriter, op);
    return success();
  }
};

/// One axis of a window over an input and its border.
struct WindowAxis {
  int64_t in, out, kernel, stride, dilation, before, after;

  /// A last window may stick out of input and padding: its cells outside are
  /// none, not even padding.
  bool staysInside() const {
    return (out - 1) * stride + (kernel - 1) * dilation + 1 <=
           in + before + after;
  }
  /// Each window has at least one cell that is not padding.
  bool alwaysSees() const {
    int64_t reach = (kernel - 1) * dilation;
    return before <= reach && after <= reach && dilation <= in;
  }
};

struct PadIntoPool : OpRewritePattern<PoolingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PoolingOp op,
                                PatternRewriter &rewriter) const override {
    auto border = Border::before(op);
    if (!border)
      return rewriter.notifyMatchFailure(op, "no border before it");
    WindowKeys keys = windowKeys(op);
    ArrayRef<int64_t> out = shapeOf(op->getResult(0));
    ArrayRef<int64_t> padded = shapeOf(op->getOperand(0));
    WindowAxis rows = {padded[1] - border->top - border->bottom,
                       out[1],
                       keys.kernelY,
                       keys.strideY,
                       keys.dilationY,
                       keys.padTop + border->top,
                       keys.padBottom + border->bottom};
    WindowAxis columns = {padded[2] - border->left - border->right,
                          out[2],
                          keys.kernelX,
                          keys.strideX,
                          keys.dilationX,
                          keys.padLeft + border->left,
                          keys.padRight + border->right};
    bool isPadded =
        keys.padTop || keys.padBottom || keys.padLeft || keys.padRight;
    std::string method = wordKey(op, keys::method, "MAX");
    bool counts = false;
    if (method == "MAX") {
      if (!rows.alwaysSees() || !columns.alwaysSees() ||
          !isNeverBelow(border->pad->getOperand(0), border->value))
        return rewriter.notifyMatchFailure(
            op, "the border can be the greatest value");
    } else if (method == "AVG") {
      // The border's cells count, those of own padding may not; whole numbers
      // divided by a rule of their own stay as they are.
      counts = !boolKey(op, keys::count_include_pad);
      if (!isZero(*border) || (counts && isPadded) || !rows.staysInside() ||
          !columns.staysInside() || op->hasAttr(keys::average_rounding))
        return rewriter.notifyMatchFailure(op, "another divisor");
    } else if (!isZero(*border)) {
      return rewriter.notifyMatchFailure(op, "no border of zeros");
    }
    border->moveInto(rewriter, op);
    if (counts)
      rewriter.modifyOpInPlace(op, [&] {
        op->setAttr(keys::count_include_pad, rewriter.getBoolAttr(true));
      });
    return success();
  }
};

} // namespace

void addFoldPads(RewritePatternSet &patterns) {
  patterns.add<PadIntoConv<ConvolutionOp>, PadIntoConv<DepthwiseConvOp>,
               PadIntoPool>(patterns.getContext());
}

} // namespace yarrow::cleanup
