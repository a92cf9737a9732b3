//===- PointSlices.cpp - What of an elementwise layer fits the SRAM -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/PointSlices.h"
#include "isa/Division.h"
#include "isa/ElfLayout.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

PointSlices::PointSlices(const Pointwise &f, bool isInPlace,
                         bool isOtherInPlace, bool isOutInPlace)
    : f(f), axes(joinedAxes(f.axes, !f.slopes.empty())), copiesIn(!isInPlace),
      copiesOther(f.stage.hasResidual && !isOtherInPlace),
      copiesOut(!isOutInPlace) {
  if (axes.empty())
    axes.push_back({1, 1, 0, 1});
}

/// Gives a tensor the steps of one without gaps, in the order in which it lies;
/// what is repeated is there once. Returns its elements; \p copy, if not null,
/// gets the axes of the copy from the tensor, or (\p isStore) to it.
static uint64_t compact(MutableArrayRef<PointAxis> axes,
                        int64_t PointAxis::*step, bool isStore,
                        SmallVector<DmaAxis> *copy) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, axes.size()));
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return axes[a].*step > axes[b].*step; });
  int64_t dense = 1;
  for (size_t i : llvm::reverse(order)) {
    PointAxis &axis = axes[i];
    int64_t lying = axis.*step;
    if (lying == 0)
      continue;
    if (copy)
      copy->insert(copy->begin(), isStore ? DmaAxis{axis.size, dense, lying}
                                          : DmaAxis{axis.size, lying, dense});
    axis.*step = dense;
    dense *= int64_t(axis.size);
  }
  return uint64_t(dense);
}

PointSlice PointSlices::slice(uint64_t length) const {
  PointSlice slice;
  slice.axes = axes;
  slice.axes[cutAxis].size = length;
  auto copyOf = [&](int64_t PointAxis::*step, bool isStore, uint64_t bytes) {
    SliceTensor t;
    t.sizeBytes = bytes * compact(slice.axes, step, isStore, &t.copy);
    return t;
  };
  if (copiesIn)
    slice.in = copyOf(&PointAxis::in, /*isStore=*/false, f.inBytes());
  if (copiesOther)
    slice.other = copyOf(&PointAxis::other, /*isStore=*/false, f.otherBytes());
  if (copiesOut)
    slice.out = copyOf(&PointAxis::out, /*isStore=*/true, f.outBytes());
  return slice;
}

/// Of the copies of a slice.
uint64_t PointSlices::bytesOf(size_t axis, uint64_t length) const {
  SmallVector<PointAxis, 4> own = axes;
  own[axis].size = length;
  uint64_t bytes = 0;
  auto add = [&](bool isCopied, int64_t PointAxis::*step, uint64_t element) {
    if (isCopied)
      bytes += llvm::alignTo(element * compact(own, step, /*isStore=*/false,
                                               /*copy=*/nullptr),
                             isa::kBufferAlignBytes);
  };
  add(copiesIn, &PointAxis::in, f.inBytes());
  add(copiesOther, &PointAxis::other, f.otherBytes());
  add(copiesOut, &PointAxis::out, f.outBytes());
  return bytes;
}

uint64_t PointSlices::count() const {
  return isa::divideUp(axes[cutAxis].size, sliceLength);
}

bool PointSlices::fit(uint64_t freeBytes) {
  // Channels that have slopes stay together.
  size_t last = axes.size() - (f.slopes.empty() || axes.size() == 1 ? 0 : 1);
  for (cutAxis = 0; cutAxis < last; ++cutAxis) {
    sliceLength = axes[cutAxis].size;
    if (bytesOf(cutAxis, sliceLength) <= freeBytes)
      return true;
    // Two at a time: one computes while the other is copied.
    if (bytesOf(cutAxis, 1) > freeBytes / 2)
      continue;
    uint64_t fits = 1, tooMany = sliceLength;
    while (tooMany - fits > 1) {
      uint64_t middle = (fits + tooMany) / 2;
      (bytesOf(cutAxis, middle) <= freeBytes / 2 ? fits : tooMany) = middle;
    }
    // Whole vectors of any array, if there are some.
    constexpr uint64_t kVector = 4096;
    sliceLength = fits > kVector ? fits / kVector * kVector : fits;
    return f.slopes.empty() || axes.size() > 1;
  }
  return false;
}
