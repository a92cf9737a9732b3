//===- ConcatTables.cpp - Branches that come with the scale of their join -===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/ConcatTables.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/movement/MovementOps.h"
#include "kernels/registry/Registry.h"
#include "passes/lower/choose/Epilogues.h"

#include <array>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;
using compass::KernelCall;
using kernels::DType;

static bool hasByte(DType type) {
  return type == DType::I8 || type == DType::U8;
}

bool npu::movesBranch(const kernels::ConcatParams &p, unsigned i) {
  const kernels::ConcatBranch &b = p.branches[i];
  return b.scale == 1 && b.shift == 0 && b.inZp == p.zp &&
         b.inType == p.outType;
}

/// What the kernel makes of each value of a branch.
static ConcatTable tableOf(const KernelCall &concat, unsigned branch) {
  auto p = concat.paramsOf<kernels::Concat>();
  ConcatTable table{p.branches[branch].inType, p.outType, {}};
  std::array<char, 256> values;
  for (int i = 0; i < 256; ++i)
    values[i] = char(table.inType == DType::I8 ? i - 128 : i);
  table.entries.resize(values.size());
  p.branches[0] = p.branches[branch];
  p.branches[0].inner = p.outInner = uint32_t(values.size());
  p.outer = p.inputCount = 1;
  p.rowOffset = 0;
  void *buffers[] = {values.data(), table.entries.data()};
  concat.getKernel().fn(&p, buffers, /*task=*/0, /*taskCount=*/1);
  return table;
}

ConcatTables
npu::chooseConcatTables(ArrayRef<Operation *> order,
                        const llvm::DenseSet<Operation *> &withEpilogue) {
  ConcatTables tables;
  for (Operation *op : order) {
    if (!llvm::isa<compass::ConcatOp>(op))
      continue;
    auto program = compass::programOf(op);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::Concat>())
      continue;
    auto p = call->paramsOf<kernels::Concat>();
    for (unsigned i = 0; hasByte(p.outType) && i < p.inputCount; ++i) {
      const BufferBinding &bound = call->bindings()[i];
      if (movesBranch(p, i) || !hasByte(p.branches[i].inType) ||
          bound.kind != BufferBinding::Kind::Operand || bound.part)
        continue;
      Operation *conv = op->getOperand(bound.index).getDefiningOp();
      if (canHaveEpilogue(conv) && conv->hasOneUse() &&
          !withEpilogue.contains(conv))
        tables[conv] = tableOf(*call, i);
    }
  }
  return tables;
}
