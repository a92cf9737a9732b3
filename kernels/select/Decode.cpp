//===- Decode.cpp - Lists whose length depends on data --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/WideElements.h"
#include "kernels/indexing/Indices.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

void storeLimited(DType type, void *to, int64_t at, uint32_t value,
                  int32_t most) {
  int32_t stored = value < uint32_t(most) ? int32_t(value) : most;
  storeI32(type, to, at, 1, &stored);
}

/// Calls fn(row, candidate) for the hits of pairs [begin, end), which are true
/// classes in row-major order.
template <typename Fn>
void forEachHit(const AccidentalHitsParams &p, const void *classes,
                const void *candidates, uint32_t begin, uint32_t end, Fn fn) {
  for (uint32_t pair = begin; pair < end; ++pair) {
    int64_t wanted;
    loadI64(p.classType, classes, pair, 1, &wanted);
    forEachChunk(0, p.candidates, [&](uint32_t first, uint32_t n) {
      int64_t x[kChunk];
      int32_t hits = 0;
      loadI64(p.candidateType, candidates, first, n, x);
      for (uint32_t i = 0; i < n; ++i)
        hits |= x[i] == wanted;
      for (uint32_t i = 0; hits && i < n; ++i)
        if (x[i] == wanted)
          fn(pair / p.trues, first + i);
    });
  }
}

} // namespace

YARROW_KERNEL(yk_ctc_merge, CtcMerge) {
  Share share = shareOf(p.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    int64_t length = loadIndex(p.lengthType, buffers.lengths(), row);
    uint32_t steps =
        length > 0 && length < p.steps ? uint32_t(length) : p.steps;
    int64_t first = int64_t(row) * p.capacity;
    uint32_t count = 0;
    int32_t before = -1;
    forEachChunk(0, steps, [&](uint32_t i, uint32_t n) {
      int32_t best[kChunk];
      loadI32(DType::I32, buffers.best(), int64_t(row) * p.steps + i, n, best);
      for (uint32_t k = 0; k < n; ++k) {
        bool isRepeated = p.merges && best[k] == before;
        before = best[k];
        if (isRepeated || best[k] == p.blank || count == p.capacity)
          continue;
        storeLimited(p.outType, buffers.output(), first + count,
                     uint32_t(best[k]), p.fill);
        ++count;
      }
    });
    for (; count < p.capacity; ++count)
      storeI32(p.outType, buffers.output(), first + count, 1, &p.fill);
  }
}

YARROW_KERNEL(yk_accidental_hits, AccidentalHits) {
  Share share = shareOf(p.rows * p.trues, task, taskCount);
  uint32_t count = 0;
  auto countHits = [&](uint32_t, uint32_t) { ++count; };
  forEachHit(p, buffers.classes(), buffers.candidates(), 0, share.begin,
             countHits);
  forEachHit(p, buffers.classes(), buffers.candidates(), share.begin, share.end,
             [&](uint32_t row, uint32_t candidate) {
               if (count < p.capacity) {
                 storeLimited(p.rowType, buffers.hits(), count, row, p.mostRow);
                 storeLimited(p.idType, buffers.ids(), count, candidate,
                              p.mostId);
               }
               ++count;
             });
  if (task + 1 < taskCount)
    return;
  count = count < p.capacity ? count : p.capacity;
  storeLimited(p.countType, buffers.count(), 0, count, p.mostCount);
  for (uint32_t k = count; k < p.capacity; ++k) {
    storeLimited(p.rowType, buffers.hits(), k, 0, 0);
    storeLimited(p.idType, buffers.ids(), k, 0, 0);
  }
}
