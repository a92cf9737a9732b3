//===- ColumnStrips.h - Columns of bytes, a strip at a time -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums over columns of bytes by whole strips, where each lane stays with one
// column: rows that follow each other, of which a strip holds several, or rows
// of whole strips.
//
//   if (ColumnStrips::fit(block, shape))
//     ColumnStrips(block, shape).sum<int8_t>(src, sums, squares);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_COLUMNSTRIPS_H
#define YARROW_KERNELS_NORM_COLUMNSTRIPS_H

#include "kernels/Strips.h"
#include "kernels/norm/NormLoops.h"

namespace yarrow::kernels {

class ColumnStrips {
public:
  ColumnStrips(const NormBlock &block, const NormShape &shape)
      : lanes(block.lanes()), first(block.firstElement()),
        stride(shape.reduced.strides[0]), runs(block.runs()) {}

  /// Whether the rows of a block follow each other, and a strip holds a whole
  /// number of them.
  static bool areDense(const NormBlock &block, const NormShape &shape) {
    return shape.reduced.rank == 1 && block.lanes() == shape.inner &&
           shape.reduced.strides[0] == shape.inner && kStrip % shape.inner == 0;
  }
  static bool fit(const NormBlock &block, const NormShape &shape) {
    return areDense(block, shape) ||
           (shape.reduced.rank == 1 && block.lanes() % kStrip == 0);
  }

  /// The sums of the stored values and of their squares, in one walk.
  template <typename T>
  void sum(const void *src, int64_t *sums, int64_t *squares) const {
    for (uint32_t i = 0; i < lanes; ++i)
      sums[i] = squares[i] = 0;
    if (lanes >= kStrip) {
      for (uint32_t lane = 0; lane < lanes; lane += kStrip)
        sumStrips<T>(src, runs, stride, first + lane, kStrip, sums + lane,
                     squares + lane);
      return;
    }
    uint32_t elements = runs * lanes, strips = elements / kStrip;
    sumStrips<T>(src, strips, kStrip, first, lanes, sums, squares);
    for (uint32_t i = strips * kStrip; i < elements; ++i) {
      int64_t x = static_cast<const T *>(src)[first + i];
      sums[i % lanes] += x;
      squares[i % lanes] += x * x;
    }
  }

  /// One value for each column as one for each lane of a strip, or of all.
  template <typename From, typename To>
  void spread(const From *columns, To *each) const {
    uint32_t count = lanes < kStrip ? kStrip : lanes;
    for (uint32_t i = 0; i < count; ++i)
      each[i] = To(columns[i % lanes]);
  }

private:
  /// Adds \p count strips, \p step elements from one to the next, to the
  /// columns that their lanes are of.
  template <typename T>
  static void sumStrips(const void *src, uint32_t count, uint32_t step,
                        int64_t element, uint32_t columns, int64_t *sums,
                        int64_t *squares) {
    constexpr uint32_t kMost = 128; // values of 2^8 at most, sums of 16 bits
    for (uint32_t done = 0; done < count;) {
      uint32_t end = count - done < kMost ? count : done + kMost;
      Strip<int16_t> part{};
      Strip<int32_t> squarePart{};
      for (; done < end; ++done, element += step) {
        Strip<int16_t> x;
        loadStrip<T>(src, element, WholeStrip(), x);
        part += x;
        auto wide = __builtin_convertvector(x, Strip<int32_t>);
        squarePart += wide * wide;
      }
      for (uint32_t i = 0; i < kStrip; ++i) {
        sums[i % columns] += part[i];
        squares[i % columns] += squarePart[i];
      }
    }
  }

  uint32_t lanes;
  int64_t first;
  uint32_t stride, runs;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_COLUMNSTRIPS_H
