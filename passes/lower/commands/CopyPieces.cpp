//===- CopyPieces.cpp - Scattered copies of large tensors -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// DDR wastes most of each burst on an element that lies alone. What is too
// large to go through SRAM as a whole goes in slices along one axis: a slice is
// loaded in the order of the source, put in order within SRAM, and stored in
// the order of the destination. Loads run ahead, so that the bus is what such a
// copy waits for.
//
//===----------------------------------------------------------------------===//
#include "isa/Cost.h"
#include "isa/Division.h"
#include "isa/ElfLayout.h"
#include "passes/lower/commands/CopyAxes.h"
#include "passes/lower/commands/Lowering.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// Copies of one slice.
struct SliceCopies {
  SmallVector<DmaAxis> load, order, store;
  uint64_t loadedBytes = 0, storedBytes = 0; ///< In SRAM; 0 where it lies.
};

/// A copy between tensors of which at least one lies in DDR.
struct SlicedCopy {
  SmallVector<DmaAxis> axes;
  uint32_t elementBytes;
  bool isSrcInSram, isDstInSram;

  /// The first \p length steps of axis \p sliced, all of the others.
  SliceCopies slice(size_t sliced, uint64_t length) const;
  uint64_t cyclesOf(const SliceCopies &copies,
                    const isa::Machine &machine) const;
  uint64_t cyclesAtOnce(const isa::Machine &machine) const;

private:
  uint64_t cyclesOf(ArrayRef<DmaAxis> copyAxes, uint32_t from, uint32_t to,
                    const isa::Machine &machine) const;
};

} // namespace

/// Indices of the axes, the longest stride of one side first.
static SmallVector<size_t> orderOf(ArrayRef<DmaAxis> axes,
                                   int64_t DmaAxis::*stride) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, axes.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return axes[a].*stride > axes[b].*stride;
  });
  return order;
}

SliceCopies SlicedCopy::slice(size_t sliced, uint64_t length) const {
  SliceCopies copies;
  copies.order = axes;
  copies.order[sliced].size = length;
  SmallVector<DmaAxis> whole = copies.order;
  auto compact = [&](int64_t DmaAxis::*stride, SmallVector<DmaAxis> &copy) {
    // Steps in SRAM of the axes, dense in the order of the side in DDR. What
    // is repeated is loaded once.
    int64_t step = 1;
    SmallVector<size_t> order = orderOf(whole, stride);
    for (size_t i : llvm::reverse(order)) {
      if (whole[i].*stride == 0)
        continue;
      copies.order[i].*stride = step;
      DmaAxis axis{whole[i].size, step, step};
      axis.*stride = whole[i].*stride;
      copy.insert(copy.begin(), axis);
      step *= int64_t(whole[i].size);
    }
    return uint64_t(step) * elementBytes;
  };
  if (!isSrcInSram)
    copies.loadedBytes = compact(&DmaAxis::srcStride, copies.load);
  if (!isDstInSram)
    copies.storedBytes = compact(&DmaAxis::dstStride, copies.store);
  return copies;
}

static constexpr uint32_t kSram = isa::kSramRegion,
                          kDdr = isa::kWorkspaceRegion; // or another

uint64_t SlicedCopy::cyclesOf(ArrayRef<DmaAxis> copyAxes, uint32_t from,
                              uint32_t to, const isa::Machine &machine) const {
  CopyCommands commands(copyAxes, elementBytes);
  isa::Copy copy = commands.one();
  copy.srcRegion = from, copy.dstRegion = to;
  return commands.count() * isa::costOf(copy, machine).aloneCycles();
}

uint64_t SlicedCopy::cyclesAtOnce(const isa::Machine &machine) const {
  return cyclesOf(axes, isSrcInSram ? kSram : kDdr, isDstInSram ? kSram : kDdr,
                  machine);
}

uint64_t SlicedCopy::cyclesOf(const SliceCopies &copies,
                              const isa::Machine &machine) const {
  uint64_t cycles = cyclesOf(copies.order, kSram, kSram, machine);
  if (!isSrcInSram)
    cycles += cyclesOf(copies.load, kDdr, kSram, machine);
  if (!isDstInSram)
    cycles += cyclesOf(copies.store, kSram, kDdr, machine);
  return cycles;
}

bool Lowering::copyInPieces(ArrayRef<DmaAxis> axes, const Tensor &in,
                            int64_t srcOffset, const Tensor &out,
                            int64_t dstOffset, uint32_t elementBytes) {
  SlicedCopy copy{mergeAxes(axes), elementBytes, in.inSram, out.inSram};
  // Backwards there are no runs.
  if (llvm::any_of(copy.axes, [](const DmaAxis &a) { return a.srcStride < 0; }))
    return false;
  // The next slice is loaded while one is stored.
  uint64_t budget = options.stageKernels ? freeSramBytes() / 2 : 0;
  size_t sliced = 0;
  uint64_t length = 0, leastCycles = copy.cyclesAtOnce(machine);
  for (auto [i, axis] : llvm::enumerate(copy.axes)) {
    SliceCopies one = copy.slice(i, 1);
    uint64_t stepBytes = one.loadedBytes + one.storedBytes;
    uint64_t fits = std::min<uint64_t>(axis.size, budget / stepBytes);
    constexpr uint64_t kMostSlices = 512;
    if (fits == 0 || isa::divideUp(axis.size, fits) > kMostSlices)
      continue;
    // Whole bursts where slices cut runs.
    uint64_t burst = machine.ddrBurstBytes / elementBytes;
    if (fits > burst && fits < axis.size)
      fits -= fits % burst;
    uint64_t slices = isa::divideUp(axis.size, fits);
    uint64_t cycles = slices * copy.cyclesOf(copy.slice(i, fits), machine);
    if (cycles < leastCycles)
      sliced = i, length = fits, leastCycles = cycles;
  }
  if (length == 0)
    return false;

  auto emit = [&](ArrayRef<DmaAxis> copyAxes, Value src, int64_t srcBytes,
                  Value dst, int64_t dstBytes, isa::Unit queue) {
    CopyCommands commands(copyAxes, elementBytes);
    for (uint64_t i = 0; i < commands.count(); ++i)
      emitCopy(commands.command(i, srcBytes, dstBytes), src, dst, queue);
  };
  const DmaAxis &axis = copy.axes[sliced];
  for (uint64_t first = 0; first < axis.size; first += length) {
    SliceCopies slice = copy.slice(sliced, std::min(length, axis.size - first));
    auto at = [&](const Tensor &tensor, int64_t offset, int64_t stride) {
      return int64_t(tensor.offsetBytes) +
             (offset + int64_t(first) * stride) * elementBytes;
    };
    Value src = in.buffer, dst = out.buffer;
    int64_t srcBytes = at(in, srcOffset, axis.srcStride),
            dstBytes = at(out, dstOffset, axis.dstStride);
    if (!in.inSram) {
      src = newSram(slice.loadedBytes, "slice");
      emit(slice.load, in.buffer, srcBytes, src, 0, isa::Unit::DmaLoad);
      srcBytes = 0;
    }
    Value ordered = out.inSram ? dst : newSram(slice.storedBytes, "slice");
    emit(slice.order, src, srcBytes, ordered, out.inSram ? dstBytes : 0,
         isa::Unit::DmaStore);
    if (!out.inSram)
      emit(slice.store, ordered, 0, dst, dstBytes, isa::Unit::DmaStore);
  }
  return true;
}
