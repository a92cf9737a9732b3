//===- Folding.cpp - Layers that copy their operand -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Folding.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Traits.h"

using namespace yarrow::compass;
using namespace mlir;

static bool isIdentityPerm(ArrayRef<int64_t> perm) {
  for (auto [i, from] : llvm::enumerate(perm))
    if (from != int64_t(i))
      return false;
  return true;
}

Value yarrow::compass::copiedOperand(Operation *op) {
  if (!op->hasTrait<trait::MovesOnly>() || op->getNumOperands() != 1 ||
      op->getNumResults() != 1 ||
      op->getOperand(0).getType() != op->getResult(0).getType() ||
      !isIdentityPerm(intsKey(op, keys::perm)))
    return {};
  // All steps forward; the shape says the rest: a slice that keeps every length
  // starts at 0.
  bool isForward = llvm::all_of(intsKey(op, keys::strides),
                                [](int64_t step) { return step > 0; });
  return isForward ? op->getOperand(0) : Value();
}

LogicalResult
yarrow::compass::foldCopy(Operation *op,
                          SmallVectorImpl<OpFoldResult> &results) {
  Value operand = copiedOperand(op);
  bool isReturned =
      operand && llvm::any_of(op->getResult(0).getUsers(), [](Operation *user) {
        return user->hasTrait<OpTrait::IsTerminator>();
      });
  if (!operand || isReturned)
    return failure();
  results.push_back(operand);
  return success();
}
