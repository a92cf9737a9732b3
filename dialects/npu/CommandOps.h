//===- CommandOps.h - What all engine commands do alike ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The methods of CommandOpInterface for an op with the fields of a descriptor
// (Npu_CommandOp of NpuOps.td), from the descriptor's record. Part of the
// dialect's implementation.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_COMMANDOPS_H
#define YARROW_DIALECTS_NPU_COMMANDOPS_H

#include "dialects/npu/FieldRegions.h"
#include "dialects/npu/Npu.h"

namespace yarrow::npu {

using MemoryEffectList = llvm::SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

/// 0 for no buffer, and for one that was not planned yet.
inline int64_t addressOf(mlir::Value buffer, bool isWanted) {
  return isWanted && buffer
             ? buffer.getDefiningOp<BufferOp>().getAddress().value_or(0)
             : 0;
}

/// An address without a buffer is a plain number, and touches nothing of ours.
template <typename OpT> llvm::SmallVector<Access> accessesOfCommand(OpT op) {
  llvm::SmallVector<Access> accesses;
  op.describe(/*withAddresses=*/false)
      .forEachAccess([&](const isa::FieldAccess &a) {
        if (mlir::Value buffer = op.bufferOf(a.field))
          accesses.push_back({buffer,
                              uint64_t(int64_t(a.offset) + a.extent.begin),
                              a.extent.sizeBytes(), a.isWrite});
      });
  return accesses;
}

template <typename OpT> isa::AnyDescriptor descriptorOfCommand(OpT op) {
  auto d = op.describe(/*withAddresses=*/true);
  setRegions(d, [&](unsigned i) {
    mlir::Value buffer = op.bufferOf(i);
    return buffer ? buffer.getDefiningOp<BufferOp>() : BufferOp();
  });
  if (auto waits = op.getWaits())
    for (unsigned i = 0; i < isa::kNumCounters; ++i)
      d.waits[i] = uint32_t((*waits)[i]);
  return d;
}

template <typename OpT> Unit unitOfCommand(OpT op) {
  if constexpr (OpT::Descriptor::kEngine == isa::Engine::TensorEngine)
    return Unit::TensorEngine;
  else
    return op.getQueue();
}

template <typename OpT> void addEffects(OpT op, MemoryEffectList &effects) {
  for (const Access &a : op.getAccesses())
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      if (operand.get() != a.buffer)
        continue;
      if (a.isWrite)
        effects.emplace_back(mlir::MemoryEffects::Write::get(), &operand);
      else
        effects.emplace_back(mlir::MemoryEffects::Read::get(), &operand);
      break;
    }
}

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_COMMANDOPS_H
