//===- Epilogues.cpp - Layers that a convolution computes as well ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/Epilogues.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/Storage.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::KernelCall;
using kernels::Act;

/// A layer with constant weights whose program is one kernel.
static bool isOneLinearKernel(Operation *op) {
  if (!op->hasTrait<compass::trait::Linear>())
    return false;
  auto program = compass::programOf(op);
  return succeeded(program) && program->single();
}

bool npu::canHaveEpilogue(Operation *op) {
  return op && isOneLinearKernel(op) &&
         compass::describe(op->getOperand(0)).isInteger();
}

/// What computes \p value, if nobody else reads it in any of its shapes.
static Operation *makerOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isAlias(op) && op->hasOneUse())
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// Whether the command of a convolution has room for the slopes of what joins
/// its result.
static bool hasRoomForSlopes(Operation *join, unsigned operand, Operation *conv,
                             Act act) {
  if (act != Act::PRelu && act != Act::LeakyRelu)
    return true;
  auto program = compass::programOf(conv);
  ConvLayer layer;
  return succeeded(program) && describeConv(*program->single(), layer) &&
         describeResidual(join, operand, layer);
}

/// Finds functions of two tensors of which one is a convolution's result that
/// nobody else reads, and whose arithmetic the tensor engine's epilogue has.
static void findResiduals(ArrayRef<Operation *> order,
                          const isa::Machine &machine, Epilogues &fused) {
  llvm::DenseMap<Operation *, unsigned> position;
  for (auto [i, op] : llvm::enumerate(order))
    position[op] = i;
  for (Operation *op : order) {
    if (!llvm::isa<compass::BinaryFunction>(op) || op->getNumOperands() != 2)
      continue;
    auto program = compass::programOf(op);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::EltwiseInt>())
      continue;
    auto p = call->paramsOf<kernels::EltwiseInt>();
    Type a = op->getOperand(0).getType(), b = op->getOperand(1).getType();
    bool sameShape =
        cast<ShapedType>(a).getShape() == cast<ShapedType>(b).getShape() &&
        cast<ShapedType>(a).getShape() ==
            cast<ShapedType>(op->getResult(0).getType()).getShape();
    if (!sameShape || !isEngineSum(p, machine))
      continue;
    FusedLayer best;
    for (unsigned i = 0; i < 2; ++i) {
      Operation *conv = makerOf(op->getOperand(i));
      if (!conv || !isOneLinearKernel(conv) || !conv->hasOneUse() ||
          fused.convs.contains(conv) ||
          !compass::describe(conv->getResult(0)).isQuantized() ||
          !compass::describe(conv->getOperand(0)).isInteger() ||
          !hasRoomForSlopes(op, i, conv, p.requant.act))
        continue;
      // The later one: its partner has been computed by then.
      if (!best.conv || position[conv] > position[best.conv])
        best = {conv, i};
    }
    if (best.conv) {
      fused.layers[op] = best;
      fused.convs.insert(best.conv);
    }
  }
}

/// Finds look-up tables whose operand is a convolution that nobody else reads.
static void findTables(ArrayRef<Operation *> order, Epilogues &fused) {
  for (Operation *op : order) {
    if (op->getNumOperands() != 1 ||
        !op->hasTrait<compass::trait::Elementwise>())
      continue;
    Operation *conv = op->getOperand(0).getDefiningOp();
    if (!isOneLinearKernel(conv) || !conv->hasOneUse() ||
        fused.convs.contains(conv) ||
        !compass::describe(conv->getOperand(0)).isInteger())
      continue;
    auto program = compass::programOf(op);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::Lut>())
      continue;
    fused.layers[op] = {conv, 0};
    fused.convs.insert(conv);
  }
}

Epilogues npu::chooseEpilogues(ArrayRef<Operation *> order,
                               const isa::Machine &machine) {
  Epilogues fused;
  findResiduals(order, machine, fused);
  findTables(order, fused);
  return fused;
}
