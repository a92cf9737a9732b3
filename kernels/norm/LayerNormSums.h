//===- LayerNormSums.h - Mean and gain of a group of rows -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   GroupNumbers numbers = numbersOfRows(chunks, block);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LAYERNORMSUMS_H
#define YARROW_KERNELS_NORM_LAYERNORMSUMS_H

#include "kernels/StripRuns.h"
#include "kernels/norm/LayerNormChunks.h"

namespace yarrow::kernels {

/// What the values of a group are normalised with: d = q + offset, and g.
struct GroupNumbers {
  int32_t offset, gain;
};

/// The sum of n neighbours, at most a chunk.
inline int64_t sumOf(const Chunks &c, int64_t element, uint32_t n) {
  if (isSmall(c.p)) {
    // In the strips of the other walks: of a short row, they stay loaded.
    Strip<int16_t> sums{}, x;
    withByte(c.p.inType, [&](auto zero) {
      forEachStrip(0, n, [&](uint32_t i, auto size) {
        loadStrip<decltype(zero)>(c.input(), element + i, size, x);
        sums += x;
      });
    });
    return __builtin_reduce_add(__builtin_convertvector(sums, Strip<int32_t>));
  }
  int32_t x[kChunk], sum = 0; // 7 + 16 bits
  c.load(element, n, x);
  for (uint32_t i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}

/// The same of (x + offset)^2.
inline int64_t squaresOf(const Chunks &c, int32_t offset, int64_t element,
                         uint32_t n) {
  if (isSmall(c.p)) {
    int32_t sum = 0; // 7 + 18 bits
    withByte(c.p.inType, [&](auto zero) {
      sum = squaresOfRun<decltype(zero)>(c.input(), element, n, offset);
    });
    return sum;
  }
  int32_t x[kChunk];
  int64_t sum = 0;
  c.load(element, n, x);
  for (uint32_t i = 0; i < n; ++i)
    sum += int64_t(x[i] + offset) * (x[i] + offset);
  return sum;
}

inline GroupNumbers numbersOfRows(const Chunks &c, const NormBlock &block) {
  const LayerNormIntParams &p = c.p;
  double terms = block.terms();
  int32_t offset = p.inZp;
  if (subtractsMean(p)) {
    int64_t sum = 0;
    block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
      sum += sumOf(c, element, n);
    });
    offset = -meanOf(sum, terms);
  }
  int64_t squares = 0;
  block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
    squares += squaresOf(c, offset, element, n);
  });
  return {offset, gainOf(p, squares, terms, c.table())};
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LAYERNORMSUMS_H
