//===- LayerNormInt.cpp - Integer normalization to mean and variance ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/StripRuns.h"
#include "kernels/norm/LayerNormChunks.h"
#include "kernels/norm/LayerNormColumns.h"
#include "kernels/norm/LayerNormRows.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The sum of n neighbours, at most a chunk.
int64_t sumOf(const Chunks &c, int64_t element, uint32_t n) {
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
int64_t squaresOf(const Chunks &c, int32_t offset, int64_t element,
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

/// One group.
void normalizeRows(const Chunks &c, const NormBlock &block) {
  const LayerNormIntParams &p = c.p;
  double terms = block.terms();
  int32_t offset = p.inZp; // d = x + offset
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
  SameForAll<int32_t> offsets{offset};
  SameForAll<int32_t> gain{gainOf(p, squares, terms, c.table())};
  bool smallGain = isSmallGain(p, gain.value);
  if (c.areStrips() && smallGain)
    return block.forEachOwnChunk(
        [&](int64_t element, uint32_t n, uint32_t affine) {
          c.storeStrips(offsets, gain, element, n, affine);
        });
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t affine) {
    int32_t x[kChunk];
    c.load(element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] += offset;
    c.store(x, gain, smallGain, element, n, affine);
  });
}

/// Rows one by one, where a gain is too large for LayerNormRows.
[[gnu::cold, gnu::noinline]] void normalizeEach(const LayerNormIntParams &p,
                                                LayerNormIntBuffers buffers,
                                                uint32_t begin, uint32_t end) {
  Chunks chunks(p, buffers);
  for (uint32_t i = begin; i < end; ++i)
    normalizeRows(chunks, NormBlock(p.shape, placeOf(p.shape.kept, i),
                                    /*columns=*/0, {0, 1}));
}

/// The task's rows, where LayerNormRows fit.
void normalizeShortRows(const LayerNormIntParams &p,
                        LayerNormIntBuffers buffers, Share share) {
  LayerNormRows norm(p, buffers);
  for (uint32_t i = share.begin; i < share.end; i += kRowLanes) {
    uint32_t n = share.end - i < kRowLanes ? share.end - i : kRowLanes;
    RowGains rows;
    if (!norm.measure(i, n, rows)) // a table of its own
      return normalizeEach(p, buffers, i, share.end);
    norm.store(rows);
  }
}

} // namespace

YARROW_KERNEL(yk_layer_norm_int, LayerNormInt) {
  if (LayerNormRows::fit(p))
    return normalizeShortRows(p, buffers,
                              shareOf(countOf(p.shape.kept), task, taskCount));
  Chunks chunks(p, buffers);
  forEachBlock(p.shape, task, taskCount, [&](const NormBlock &block) {
    if (block.isColumns())
      normalizeColumns(chunks, buffers, block);
    else
      normalizeRows(chunks, block);
  });
}
