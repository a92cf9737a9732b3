//===- LayerNormInt.cpp - Integer normalization to mean and variance ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/StripRuns.h"
#include "kernels/norm/LayerNormChunks.h"
#include "kernels/norm/LayerNormColumns.h"
#include "kernels/norm/LayerNormRows.h"
#include "kernels/norm/LayerNormSums.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// One group.
void normalizeRows(const Chunks &c, const NormBlock &block) {
  const LayerNormIntParams &p = c.p;
  GroupNumbers numbers = numbersOfRows(c, block);
  SameForAll<int32_t> offsets{numbers.offset}, gain{numbers.gain};
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
      x[i] += numbers.offset;
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
