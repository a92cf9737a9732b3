//===- SinkTransposes.cpp - Transposes until they meet their inverse ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Converters put a transpose before and behind every layer whose layout they
// had to change. Moving each one towards the outputs, through all layers that
// do not care, brings pairs together.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MovedNames.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

using Perm = SmallVector<int64_t>;

Perm permOf(Operation *transpose) { return Perm(intsKey(transpose, "perm")); }

/// The transpose that gives \p value, or null. One that gives its stored
/// integers another scale or zero point is left where it is: behind it they
/// mean something else than before it.
TransposeOp transposeBehind(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  auto elementOf = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getElementType();
  };
  if (transpose &&
      elementOf(transpose->getOperand(0)) != elementOf(transpose->getResult(0)))
    return nullptr;
  return transpose;
}

Perm inverseOf(const Perm &perm) {
  Perm inverse(perm.size());
  for (auto [i, from] : llvm::enumerate(perm))
    inverse[std::size_t(from)] = int64_t(i);
  return inverse;
}

RankedTensorType withShape(Value like, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(like.getType());
  return RankedTensorType::get(shape, type.getElementType());
}

Value makeTranspose(PatternRewriter &rewriter, Location loc, Value value,
                    const Perm &perm) {
  return TransposeOp::create(
             rewriter, loc, value,
             rewriter.getNamedAttr("perm", rewriter.getDenseI64ArrayAttr(perm)))
      .getY();
}

bool isUnarySinkable(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         isFreeOfAxisOrder(op);
}

/// op(transpose(x), ...) becomes transpose(op(x, ...)).
void sinkThrough(PatternRewriter &rewriter, Operation *op,
                 ArrayRef<Value> operands, const Perm &perm) {
  std::string name = tensorNameOf(op->getResult(0));
  std::string layer = layerNameOf(op).str();
  Value result = op->getResult(0);
  RankedTensorType before = withShape(
      result, unpermuted(SmallVector<int64_t>(shapeOf(result)), perm));
  rewriter.setInsertionPointAfter(op);
  Operation *moved = rewriter.clone(*op);
  moved->setOperands(operands);
  moved->getResult(0).setType(before);
  permuteAxes(moved, perm);
  setTensorName(moved, name + kBeforeTranspose.str());
  Location loc = NameLoc::get(rewriter.getStringAttr(layer + "_transpose"),
                              UnknownLoc::get(op->getContext()));
  if (auto named = dyn_cast<NameLoc>(op->getLoc()))
    loc = NameLoc::get(rewriter.getStringAttr(layer + "_transpose"),
                       named.getChildLoc());
  Value after = makeTranspose(rewriter, loc, moved->getResult(0), perm);
  setTensorName(after.getDefiningOp(), name);
  rewriter.replaceOp(op, after);
}

/// Moving a transpose past one of several readers would leave it in place for
/// the others: one transpose more.
bool isWorthSinking(TransposeOp transpose) {
  return transpose->getResult(0).hasOneUse();
}

struct SinkThroughUnary : RewritePattern {
  explicit SinkThroughUnary(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isUnarySinkable(op))
      return failure();
    auto transpose = transposeBehind(op->getOperand(0));
    if (!transpose || !isWorthSinking(transpose))
      return rewriter.notifyMatchFailure(op, "no transpose that would vanish");
    sinkThrough(rewriter, op, {transpose->getOperand(0)}, permOf(transpose));
    return success();
  }
};

/// Operands of one permutation; constants may join, they are transposed now.
struct SinkThroughMany : RewritePattern {
  explicit SinkThroughMany(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumOperands() < 2 || op->getNumResults() != 1 ||
        !isFreeOfAxisOrder(op))
      return failure();
    std::optional<Perm> perm;
    for (Value operand : op->getOperands()) {
      auto transpose = transposeBehind(operand);
      if (!transpose)
        continue;
      if (perm && *perm != permOf(transpose))
        return rewriter.notifyMatchFailure(op, "different permutations");
      if (!operand.hasOneUse())
        return rewriter.notifyMatchFailure(op, "a transpose would stay");
      perm = permOf(transpose);
    }
    if (!perm)
      return failure();
    auto rank = shapeOf(op->getResult(0)).size();
    for (Value operand : op->getOperands())
      if (!transposeBehind(operand) && !isJoining(op, operand, rank))
        return rewriter.notifyMatchFailure(op, "an operand is not transposed");
    SmallVector<Value> operands;
    rewriter.setInsertionPoint(op);
    for (Value operand : op->getOperands()) {
      auto transpose = transposeBehind(operand);
      if (transpose) {
        operands.push_back(transpose->getOperand(0));
        continue;
      }
      operands.push_back(makeTranspose(rewriter, operand.getLoc(),
                                       withRank(rewriter, operand, rank),
                                       inverseOf(*perm)));
    }
    sinkThrough(rewriter, op, operands, *perm);
    return success();
  }

private:
  /// A constant is transposed now. Of fewer axes it broadcasts; only
  /// elementwise layers do so.
  static bool isJoining(Operation *op, Value operand, std::size_t rank) {
    std::size_t own = shapeOf(operand).size();
    return operand.getDefiningOp<ConstantOp>() &&
           (own == rank || (own < rank && isElementwise(op)));
  }
  /// The same values with axes of length 1 in front.
  static Value withRank(PatternRewriter &rewriter, Value operand,
                        std::size_t rank) {
    SmallVector<int64_t> shape(rank - shapeOf(operand).size(), 1);
    if (shape.empty())
      return operand;
    llvm::append_range(shape, shapeOf(operand));
    auto reshape = ReshapeOp::create(
        rewriter, operand.getLoc(), operand,
        rewriter.getNamedAttr("shape", rewriter.getDenseI64ArrayAttr(shape)),
        getElementTypeOrSelf(operand.getType()));
    setTensorName(reshape, tensorNameOf(operand) + "_broadcast");
    return reshape.getY();
  }
};

/// A product reads either operand transposed at no cost.
struct FoldIntoMatMul : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (unsigned side = 0; side < 2; ++side) {
      auto transpose = transposeBehind(op->getOperand(side));
      if (!transpose || !swapsLastAxes(permOf(transpose)))
        continue;
      StringRef key = side == 0 ? "trans_a" : "trans_b";
      bool old = side == 0 ? op.getTransA() : op.getTransB();
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(side, transpose->getOperand(0));
        op->setAttr(key, rewriter.getBoolAttr(!old));
      });
      changed = true;
    }
    return success(changed);
  }

  static bool swapsLastAxes(const Perm &perm) {
    std::size_t rank = perm.size();
    for (std::size_t i = 0; i + 2 < rank; ++i)
      if (perm[i] != int64_t(i))
        return false;
    return rank >= 2 && perm[rank - 2] == int64_t(rank) - 1;
  }
};

/// Moving axes of length one changes no order: a reshape, which merges with
/// other reshapes.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> in = shapeOf(op->getOperand(0));
    int64_t last = -1;
    bool isIdentity = true;
    for (auto [i, from] : llvm::enumerate(permOf(op))) {
      isIdentity &= from == int64_t(i);
      if (in[std::size_t(from)] == 1)
        continue;
      if (from < last)
        return failure();
      last = from;
    }
    if (isIdentity)
      return failure(); // the identity patterns remove it
    std::string name = tensorNameOf(op.getY());
    auto reshape = ReshapeOp::create(
        rewriter, op.getLoc(), op.getX(),
        rewriter.getNamedAttr(
            "shape", rewriter.getDenseI64ArrayAttr(shapeOf(op.getY()))),
        getElementTypeOrSelf(op.getY().getType()));
    setTensorName(reshape, name);
    rewriter.replaceOp(op, reshape.getY());
    return success();
  }
};

} // namespace

void addSinkTransposes(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<SinkThroughUnary, SinkThroughMany>(context);
  TransposeOp::getCanonicalizationPatterns(patterns, context);
  patterns.add<TransposeToReshape, FoldIntoMatMul>(context);
}

} // namespace yarrow::cleanup
