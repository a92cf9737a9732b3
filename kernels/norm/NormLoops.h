//===- NormLoops.h - The loops of a normalization ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Normalizations differ in what they sum and how they use it. This header has
// their elements: a task has blocks, a block is one group of rows or a few
// groups of columns, and consists of chunks of neighbouring elements.
//
//   forEachBlock(p.shape, task, taskCount, [&](const NormBlock &b) {
//     b.forEachChunk([&](int64_t element, uint32_t n, uint32_t affine) {
//       ... all of the groups: sums ... });
//     b.forEachOwnChunk([&](...) { ... the results that are this task's ... });
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_NORMLOOPS_H
#define YARROW_KERNELS_NORM_NORMLOOPS_H

#include "kernels/Elements.h"
#include "kernels/norm/NormShape.h"

namespace yarrow::kernels {

inline uint32_t countOf(const NormAxes &axes) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < axes.rank; ++d)
    count *= axes.dims[d];
  return count;
}

/// An element and its weight.
struct NormPlace {
  int64_t element = 0;
  uint32_t affine = 0;
};

inline NormPlace placeOf(const NormAxes &axes, uint32_t index) {
  NormPlace place;
  for (uint32_t d = axes.rank; d-- > 0;) {
    uint32_t i = d ? index % axes.dims[d] : index;
    index = d ? index / axes.dims[d] : 0;
    place.element += int64_t(i) * axes.strides[d];
    place.affine += i * axes.affineStrides[d];
  }
  return place;
}

/// The same for every lane of a chunk: one group's value in a row.
template <typename T> struct SameForAll {
  T value;
  T operator[](uint32_t) const { return value; }
};

class NormBlock {
public:
  NormBlock(const NormShape &shape, NormPlace base, uint32_t columns,
            Share parts)
      : shape(shape), base(base), columns(columns),
        own{shareOf(chunks(), parts.begin, shape.parts).begin,
            shareOf(chunks(), parts.end - 1, shape.parts).end} {}

  bool isColumns() const { return shape.groupColumns != 0; }
  /// Lanes of a chunk of columns.
  uint32_t lanes() const { return columns; }
  /// Terms of each group.
  double terms() const {
    return double(runs()) *
           double(isColumns() ? shape.groupColumns : shape.inner);
  }

  /// The first element of each run of columns.
  template <typename Fn> void forEachRun(Fn fn) const {
    uint32_t count = runs();
    for (uint32_t run = 0; run < count; ++run)
      fn(base.element + placeOf(shape.reduced, run).element);
  }
  uint32_t runs() const { return countOf(shape.reduced); }
  int64_t firstElement() const { return base.element; }
  uint32_t firstAffine() const { return base.affine; }
  /// Of columns: the runs whose results are this task's.
  Share ownRuns() const { return own; }

  template <typename Fn> void forEachChunk(Fn fn) const {
    forChunks({0, chunks()}, fn);
  }
  template <typename Fn> void forEachOwnChunk(Fn fn) const {
    forChunks(own, fn);
  }

  /// Sums up the columns of each group; every column gets the sum of its group.
  template <typename T> void sumGroups(T *columnSums) const {
    uint32_t width = shape.groupColumns;
    if (width == 1)
      return;
    for (uint32_t first = 0; first < columns; first += width) {
      T sum = 0;
      for (uint32_t i = 0; i < width; ++i)
        sum += columnSums[first + i];
      for (uint32_t i = 0; i < width; ++i)
        columnSums[first + i] = sum;
    }
  }

private:
  uint32_t chunksPerRun() const {
    return isColumns() ? 1 : (shape.inner + kChunk - 1) / kChunk;
  }
  uint32_t chunks() const { return runs() * chunksPerRun(); }

  template <typename Fn> void forChunks(Share range, Fn fn) const {
    uint32_t perRun = chunksPerRun(), step = shape.innerAffineStride;
    for (uint32_t run = range.begin / perRun; run * perRun < range.end; ++run) {
      NormPlace place = placeOf(shape.reduced, run);
      int64_t element = base.element + place.element;
      uint32_t affine = base.affine + place.affine;
      if (isColumns()) {
        fn(element, columns, affine);
        continue;
      }
      uint32_t first = run * perRun < range.begin ? range.begin % perRun : 0;
      uint32_t last = range.end - run * perRun;
      uint32_t end = last < perRun ? last * kChunk : shape.inner;
      kernels::forEachChunk(first * kChunk, end, [&](uint32_t i, uint32_t n) {
        fn(element + i, n, affine + i * step);
      });
    }
  }

  const NormShape &shape;
  NormPlace base;
  uint32_t columns;
  Share own; // chunks whose results are this task's
};

/// Calls fn for the blocks that are the task's, or of which some results are.
template <typename Fn>
inline void forEachBlock(const NormShape &s, uint32_t task, uint32_t taskCount,
                         Fn fn) {
  uint32_t perKept =
      s.groupColumns ? (s.inner + s.blockColumns - 1) / s.blockColumns : 1;
  Share share = shareOf(countOf(s.kept) * perKept * s.parts, task, taskCount);
  for (uint32_t at = share.begin, next; at < share.end; at = next) {
    uint32_t block = at / s.parts, part = at % s.parts;
    uint32_t left = share.end - at;
    next = at + (s.parts - part < left ? s.parts - part : left);
    NormPlace base = placeOf(s.kept, block / perKept);
    uint32_t columns = 0;
    if (s.groupColumns) {
      uint32_t first = block % perKept * s.blockColumns;
      base.element += first;
      base.affine += first * s.innerAffineStride;
      columns =
          s.inner - first < s.blockColumns ? s.inner - first : s.blockColumns;
    }
    fn(NormBlock(s, base, columns, {part, part + (next - at)}));
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_NORMLOOPS_H
