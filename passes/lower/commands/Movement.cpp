//===- Movement.cpp - Copies by the DMA engine ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Transpose, slice, split, reshape and constant pad are strided copies of up to
// five axes after neighbouring axes have been merged; a copy of more is several
// commands.
//
//===----------------------------------------------------------------------===//
#include "kernels/movement/DataMovement.h"
#include "passes/lower/commands/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

struct Axis {
  uint64_t size;
  int64_t srcStride, dstStride;
};

/// Drops axes of length 1 and joins neighbours that are contiguous in both
/// tensors. Axes are given and returned outermost first.
SmallVector<Axis> mergeAxes(ArrayRef<Axis> axes) {
  SmallVector<Axis> merged;
  for (const Axis &axis : axes) {
    if (axis.size == 1)
      continue;
    if (!merged.empty() &&
        merged.back().srcStride == axis.srcStride * int64_t(axis.size) &&
        merged.back().dstStride == axis.dstStride * int64_t(axis.size)) {
      merged.back() = {merged.back().size * axis.size, axis.srcStride,
                       axis.dstStride};
      continue;
    }
    merged.push_back(axis);
  }
  return merged;
}

constexpr size_t kCommandAxes = 5;

/// Takes the shortest axes, the innermost aside, out of \p axes until a command
/// has the others. These are of the outer loops, a command for each turn.
SmallVector<Axis> takeOuterAxes(SmallVector<Axis> &axes) {
  SmallVector<Axis> outer;
  axes = mergeAxes(axes);
  while (axes.size() > kCommandAxes) {
    auto shortest = std::min_element(
        axes.begin(), std::prev(axes.end()),
        [](const Axis &a, const Axis &b) { return a.size < b.size; });
    outer.push_back(*shortest);
    axes.erase(shortest);
    axes = mergeAxes(axes);
  }
  return outer;
}

/// The command of a copy, or nullopt if it has too many axes.
std::optional<isa::Copy> makeCopy(ArrayRef<Axis> axes, uint32_t elementBytes) {
  SmallVector<Axis> merged = mergeAxes(axes);
  if (merged.size() > kCommandAxes)
    return std::nullopt;
  while (merged.size() < 5)
    merged.insert(merged.begin(), {1, 0, 0});
  isa::Copy c;
  c.elementBytes = elementBytes;
  auto bytes = [&](int64_t stride) { return int32_t(stride * elementBytes); };
  c.size4 = merged[0].size, c.srcStride4 = bytes(merged[0].srcStride),
  c.dstStride4 = bytes(merged[0].dstStride);
  c.size3 = merged[1].size, c.srcStride3 = bytes(merged[1].srcStride),
  c.dstStride3 = bytes(merged[1].dstStride);
  c.size2 = merged[2].size, c.srcStride2 = bytes(merged[2].srcStride),
  c.dstStride2 = bytes(merged[2].dstStride);
  c.size1 = merged[3].size, c.srcStride1 = bytes(merged[3].srcStride),
  c.dstStride1 = bytes(merged[3].dstStride);
  c.size0 = merged[4].size, c.srcStride0 = bytes(merged[4].srcStride),
  c.dstStride0 = bytes(merged[4].dstStride);
  return c;
}

} // namespace

static isa::Unit queueFor(const Tensor &in, const Tensor &out) {
  // A copy from DDR into SRAM may run ahead with the loads; the others wait for
  // a producer and would hold the loads up.
  return !in.inSram && out.inSram ? isa::Unit::DmaLoad : isa::Unit::DmaStore;
}

/// DDR is read and written in bursts: single elements waste most of each.
static bool isScattered(int64_t innerStrideBytes, uint64_t innerSize,
                        uint32_t elementBytes, const isa::Machine &machine) {
  return innerStrideBytes != int64_t(elementBytes) ||
         innerSize * elementBytes < machine.ddrBurstBytes;
}

bool Lowering::lowerCopy(const Step &step) {
  auto p = step.call.paramsOf<kernels::Copy>();
  Tensor in = tensorOf(step, "input");
  Tensor home = tensorOf(step, "output"), out = home;
  SmallVector<Axis> axes;
  for (uint32_t i = 0; i < p.rank; ++i)
    axes.push_back({p.dims[i], p.srcStride[i], p.dstStride[i]});
  // Where they are many, the TECs need less time than the commands.
  constexpr uint64_t kMostCommands = 16;
  SmallVector<Axis> outer = takeOuterAxes(axes);
  uint64_t commands = 1;
  for (const Axis &axis : outer)
    commands *= axis.size;
  if (commands > kMostCommands)
    return false;
  auto copy = makeCopy(axes, p.elemBytes);
  // A tensor that is read or written in pieces goes through SRAM as a whole.
  uint64_t freeBytes = options.stageKernels ? freeSramBytes() : 0;
  bool isWhole = copy->size0 * uint64_t(copy->elementBytes) == in.sizeBytes();
  if (!in.inSram && !isWhole &&
      isScattered(copy->srcStride0, copy->size0, copy->elementBytes, machine) &&
      in.sizeBytes() + isa::kBufferAlignBytes <= freeBytes) {
    in = stageIn(in);
    freeBytes -= in.sizeBytes() + isa::kBufferAlignBytes;
  }
  // One that is written in parts, by a call for each, stays where it is.
  uint64_t writtenBytes = p.elemBytes;
  for (uint32_t i = 0; i < p.rank; ++i)
    writtenBytes *= p.dims[i];
  if (!out.inSram && !isWhole && writtenBytes == out.sizeBytes() &&
      isScattered(copy->dstStride0, copy->size0, copy->elementBytes, machine) &&
      out.sizeBytes() + isa::kBufferAlignBytes <= freeBytes)
    out = stageOut(out);
  for (uint64_t command = 0; command < commands; ++command) {
    int64_t from = p.srcOffset, to = p.dstOffset;
    uint64_t rest = command;
    for (const Axis &axis : outer) {
      from += int64_t(rest % axis.size) * axis.srcStride;
      to += int64_t(rest % axis.size) * axis.dstStride;
      rest /= axis.size;
    }
    copy->src = in.offsetBytes + from * p.elemBytes;
    copy->dst = out.offsetBytes + to * p.elemBytes;
    emitCopy(*copy, in.buffer, out.buffer, queueFor(in, out));
  }
  finishOut(out, home);
  return true;
}

bool Lowering::lowerSplit(const Step &step) {
  auto p = step.call.paramsOf<kernels::Split>();
  Tensor in = tensorOf(step, "input");
  uint64_t begin = 0;
  for (uint32_t k = 0; k < p.outputCount; ++k) {
    Tensor out = tensorOf(step.op, step.call.bindings()[1 + k]);
    Axis axes[] = {{p.outer, p.inInner, p.inner[k]}, {p.inner[k], 1, 1}};
    auto copy = makeCopy(axes, p.elemBytes);
    copy->src = in.offsetBytes + begin * p.elemBytes;
    copy->dst = out.offsetBytes;
    emitCopy(*copy, in.buffer, out.buffer, queueFor(in, out));
    begin += p.inner[k];
  }
  return true;
}

bool Lowering::lowerPad(const Step &step) {
  auto p = step.call.paramsOf<kernels::Pad>();
  if (p.mode != kernels::PadMode::Constant || p.elemBytes > 4)
    return false;
  Tensor in = tensorOf(step, "input"), out = tensorOf(step, "output");
  SmallVector<Axis> axes;
  int64_t srcStride = 1, dstStride = 1, dstOffset = 0;
  for (int i = int(p.rank) - 1; i >= 0; --i) {
    if (p.padBefore[i] < 0 ||
        p.padBefore[i] + int64_t(p.inDims[i]) > int64_t(p.outDims[i]))
      return false; // crops
    axes.insert(axes.begin(), {p.inDims[i], srcStride, dstStride});
    dstOffset += p.padBefore[i] * dstStride;
    srcStride *= p.inDims[i];
    dstStride *= p.outDims[i];
  }
  auto copy = makeCopy(axes, p.elemBytes);
  if (!copy)
    return false;
  isa::Copy fill;
  fill.fill = true;
  fill.elementBytes = p.elemBytes;
  fill.fillValue = p.fill[0];
  fill.size0 = uint32_t(out.sizeBytes() / p.elemBytes),
  fill.size1 = fill.size2 = fill.size3 = fill.size4 = 1;
  fill.dstStride0 = p.elemBytes;
  fill.dst = out.offsetBytes;
  isa::Unit queue = queueFor(in, out);
  emitCopy(fill, {}, out.buffer, queue);
  copy->src = in.offsetBytes;
  copy->dst = out.offsetBytes + dstOffset * p.elemBytes;
  emitCopy(*copy, in.buffer, out.buffer, queue);
  return true;
}
