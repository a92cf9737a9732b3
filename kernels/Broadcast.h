//===- Broadcast.h - Walking over broadcast operands ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A broadcast operation is a sequence of runs: up to kChunk consecutive output
// elements along the innermost dimension, over which both operands advance by
// one stride each. Where dimensions that behave as one are merged before, an
// operation without broadcasting is one long run.
//
//   BroadcastShape shape = mergedShape(given);
//   forEachRun(shape, begin, end, [&](const Run &r) { ... r.a, r.strideA, r.n
//   ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_BROADCAST_H
#define YARROW_KERNELS_BROADCAST_H

#include "kernels/Elements.h"
#include "kernels/Params.h"

namespace yarrow::kernels {

inline uint32_t elementCount(const BroadcastShape &s) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < s.rank; ++d)
    count *= s.dims[d];
  return count;
}

/// The same operation without dimensions of size 1 and with neighbours merged
/// whose strides continue each other. At least rank 1.
inline BroadcastShape mergedShape(const BroadcastShape &s) {
  BroadcastShape m;
  for (uint32_t d = 0; d < s.rank; ++d) {
    if (s.dims[d] == 1)
      continue;
    uint32_t last = m.rank - 1;
    int32_t size = int32_t(s.dims[d]);
    if (m.rank && m.strideA[last] == s.strideA[d] * size &&
        m.strideB[last] == s.strideB[d] * size) {
      m.dims[last] *= s.dims[d];
      m.strideA[last] = s.strideA[d];
      m.strideB[last] = s.strideB[d];
      continue;
    }
    m.dims[m.rank] = s.dims[d];
    m.strideA[m.rank] = s.strideA[d];
    m.strideB[m.rank] = s.strideB[d];
    ++m.rank;
  }
  if (m.rank == 0) {
    m.rank = 1;
    m.dims[0] = 1;
  }
  return m;
}

struct Run {
  int64_t a = 0, b = 0; // first element of each operand
  int32_t strideA = 0, strideB = 0;
  uint32_t out = 0, n = 0;
};

/// Calls fn for the runs that make up output elements [begin, end) of a shape
/// of at least rank 1.
template <uint32_t MaxRun = kChunk, typename Fn>
inline void forEachRun(const BroadcastShape &s, uint32_t begin, uint32_t end,
                       Fn fn) {
  uint32_t inner = s.rank - 1, row = s.dims[inner];
  Run r;
  r.strideA = s.strideA[inner];
  r.strideB = s.strideB[inner];
  for (r.out = begin; r.out < end; r.out += r.n) {
    uint32_t rest = r.out / row, column = r.out % row;
    r.a = int64_t(column) * r.strideA;
    r.b = int64_t(column) * r.strideB;
    for (uint32_t d = inner; d-- > 0;) {
      uint32_t i = rest % s.dims[d];
      rest /= s.dims[d];
      r.a += int64_t(i) * s.strideA[d];
      r.b += int64_t(i) * s.strideB[d];
    }
    r.n = row - column < end - r.out ? row - column : end - r.out;
    r.n = r.n < MaxRun ? r.n : MaxRun;
    fn(static_cast<const Run &>(r));
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_BROADCAST_H
