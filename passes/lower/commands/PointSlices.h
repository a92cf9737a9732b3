//===- PointSlices.h - What of an elementwise layer fits the SRAM *- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Operands and result of a function of single elements (Pointwise.h) that are
// not in SRAM pass through it: as a whole, or in slices along one axis, if two
// slices fit.
//
//   PointSlices slices(f, in.inSram, other.inSram, out.inSram);
//   if (!slices.fit(freeSramBytes())) return false;
//   PointSlice slice = slices.slice(slices.length()); // the first of them
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_COMMANDS_POINTSLICES_H
#define YARROW_PASSES_LOWER_COMMANDS_POINTSLICES_H

#include "passes/lower/commands/CopyAxes.h"
#include "passes/lower/describe/Pointwise.h"

namespace yarrow::npu {

/// A tensor of a slice in SRAM: where it lies, or a copy without gaps.
struct SliceTensor {
  llvm::SmallVector<DmaAxis> copy; ///< From or to where it lies.
  uint64_t sizeBytes = 0;          ///< Of the copy; 0: in place.
  bool isCopied() const { return sizeBytes != 0; }
};

struct PointSlice {
  /// Steps in the tensors as they are in SRAM.
  llvm::SmallVector<PointAxis, 4> axes;
  SliceTensor in, other, out;
};

class PointSlices {
public:
  PointSlices(const Pointwise &f, bool isInPlace, bool isOtherInPlace,
              bool isOutInPlace);

  /// Chooses the axis and the length of slices whose copies fit; false if not
  /// even one of length 1 does.
  bool fit(uint64_t freeBytes);
  /// The axis that is cut, with its steps where the tensors lie.
  const PointAxis &cut() const { return axes[cutAxis]; }
  uint64_t length() const { return sliceLength; }
  uint64_t count() const;
  /// The first \p length elements along the axis.
  PointSlice slice(uint64_t length) const;

private:
  uint64_t bytesOf(size_t axis, uint64_t length) const;

  const Pointwise &f;
  llvm::SmallVector<PointAxis, 4> axes;
  bool copiesIn, copiesOther, copiesOut;
  size_t cutAxis = 0;
  uint64_t sliceLength = 0;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_COMMANDS_POINTSLICES_H
