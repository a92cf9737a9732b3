//===- ConcatSlices.cpp - Branches that are made where they belong --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/ConcatSlices.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/movement/MovementOps.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;

ConcatSlices npu::chooseConcatSlices(ArrayRef<Operation *> order,
                                     const ConcatTables &tables,
                                     const Epilogues &fused) {
  ConcatSlices slices;
  for (Operation *op : order) {
    if (!llvm::isa<compass::ConcatOp>(op))
      continue;
    auto program = compass::programOf(op);
    const compass::KernelCall *call =
        succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::Concat>())
      continue;
    auto p = call->paramsOf<kernels::Concat>();
    uint64_t first = p.rowOffset;
    for (unsigned i = 0; i < p.inputCount; ++i) {
      uint64_t channels = p.branches[i].inner;
      const BufferBinding &bound = call->bindings()[i];
      ConcatSlice slice{op->getResult(0), first,    p.outInner,
                        p.outer,          channels, movesBranch(p, i)};
      first += channels;
      if (bound.kind != BufferBinding::Kind::Operand || bound.part)
        continue;
      Value branch = op->getOperand(bound.index);
      Operation *maker = branch.getDefiningOp();
      bool hasTable = tables.contains(maker);
      bool isOnEngine = canHaveEpilogue(maker) || fused.layers.contains(maker);
      if (branch.hasOneUse() && isOnEngine && (slice.hasScale || hasTable))
        slices[branch] = slice;
    }
  }
  return slices;
}
