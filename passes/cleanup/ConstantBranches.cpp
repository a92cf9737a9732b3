//===- ConstantBranches.cpp - Concat with what is known -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Networks widen a tensor by a Concat with zeros: a border, which is moved, not
// joined. Other constants get the scale of the join here, once.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

/// How the branches of an integer Concat get the scale of the join.
class Requantization {
public:
  explicit Requantization(Operation *op)
      : op(op), scales(intsKey(op, keys::scale_value)),
        shifts(intsKey(op, keys::shift_value)) {}

  /// Whether the branch keeps its bytes.
  bool moves(unsigned i) const {
    TensorInfo branch = describe(op->getOperand(i)),
               join = describe(op->getResult(0));
    return branch.storedType() == join.storedType() && branch.zp == join.zp &&
           isByOne(i);
  }
  bool isByOne(unsigned i) const {
    return scales.empty() || (scales[i] == 1 && shifts[i] == 0);
  }
  SmallVector<NamedAttribute> ofBranch(unsigned i) const {
    Builder b(op->getContext());
    SmallVector<NamedAttribute> keys;
    if (Attribute axis = op->getAttr(keys::axis))
      keys.push_back(b.getNamedAttr(keys::axis, axis));
    if (!scales.empty()) {
      keys.push_back(
          b.getNamedAttr(keys::scale_value, b.getDenseI64ArrayAttr(scales[i])));
      keys.push_back(
          b.getNamedAttr(keys::shift_value, b.getDenseI64ArrayAttr(shifts[i])));
    }
    return keys;
  }
  /// Branch \p i has the scale of the join now.
  void drop(unsigned i) {
    if (scales.empty())
      return;
    Builder b(op->getContext());
    scales[i] = 1, shifts[i] = 0;
    op->setAttr(keys::scale_value, b.getDenseI64ArrayAttr(scales));
    op->setAttr(keys::shift_value, b.getDenseI64ArrayAttr(shifts));
  }

private:
  Operation *op;
  SmallVector<int64_t> scales, shifts;
};

/// The one value of a constant; nullopt if it has several.
std::optional<double> onlyValue(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto view = constant ? viewConstant(tensorKey(constant, keys::weights))
                       : std::nullopt;
  if (!view || view->numElements() == 0)
    return std::nullopt;
  auto at = [&](int64_t i) {
    return dtypeIsFloat(view->dtype) ? view->floatAt(i)
                                     : double(view->intAt(i));
  };
  double first = at(0);
  for (int64_t i = 1, e = view->numElements(); i < e; ++i)
    if (at(i) != first)
      return std::nullopt;
  return first;
}

/// One branch between constants that are the same everywhere.
struct ConcatToPad : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    auto rank = int64_t(shapeOf(op->getResult(0)).size());
    int64_t axis = axisOf(op, keys::axis, rank), before = 0, after = 0;
    std::optional<unsigned> variable;
    std::optional<double> border;
    Requantization requant(op);
    bool isFloat = describe(op->getResult(0)).isFloat();
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (!isFloat && !requant.moves(unsigned(i)))
        return rewriter.notifyMatchFailure(op, "a branch changes its scale");
      int64_t length = shapeOf(operand)[std::size_t(axis)];
      if (length == 0)
        return rewriter.notifyMatchFailure(op, "an empty branch");
      if (!operand.getDefiningOp<ConstantOp>()) {
        if (variable)
          return rewriter.notifyMatchFailure(op, "several branches");
        variable = unsigned(i);
        continue;
      }
      auto value = onlyValue(operand);
      if (!value || (border && *value != *border))
        return rewriter.notifyMatchFailure(op, "different values");
      border = value;
      (variable ? after : before) += length;
    }
    // A float16 operand of a float32 join is converted, which a pad is not.
    if (!variable || !border ||
        describe(op->getOperand(*variable)).storedType() !=
            describe(op->getResult(0)).storedType())
      return failure();
    Builder b(op->getContext());
    SmallVector<Attribute> pads(std::size_t(rank),
                                b.getDenseI64ArrayAttr({0, 0}));
    pads[std::size_t(axis)] = b.getDenseI64ArrayAttr({before, after});
    SmallVector<NamedAttribute> keys = {
        b.getNamedAttr(keys::mode, b.getStringAttr("CONSTANT")),
        b.getNamedAttr(keys::constant_value, b.getF64FloatAttr(*border)),
        b.getNamedAttr(keys::pads, b.getArrayAttr(pads))};
    std::string name = tensorNameOf(op->getResult(0));
    auto pad = PadOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                             op->getOperand(*variable), keys);
    setTensorName(pad, name);
    rewriter.replaceOp(op, pad);
    return success();
  }
};

/// A constant branch of another scale: a join of its own, of nothing but
/// constants.
struct RequantizeBranch : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Requantization requant(op);
    auto join = cast<RankedTensorType>(op->getResult(0).getType());
    if (op->getNumOperands() < 2 || describe(op->getResult(0)).isFloat())
      return failure();
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (!operand.getDefiningOp<ConstantOp>() || requant.moves(unsigned(i)))
        continue;
      auto own = ConcatOp::create(
          rewriter, op.getLoc(), TypeRange(join.clone(shapeOf(operand))),
          ValueRange(operand), requant.ofBranch(unsigned(i)));
      setTensorName(own, tensorNameOf(op->getResult(0)) + "_branch" +
                             std::to_string(i));
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(unsigned(i), own->getResult(0));
        requant.drop(unsigned(i));
      });
      return success();
    }
    return failure();
  }
};

} // namespace

void addConstantBranches(RewritePatternSet &patterns) {
  patterns.add<ConcatToPad, RequantizeBranch>(patterns.getContext());
}

} // namespace yarrow::cleanup
