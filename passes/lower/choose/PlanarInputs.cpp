//===- PlanarInputs.cpp - Transpositions of the network's input -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/PlanarInputs.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "kernels/conv/Conv.h"
#include "passes/lower/choose/Epilogues.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// The Transpose from [n, c, h, w] to [n, h, w, c] that makes \p value for one
/// reader, of an input; or null.
static Operation *planesOf(Value value) {
  auto transpose = value.getDefiningOp<compass::TransposeOp>();
  constexpr int64_t toPixels[] = {0, 2, 3, 1};
  if (!transpose || !value.hasOneUse() || !transpose.getPerm() ||
      *transpose.getPerm() != ArrayRef(toPixels) ||
      !transpose->getOperand(0).getDefiningOp<compass::InputOp>())
    return nullptr;
  return transpose;
}

llvm::DenseMap<Operation *, Operation *>
npu::findPlanarInputs(ArrayRef<Operation *> order) {
  llvm::DenseMap<Operation *, Operation *> found;
  for (Operation *op : order) {
    Operation *transpose =
        op->getNumOperands() > 0 ? planesOf(op->getOperand(0)) : nullptr;
    if (!transpose || !canHaveEpilogue(op))
      continue;
    auto program = compass::programOf(op);
    const compass::KernelCall *call = program->single();
    if (call->is<kernels::Conv2DInt>() &&
        call->paramsOf<kernels::Conv2DInt>().shape.groups == 1)
      found[op] = transpose;
  }
  return found;
}
