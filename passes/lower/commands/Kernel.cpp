//===- Kernel.cpp - Layers that the TECs compute --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Any layer can run here: a TEC reaches SRAM and DDR alike. DDR is slow for it,
// so what fits is copied through SRAM, where copies run ahead of the kernel.
//
//===----------------------------------------------------------------------===//
#include "isa/ElfLayout.h"
#include "passes/lower/commands/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;

void Lowering::lowerKernel(const Step &step, const Tensor *output) {
  SmallVector<Value> buffers;
  SmallVector<int64_t> roles, offsets, sizes;
  std::vector<std::pair<Tensor, Tensor>> outputs; // staged, home
  uint64_t freeBytes = options.stageKernels ? freeSramBytes() : 0;
  // Takes `bytes` of what is free for a copy in SRAM, if there is enough.
  auto claim = [&](uint64_t bytes) {
    uint64_t aligned = llvm::alignTo(bytes, isa::kBufferAlignBytes);
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
  std::string name = compass::layerNameOf(step.op).str() + ".constant";
  for (auto [i, bound] : llvm::enumerate(step.call.bindings())) {
    if (!bound) {
      roles.push_back(RoleNull);
    } else if (bound.kind == BufferBinding::Kind::Constant) {
      Value buffer = newConstant(bound, name);
      uint64_t size = buffer.getDefiningOp<BufferOp>().getSizeBytes();
      bool isKept = bool(keptConstant(buffer));
      if (Value kept =
              areRepeated(bound) ? keepConstant(buffer, name) : Value()) {
        buffer = kept;
        if (!isKept)
          claim(size);
      } else if (claim(size)) {
        Value staged = newSram(size, name);
        copyBytes(buffer, 0, staged, 0, size);
        buffer = staged;
      }
      add(buffer, 0, size, RoleRead);
    } else if (!step.call.bufferOf(i).isOutput) {
      Tensor t = tensorOf(step.op, bound);
      if (!t.inSram && claim(t.sizeBytes()))
        t = stageIn(t);
      add(t.buffer, t.offsetBytes, t.sizeBytes(), RoleRead);
    } else if (step.call.bufferOf(i).isUpdated) {
      Tensor t = tensorOf(step.op, bound);
      add(t.buffer, t.offsetBytes, t.sizeBytes(), RoleBoth);
    } else {
      Tensor home = output ? *output : tensorOf(step.op, bound), t = home;
      if (!t.inSram && claim(t.sizeBytes())) {
        t = stageOut(home);
        outputs.push_back({t, home});
      }
      add(t.buffer, t.offsetBytes, t.sizeBytes(), RoleWrite);
    }
  }
  if (isTrial()) {
    SmallVector<Access> touched;
    for (auto [buffer, offset, size] : llvm::zip_equal(buffers, offsets, sizes))
      touched.push_back({buffer, uint64_t(offset), uint64_t(size)});
    trial.commands->addKernel(
        currentLayer(),
        {step.call.symbol(),
         ArrayRef(reinterpret_cast<const char *>(step.call.params().data()),
                  step.call.params().size()),
         roles, touched});
  } else {
    auto params = builder.getDenseI8ArrayAttr(ArrayRef<int8_t>(
        reinterpret_cast<const int8_t *>(step.call.params().data()),
        step.call.params().size()));
    auto kernel = KernelOp::create(
        builder, loc, buffers, builder.getStringAttr(step.call.symbol()),
        params, builder.getDenseI64ArrayAttr(roles),
        builder.getDenseI64ArrayAttr(offsets),
        builder.getDenseI64ArrayAttr(sizes), DenseI64ArrayAttr());
    kernel->setAttr(kLayerAttr, builder.getI64IntegerAttr(currentLayer()));
  }
  for (auto &[staged, home] : outputs)
    finishOut(staged, home);
}
