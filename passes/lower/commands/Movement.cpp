//===- Movement.cpp - Copies by the DMA engine ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Transpose, slice, split and reshape are strided copies of up to
// five axes after neighbouring axes have been merged; a copy of more is several
// commands.
//
//===----------------------------------------------------------------------===//
#include "isa/ElfLayout.h"
#include "kernels/convert/Convert.h"
#include "kernels/movement/DataMovement.h"
#include "passes/lower/commands/CopyAxes.h"
#include "passes/lower/commands/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

isa::Unit npu::queueFor(const Tensor &in, const Tensor &out) {
  return !in.inSram && out.inSram ? isa::Unit::DmaLoad : isa::Unit::DmaStore;
}

/// DDR is read and written in bursts: single elements waste most of each.
static bool isScattered(int64_t innerStrideBytes, uint64_t innerSize,
                        uint32_t elementBytes, const isa::Machine &machine) {
  return innerStrideBytes != int64_t(elementBytes) ||
         innerSize * elementBytes < machine.ddrBurstBytes;
}

/// The axes in the order in which the side in DDR has long runs, if a copy
/// between DDR and SRAM is shorter so: the SRAM takes single elements, of which
/// DDR would waste most of each burst. Not if the SRAM has so few banks that
/// the bus would wait for it: then a copy of its own puts them in order.
static SmallVector<DmaAxis> orderForDdr(ArrayRef<DmaAxis> axes,
                                        uint32_t elementBytes, bool isLoad,
                                        const isa::Machine &machine) {
  SmallVector<DmaAxis> given(axes), ordered(axes);
  llvm::stable_sort(ordered, [&](const DmaAxis &a, const DmaAxis &b) {
    return isLoad ? a.srcStride > b.srcStride : a.dstStride > b.dstStride;
  });
  auto costOf = [&](ArrayRef<DmaAxis> some) {
    CopyCommands commands(some, elementBytes);
    isa::Copy copy = commands.one();
    copy.srcRegion = isLoad ? isa::kWorkspaceRegion : isa::kSramRegion;
    copy.dstRegion = isLoad ? isa::kSramRegion : isa::kWorkspaceRegion;
    isa::CommandCost cost = isa::costOf(copy, machine);
    return std::pair(commands.count() * cost.aloneCycles(),
                     cost.sramCycles <= cost.ddrCycles ||
                         machine.channelsOf(isa::Unit::DmaLoad) > 1);
  };
  auto [cycles, isFast] = costOf(ordered);
  return isFast && cycles < costOf(given).first ? ordered : given;
}

/// Whether nobody reads the result that \p step copies to, neither another
/// layer nor another step of this one.
static bool isUnread(const Step &step) {
  const compass::BufferBinding &to = step.call["output"];
  using Kind = compass::BufferBinding::Kind;
  if (to.kind != Kind::Result || !step.op->getResult(to.index).use_empty() ||
      !step.program.isStraight() || !step.program.graphs().empty())
    return false;
  unsigned uses = 0;
  for (const compass::KernelCall &call : step.program.calls())
    for (const compass::BufferBinding &bound : call.bindings())
      uses += bound.kind == Kind::Result && bound.index == to.index;
  return uses == 1;
}

bool Lowering::lowerCopy(const Step &step) {
  if (isUnread(step))
    return true;
  auto p = step.call.paramsOf<kernels::Copy>();
  Tensor in = tensorOf(step, "input");
  Tensor home = tensorOf(step, "output"), out = home;
  SmallVector<DmaAxis> axes;
  uint64_t writtenBytes = p.elemBytes;
  for (uint32_t i = 0; i < p.rank; ++i) {
    axes.push_back({p.dims[i], p.srcStride[i], p.dstStride[i]});
    writtenBytes *= p.dims[i];
  }
  if (in.inSram != out.inSram)
    axes = orderForDdr(axes, p.elemBytes, /*isLoad=*/out.inSram, machine);
  // Where they are many, the TECs need less time than the commands.
  constexpr uint64_t kMostCommands = 16;
  CopyCommands commands(axes, p.elemBytes);
  if (commands.count() > kMostCommands)
    return false;
  // A tensor that is read or written in short runs goes through SRAM as a
  // whole, or else in slices. One that is written in parts, by a call for each,
  // stays where it is.
  const isa::Copy &copy = commands.one();
  bool isWhole = copy.size0 * uint64_t(copy.elementBytes) == in.sizeBytes();
  bool stagesIn =
      !in.inSram && !isWhole &&
      isScattered(copy.srcStride0, copy.size0, copy.elementBytes, machine);
  bool stagesOut =
      !out.inSram && !isWhole &&
      isScattered(copy.dstStride0, copy.size0, copy.elementBytes, machine);
  bool isPart = writtenBytes != out.sizeBytes();
  uint64_t inBytes = in.sizeBytes() + isa::kBufferAlignBytes,
           outBytes = out.sizeBytes() + isa::kBufferAlignBytes;
  uint64_t freeBytes = options.stageKernels ? freeSramBytes() : 0;
  bool fits =
      (stagesIn ? inBytes : 0) + (stagesOut && !isPart ? outBytes : 0) <=
      freeBytes;
  if ((stagesIn || stagesOut) && (!fits || isPart) &&
      copyInPieces(axes, in, p.srcOffset, out, p.dstOffset, p.elemBytes))
    return true;
  if (stagesIn && inBytes <= freeBytes) {
    in = stageIn(in);
    freeBytes -= inBytes;
  }
  if (stagesOut && !isPart && outBytes <= freeBytes)
    out = stageOut(out);
  Tensor from = in, to = out;
  from.offsetBytes += uint64_t(int64_t(p.srcOffset) * p.elemBytes);
  to.offsetBytes += uint64_t(int64_t(p.dstOffset) * p.elemBytes);
  bool isMoved = moveInSram(step, axes, p.elemBytes, from, to);
  for (uint64_t i = 0; !isMoved && i < commands.count(); ++i)
    emitCopy(
        commands.command(i, in.offsetBytes + int64_t(p.srcOffset) * p.elemBytes,
                         out.offsetBytes + int64_t(p.dstOffset) * p.elemBytes),
        in.buffer, out.buffer, queueFor(in, out));
  finishOut(out, home);
  return true;
}

bool Lowering::lowerSplit(const Step &step) {
  auto p = step.call.paramsOf<kernels::Split>();
  Tensor in = tensorOf(step, "input");
  uint64_t begin = 0;
  for (uint32_t k = 0; k < p.outputCount; ++k) {
    Tensor out = tensorOf(step.op, step.call.bindings()[1 + k]);
    DmaAxis axes[] = {{p.outer, p.inInner, p.inner[k]}, {p.inner[k], 1, 1}};
    Tensor part = in;
    part.offsetBytes += begin * p.elemBytes;
    if (moveInSram(step, axes, p.elemBytes, part, out)) {
      begin += p.inner[k];
      continue;
    }
    isa::Copy copy =
        CopyCommands(axes, p.elemBytes)
            .command(0, in.offsetBytes + begin * p.elemBytes, out.offsetBytes);
    emitCopy(copy, in.buffer, out.buffer, queueFor(in, out));
    begin += p.inner[k];
  }
  return true;
}
