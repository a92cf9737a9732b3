//===- Storage.cpp - Which results share their operand's memory -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/Storage.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

bool npu::isAlias(Operation *op) {
  return llvm::isa<compass::ReshapeOp>(op) &&
         compass::describe(op->getOperand(0)).dtype ==
             compass::describe(op->getResult(0)).dtype;
}

bool npu::isInPlace(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      !op->hasTrait<compass::trait::InPlace>())
    return false;
  Value in = op->getOperand(0), out = op->getResult(0);
  bool isReturned = llvm::any_of(out.getUsers(), [](Operation *user) {
    return llvm::isa<func::ReturnOp>(user);
  });
  Operation *producer = in.getDefiningOp();
  return in.hasOneUse() && !isReturned &&
         !producer->hasTrait<compass::trait::Source>() && !isAlias(producer) &&
         compass::describe(in).sizeBytes() ==
             compass::describe(out).sizeBytes();
}
