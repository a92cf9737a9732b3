//===- Kernel.cpp - Layers that the TECs compute --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Any layer can run here: a TEC reaches SRAM and DDR alike. DDR is slow for it,
// so what fits is copied through SRAM, where copies run ahead of the kernel.
//
//===----------------------------------------------------------------------===//
#include "isa/ElfLayout.h"
#include "passes/lower/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::KernelBuffer;

void Lowering::lowerKernel(Operation *op, const KernelCall &call) {
  SmallVector<Value> buffers;
  SmallVector<int64_t> roles, offsets, sizes;
  std::vector<std::pair<Tensor, Tensor>> outputs; // staged, home
  uint64_t freeBytes = options.stageKernels ? freeSramBytes() : 0;
  // Takes `bytes` of what is free for a copy in SRAM, if there is enough.
  auto claim = [&](uint64_t bytes) {
    uint64_t aligned = llvm::alignTo(bytes, 64);
    if (aligned > freeBytes)
      return false;
    freeBytes -= aligned;
    return true;
  };
  auto add = [&](Value buffer, uint64_t offset, uint64_t size, int64_t role) {
    buffers.push_back(buffer);
    offsets.push_back(offset);
    sizes.push_back(size);
    roles.push_back(role);
  };
  for (const KernelBuffer &b : call.buffers) {
    switch (b.kind) {
    case KernelBuffer::Kind::Null:
      roles.push_back(RoleNull);
      break;
    case KernelBuffer::Kind::Input: {
      Tensor t = tensorOf(op->getOperand(b.index));
      if (!t.inSram && claim(t.sizeBytes()))
        t = stageIn(t);
      add(t.buffer, t.offsetBytes, t.sizeBytes(), RoleRead);
      break;
    }
    case KernelBuffer::Kind::Output: {
      Tensor home = tensorOf(op->getResult(b.index)), t = home;
      if (!t.inSram && claim(t.sizeBytes())) {
        t = stageOut(home);
        outputs.push_back({t, home});
      }
      add(t.buffer, t.offsetBytes, t.sizeBytes(), RoleWrite);
      break;
    }
    case KernelBuffer::Kind::Constant: {
      Tensor t;
      std::string name = compass::layerNameOf(op).str() + ".constant";
      t.buffer = b.constant ? newConstant(b.constant, name)
                            : newConstant(b.bytes, name);
      uint64_t size = t.buffer.getDefiningOp<BufferOp>().getSizeBytes();
      if (claim(size)) {
        Value staged = newSram(size, name);
        copyBytes(t.buffer, 0, staged, 0, size);
        t.buffer = staged;
      }
      add(t.buffer, 0, size, RoleRead);
      break;
    }
    case KernelBuffer::Kind::Scratch: {
      bool fits = claim(b.scratchBytes);
      Value scratch = createBuffer(
          bufferBuilder, loc, fits ? isa::kSramRegion : isa::kWorkspaceRegion,
          b.scratchBytes, "scratch");
      add(scratch, 0, b.scratchBytes, RoleBoth);
      break;
    }
    }
  }
  auto params = builder.getDenseI8ArrayAttr(
      ArrayRef<int8_t>(reinterpret_cast<const int8_t *>(call.params.data()),
                       call.params.size()));
  auto kernel = KernelOp::create(
      builder, loc, buffers, builder.getStringAttr(call.symbol), params,
      builder.getDenseI64ArrayAttr(roles),
      builder.getDenseI64ArrayAttr(offsets),
      builder.getDenseI64ArrayAttr(sizes), DenseI64ArrayAttr());
  kernel->setAttr(kLayerAttr, builder.getI64IntegerAttr(currentLayer()));
  for (auto &[staged, home] : outputs)
    finishOut(staged, home);
}
