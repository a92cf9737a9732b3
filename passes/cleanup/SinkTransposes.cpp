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
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/cleanup/CleanupPatterns.h"
#include "passes/cleanup/Transposes.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

namespace {

bool isUnarySinkable(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         isFreeOfAxisOrder(op);
}

/// Whether all that reads \p op undoes \p perm, behind layers that do not
/// care.
bool leadsToInverse(Operation *op, const Perm &perm, unsigned layers = 8) {
  return layers > 0 && !isOutput(op->getResult(0)) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           if (auto transpose = dyn_cast<TransposeOp>(user))
             return transposeAfter(transpose.getY()) == transpose &&
                    permOf(transpose) == inverseOf(perm);
           return isUnarySinkable(user) &&
                  leadsToInverse(user, perm, layers - 1);
         });
}

/// Moving a transpose past one of several readers leaves it in place for the
/// others: one transpose more, unless it vanishes behind this one.
bool isWorthSinking(TransposeOp transpose, Operation *reader) {
  return transpose->getResult(0).hasOneUse() ||
         leadsToInverse(reader, permOf(transpose));
}

struct SinkThroughUnary : RewritePattern {
  explicit SinkThroughUnary(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isUnarySinkable(op))
      return failure();
    auto transpose = transposeAfter(op->getOperand(0));
    if (!transpose || !isWorthSinking(transpose, op))
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
      auto transpose = transposeAfter(operand);
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
      if (!transposeAfter(operand) &&
          !isJoining(op, operand, rank, inverseOf(*perm)))
        return rewriter.notifyMatchFailure(op, "an operand is not transposed");
    SmallVector<Value> operands;
    rewriter.setInsertionPoint(op);
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (auto transpose = transposeAfter(operand)) {
        operands.push_back(transpose->getOperand(0));
        continue;
      }
      // Several layers may read the operand: the name is of this one.
      std::string end = ("_operand" + Twine(i)).str();
      std::string name = tensorNameOf(op->getResult(0)) + end;
      Perm back = inverseOf(*perm);
      auto loc = NameLoc::get(rewriter.getStringAttr(layerNameOf(op) + end));
      Value same = withRank(rewriter, operand, rank);
      // A reshape where it is one: a transpose would be sunk next, and bring
      // back the one that is sunk now, if the other operands are as free.
      if (keepsOrder(shapeOf(same), back)) {
        operands.push_back(reshaped(rewriter, loc, same, back, name));
        continue;
      }
      Value joining = makeTranspose(rewriter, loc, same, back);
      setTensorName(joining.getDefiningOp(), name);
      operands.push_back(joining);
    }
    sinkThrough(rewriter, op, operands, *perm);
    return success();
  }

private:
  /// A constant is transposed now. Of fewer axes it broadcasts; only
  /// elementwise layers do so. Where only axes of length one move, it is a
  /// reshape.
  static bool isJoining(Operation *op, Value operand, std::size_t rank,
                        const Perm &perm) {
    std::size_t own = shapeOf(operand).size();
    if (own == rank && keepsOrder(shapeOf(operand), perm))
      return true;
    return operand.getDefiningOp<ConstantOp>() &&
           (own == rank || (own < rank && isElementwise(op)));
  }
  /// A transpose that moves axes of length one alone.
  static Value reshaped(PatternRewriter &rewriter, Location loc, Value value,
                        const Perm &perm, StringRef name) {
    SmallVector<int64_t> shape;
    for (int64_t from : perm)
      shape.push_back(shapeOf(value)[std::size_t(from)]);
    return makeReshape(rewriter, loc, value, shape, name);
  }
  /// The same values with axes of length 1 in front.
  static Value withRank(PatternRewriter &rewriter, Value operand,
                        std::size_t rank) {
    SmallVector<int64_t> shape(rank - shapeOf(operand).size(), 1);
    if (shape.empty())
      return operand;
    llvm::append_range(shape, shapeOf(operand));
    return makeReshape(rewriter, operand.getLoc(), operand, shape,
                       tensorNameOf(operand) + "_broadcast");
  }
};

/// A product reads either operand transposed at no cost.
struct FoldIntoMatMul : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (unsigned side = 0; side < 2; ++side) {
      auto transpose = transposeAfter(op->getOperand(side));
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
    Perm perm = permOf(op);
    // The identity patterns remove what moves nothing.
    if (llvm::is_sorted(perm) || !keepsOrder(shapeOf(op->getOperand(0)), perm))
      return failure();
    std::string name = tensorNameOf(op.getY());
    auto reshape = ReshapeOp::create(
        rewriter, op.getLoc(), op.getX(),
        rewriter.getNamedAttr(
            keys::shape, rewriter.getDenseI64ArrayAttr(shapeOf(op.getY()))),
        getElementTypeOrSelf(op.getY().getType()));
    setTensorName(reshape, name);
    rewriter.replaceOp(op, reshape.getY());
    return success();
  }
};

} // namespace

void addSinkTransposes(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  addTransposesAndReshapes(patterns);
  addSlicesOfReshapes(patterns);
  patterns.add<SinkThroughUnary, SinkThroughMany>(context);
  TransposeOp::getCanonicalizationPatterns(patterns, context);
  patterns.add<TransposeToReshape, FoldIntoMatMul>(context);
}

} // namespace yarrow::cleanup
