//===- CopyAxes.h - Strided copies as commands of the DMA -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A copy has any number of axes, a command five.
//
//   CopyCommands copy({{rows, 64, 1}, {64, 1, rows}}, /*elementBytes=*/1);
//   for (uint64_t i = 0; i < copy.count(); ++i)
//     emitCopy(copy.command(i, srcBytes, dstBytes), src, dst, queue);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_COMMANDS_COPYAXES_H
#define YARROW_PASSES_LOWER_COMMANDS_COPYAXES_H

#include "isa/Descriptors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace yarrow::npu {

/// An axis of a copy; strides count elements. Axes are listed outermost first.
struct DmaAxis {
  uint64_t size;
  int64_t srcStride, dstStride;
};

/// Drops axes of length 1 and joins neighbours that are contiguous in both
/// tensors.
llvm::SmallVector<DmaAxis> mergeAxes(llvm::ArrayRef<DmaAxis> axes);

/// \p count neighbouring elements of one value, whose low bytes are \p bits.
isa::Copy fillOf(uint64_t count, uint32_t elementBytes, uint32_t bits);

class CopyCommands {
public:
  CopyCommands(llvm::ArrayRef<DmaAxis> axes, uint32_t elementBytes);

  uint64_t count() const { return numCommands; }
  /// With the first element of the whole copy at these bytes of its buffers.
  isa::Copy command(uint64_t index, int64_t srcBytes, int64_t dstBytes) const;
  /// But for the places, all commands are the same.
  const isa::Copy &one() const { return copy; }

private:
  isa::Copy copy;
  llvm::SmallVector<DmaAxis> outer; ///< Those that a command lacks.
  uint64_t numCommands = 1;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_COMMANDS_COPYAXES_H
