//===- CopyAxes.cpp - Strided copies as commands of the DMA ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/CopyAxes.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::npu;
using llvm::ArrayRef;
using llvm::SmallVector;

SmallVector<DmaAxis> npu::mergeAxes(ArrayRef<DmaAxis> axes) {
  SmallVector<DmaAxis> merged;
  for (const DmaAxis &axis : axes) {
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

isa::Copy npu::fillOf(uint64_t count, uint32_t elementBytes, uint32_t bits) {
  isa::Copy fill;
  fill.fill = true;
  fill.elementBytes = uint8_t(elementBytes);
  fill.fillValue = bits;
  fill.size0 = uint32_t(count);
  fill.size1 = fill.size2 = fill.size3 = fill.size4 = 1;
  fill.dstStride0 = int32_t(elementBytes);
  return fill;
}

/// Takes the shortest axes, the innermost aside, out of \p axes until a command
/// has the others. These are of the outer loops, a command for each turn.
static SmallVector<DmaAxis> takeOuterAxes(SmallVector<DmaAxis> &axes) {
  constexpr size_t kCommandAxes = 5;
  SmallVector<DmaAxis> outer;
  axes = mergeAxes(axes);
  while (axes.size() > kCommandAxes) {
    auto shortest = std::min_element(
        axes.begin(), std::prev(axes.end()),
        [](const DmaAxis &a, const DmaAxis &b) { return a.size < b.size; });
    outer.push_back(*shortest);
    axes.erase(shortest);
    axes = mergeAxes(axes);
  }
  while (axes.size() < kCommandAxes)
    axes.insert(axes.begin(), {1, 0, 0});
  return outer;
}

CopyCommands::CopyCommands(ArrayRef<DmaAxis> axes, uint32_t elementBytes) {
  SmallVector<DmaAxis> merged(axes);
  outer = takeOuterAxes(merged);
  for (const DmaAxis &axis : outer)
    numCommands *= axis.size;
  copy.elementBytes = elementBytes;
  auto bytes = [&](int64_t stride) { return int32_t(stride * elementBytes); };
  copy.size4 = merged[0].size, copy.srcStride4 = bytes(merged[0].srcStride),
  copy.dstStride4 = bytes(merged[0].dstStride);
  copy.size3 = merged[1].size, copy.srcStride3 = bytes(merged[1].srcStride),
  copy.dstStride3 = bytes(merged[1].dstStride);
  copy.size2 = merged[2].size, copy.srcStride2 = bytes(merged[2].srcStride),
  copy.dstStride2 = bytes(merged[2].dstStride);
  copy.size1 = merged[3].size, copy.srcStride1 = bytes(merged[3].srcStride),
  copy.dstStride1 = bytes(merged[3].dstStride);
  copy.size0 = merged[4].size, copy.srcStride0 = bytes(merged[4].srcStride),
  copy.dstStride0 = bytes(merged[4].dstStride);
}

isa::Copy CopyCommands::command(uint64_t index, int64_t srcBytes,
                                int64_t dstBytes) const {
  for (const DmaAxis &axis : outer) {
    int64_t turn = int64_t(index % axis.size) * copy.elementBytes;
    srcBytes += turn * axis.srcStride;
    dstBytes += turn * axis.dstStride;
    index /= axis.size;
  }
  isa::Copy command = copy;
  command.src = srcBytes;
  command.dst = dstBytes;
  return command;
}
