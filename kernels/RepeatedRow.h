//===- RepeatedRow.h - Short rows that meet many others ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A vector of a few channels meets each pixel of an image: runs of 3 elements
// (Broadcast.h), each with the start of a vector loop. With the vector written
// as often as a chunk holds it, the same elements are runs of up to kChunk.
//
//   RepeatedRow repeated;
//   BroadcastShape shape = repeated.widen(p.shape, a, p.typeA, b, p.typeB);
//   forEachRun(shape, begin, end, ...); // of repeated.a and repeated.b
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REPEATEDROW_H
#define YARROW_KERNELS_REPEATEDROW_H

#include "kernels/Broadcast.h"

namespace yarrow::kernels {

class RepeatedRow {
public:
  const void *a = nullptr, *b = nullptr; ///< What the shape is of.

  /// The same operation in longer runs, if one operand is a short row under
  /// the whole other one; else as it is given. Elements have 8 bytes at most.
  BroadcastShape widen(const BroadcastShape &given, const void *as, DType typeA,
                       const void *bs, DType typeB) {
    a = as, b = bs;
    BroadcastShape s = mergedShape(given);
    uint32_t row = s.dims[s.rank - 1];
    if (s.rank != 2 || row > kChunk / 2)
      return given;
    if (repeats(s.strideB) && isDense(s.strideA, row)) {
      b = repeat(bs, row, dtypeBytes(typeB));
      setRows(s, row, s.strideA);
      return s;
    }
    if (repeats(s.strideA) && isDense(s.strideB, row)) {
      a = repeat(as, row, dtypeBytes(typeA));
      setRows(s, row, s.strideB);
      return s;
    }
    return given;
  }

private:
  static bool repeats(const int32_t *strides) {
    return strides[0] == 0 && strides[1] == 1;
  }
  static bool isDense(const int32_t *strides, uint32_t row) {
    return strides[0] == int32_t(row) && strides[1] == 1;
  }

  const void *repeat(const void *from, uint32_t row, uint32_t elementBytes) {
    auto *src = static_cast<const char *>(from);
    uint32_t rowBytes = row * elementBytes, end = kChunk / row * rowBytes;
    for (uint32_t i = 0; i < end; ++i)
      bytes[i] = i < rowBytes ? src[i] : bytes[i - rowBytes];
    return bytes;
  }
  /// The last row may go on behind the elements: whoever walks ends there.
  static void setRows(BroadcastShape &s, uint32_t row, int32_t *dense) {
    uint32_t rows = kChunk / row, whole = rows * row;
    s.dims[0] = (s.dims[0] + rows - 1) / rows;
    s.dims[1] = whole;
    dense[0] = int32_t(whole);
  }

  alignas(8) char bytes[kChunk * 8];
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REPEATEDROW_H
