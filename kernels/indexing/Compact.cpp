//===- Compact.cpp - What is kept, one after the other --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/indexing/Flags.h"
#include "kernels/indexing/Indexing.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

uint32_t countFlags(DType type, const void *src, uint32_t begin, uint32_t end) {
  uint32_t count = 0;
  forEachChunk(begin, end, [&](uint32_t i, uint32_t n) {
    int32_t flags[kChunk];
    loadFlags(type, src, i, n, flags);
    for (uint32_t lane = 0; lane < n; ++lane)
      count += uint32_t(flags[lane]);
  });
  return count;
}

/// Calls fn(element, k) for the elements of [begin, end) that are not 0, of
/// which `k` are before.
template <typename Fn>
void forEachFlag(DType type, const void *src, uint32_t begin, uint32_t end,
                 uint32_t k, Fn fn) {
  forEachChunk(begin, end, [&](uint32_t i, uint32_t n) {
    int32_t flags[kChunk], any = 0;
    loadFlags(type, src, i, n, flags);
    for (uint32_t lane = 0; lane < n; ++lane)
      any |= flags[lane];
    for (uint32_t lane = 0; any && lane < n; ++lane)
      if (flags[lane])
        fn(i + lane, k++);
  });
}

} // namespace

YARROW_KERNEL(yk_compress, Compress) {
  uint32_t rowBytes = p.inner * p.elemBytes;
  uint32_t kept =
      countFlags(p.conditionType, buffers.condition(), 0, p.conditions);
  kept = kept < p.capacity ? kept : p.capacity;
  auto *in = static_cast<const uint8_t *>(buffers.input());
  auto *out = static_cast<uint8_t *>(buffers.output());
  // A task has rows [begin, end) of outer * capacity.
  Share share = shareOf(p.outer * p.capacity, task, taskCount);
  auto owns = [&](uint32_t row) {
    return row >= share.begin && row < share.end;
  };
  forEachFlag(p.conditionType, buffers.condition(), 0, p.conditions, 0,
              [&](uint32_t slice, uint32_t k) {
                for (uint32_t o = 0; k < kept && o < p.outer; ++o) {
                  uint32_t row = o * p.capacity + k;
                  if (owns(row))
                    __builtin_memcpy(out + int64_t(row) * rowBytes,
                                     in + (int64_t(o) * p.axis + slice) *
                                              rowBytes,
                                     rowBytes);
                }
              });
  for (uint32_t o = 0; o < p.outer; ++o)
    for (uint32_t k = kept; k < p.capacity; ++k)
      if (uint32_t row = o * p.capacity + k; owns(row))
        for (uint32_t i = 0; i < p.inner; ++i)
          __builtin_memcpy(out + int64_t(row) * rowBytes + i * p.elemBytes,
                           p.fill, p.elemBytes);
}

YARROW_KERNEL(yk_non_zero, NonZero) {
  uint32_t elements = 1;
  for (uint32_t d = 0; d < p.rank; ++d)
    elements *= p.dims[d];
  auto store = [](DType type, void *to, int64_t at, int32_t value,
                  int32_t most) {
    value = value < most ? value : most;
    storeI32(type, to, at, 1, &value);
  };
  Share share = shareOf(elements, task, taskCount);
  uint32_t before = countFlags(p.inType, buffers.input(), 0, share.begin);
  forEachFlag(p.inType, buffers.input(), share.begin, share.end, before,
              [&](uint32_t element, uint32_t k) {
                for (uint32_t d = p.rank; k < p.capacity && d-- > 0;) {
                  store(p.indexType, buffers.places(),
                        int64_t(d) * p.capacity + k,
                        int32_t(element % p.dims[d]), p.mostIndex);
                  element /= p.dims[d];
                }
              });
  if (task + 1 < taskCount)
    return;
  uint32_t count =
      before + countFlags(p.inType, buffers.input(), share.begin, share.end);
  count = count < p.capacity ? count : p.capacity;
  store(p.countType, buffers.count(), 0, int32_t(count), p.mostCount);
  for (uint32_t d = 0; d < p.rank; ++d)
    for (uint32_t k = count; k < p.capacity; ++k)
      store(p.indexType, buffers.places(), int64_t(d) * p.capacity + k, 0, 0);
}
