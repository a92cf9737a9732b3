//===- Transposes.cpp - Transposes that change places ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/Transposes.h"

#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MovedNames.h"
#include "passes/cleanup/CleanupPatterns.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow {

cleanup::Perm cleanup::permOf(Operation *transpose) {
  return Perm(intsKey(transpose, keys::perm));
}

cleanup::Perm cleanup::inverseOf(const Perm &perm) {
  Perm inverse(perm.size());
  for (auto [i, from] : llvm::enumerate(perm))
    inverse[std::size_t(from)] = int64_t(i);
  return inverse;
}

TransposeOp cleanup::transposeAfter(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  auto elementOf = [](Value v) {
    return cast<RankedTensorType>(v.getType()).getElementType();
  };
  if (transpose &&
      elementOf(transpose->getOperand(0)) != elementOf(transpose->getResult(0)))
    return nullptr;
  return transpose;
}

bool cleanup::keepsOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> perm) {
  int64_t last = -1;
  for (int64_t from : perm) {
    if (shape[std::size_t(from)] == 1)
      continue;
    if (from < last)
      return false;
    last = from;
  }
  return true;
}

Value cleanup::makeReshape(PatternRewriter &rewriter, Location loc, Value value,
                           ArrayRef<int64_t> shape, StringRef name) {
  auto reshape = ReshapeOp::create(
      rewriter, loc, value,
      rewriter.getNamedAttr(keys::shape, rewriter.getDenseI64ArrayAttr(shape)),
      getElementTypeOrSelf(value));
  setTensorName(reshape, name);
  return reshape.getY();
}

Value cleanup::makeTranspose(PatternRewriter &rewriter, Location loc,
                             Value value, const Perm &perm) {
  return TransposeOp::create(
             rewriter, loc, value,
             rewriter.getNamedAttr(keys::perm,
                                   rewriter.getDenseI64ArrayAttr(perm)))
      .getY();
}

Location cleanup::locationNextTo(Operation *op, const Twine &suffix) {
  auto name =
      StringAttr::get(op->getContext(), Twine(layerNameOf(op)) + suffix);
  auto own = dyn_cast<NameLoc>(op->getLoc());
  return NameLoc::get(name, own ? own.getChildLoc() : op->getLoc());
}

void cleanup::transposeAfterMoved(PatternRewriter &rewriter, Operation *op,
                                  Value result, Value moved, const Perm &perm) {
  Value after =
      makeTranspose(rewriter, locationNextTo(op, "_transpose"), moved, perm);
  setTensorName(after.getDefiningOp(), tensorNameOf(result));
  rewriter.replaceAllUsesWith(result, after);
}

void cleanup::sinkThrough(PatternRewriter &rewriter, Operation *op,
                          ArrayRef<Value> operands, const Perm &perm) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  rewriter.setInsertionPointAfter(op);
  Operation *moved = rewriter.clone(*op);
  moved->setOperands(operands);
  moved->getResult(0).setType(
      type.clone(unpermuted(SmallVector<int64_t>(type.getShape()), perm)));
  permuteAxes(moved, perm);
  setTensorName(moved, tensorNameOf(result) + kBeforeTranspose.str());
  transposeAfterMoved(rewriter, op, result, moved->getResult(0), perm);
  rewriter.eraseOp(op);
}

} // namespace yarrow
