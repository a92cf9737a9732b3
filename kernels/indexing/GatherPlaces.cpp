//===- GatherPlaces.cpp - Reading at indices of several axes --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/ElementSize.h"
#include "kernels/indexing/Indexing.h"
#include "kernels/indexing/Indices.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

template <typename T>
void gatherLoop(const void *src, const int32_t *at, uint32_t n, void *dst,
                int64_t to) {
  const T *from = static_cast<const T *>(src);
  T *out = static_cast<T *>(dst) + to;
  for (uint32_t i = 0; i < n; ++i)
    out[i] = from[at[i]];
}

/// dst[to + i] = src[at[i]], elements of any size.
void gatherChunk(uint32_t elemBytes, const void *src, const int32_t *at,
                 uint32_t n, void *dst, int64_t to) {
  withElement(elemBytes, [&](auto zero) {
    gatherLoop<decltype(zero)>(src, at, n, dst, to);
  });
}

} // namespace

YARROW_KERNEL(yk_gather_elements, GatherElements) {
  uint32_t rows = 1, width = p.rank ? p.dims[p.rank - 1] : 1;
  for (uint32_t d = 0; d + 1 < p.rank; ++d)
    rows *= p.dims[d];
  int32_t step = p.rank ? p.strides[p.rank - 1] : 0;
  Share share = shareOf(rows * width, task, taskCount);
  for (uint32_t out = share.begin, n; out < share.end; out += n) {
    uint32_t column = out % width, rest = out / width;
    n = width - column < share.end - out ? width - column : share.end - out;
    n = n < kChunk ? n : kChunk;
    int32_t base = int32_t(column) * step;
    for (uint32_t d = p.rank; d-- > 1;) {
      base += int32_t(rest % p.dims[d - 1]) * p.strides[d - 1];
      rest /= p.dims[d - 1];
    }
    int32_t at[kChunk];
    loadIndices(p.indexType, buffers.indices(), out, n, at);
    int32_t last = p.axisSize - 1;
    for (uint32_t i = 0; i < n; ++i) {
      int32_t index = at[i] < 0 ? at[i] + p.axisSize : at[i];
      index = index < 0 || index > last ? last : index;
      at[i] = base + int32_t(i) * step + index * p.axisStride;
    }
    gatherChunk(p.elemBytes, buffers.input(), at, n, buffers.output(), out);
  }
}

YARROW_KERNEL(yk_gather_nd, GatherND) {
  int32_t perBatch = 1;
  for (uint32_t d = 0; d < p.rank; ++d)
    perBatch *= int32_t(p.dims[d]);
  uint32_t rowBytes = p.inner * p.elemBytes;
  Share share = shareOf(p.batch * p.places, task, taskCount);
  for (uint32_t row = share.begin, n; row < share.end; row += n) {
    uint32_t place = row % p.places;
    n = p.places - place < share.end - row ? p.places - place : share.end - row;
    n = n < kChunk ? n : kChunk;
    // Places as numbers in the order of memory.
    int32_t at[kChunk], index[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      at[i] = 0;
    for (uint32_t d = 0; d < p.rank; ++d) {
      loadIndices(p.indexType, buffers.indices(), int64_t(row) * p.rank + d, n,
                  index, p.rank);
      wrapIndices(index, n, int32_t(p.dims[d]));
      for (uint32_t i = 0; i < n; ++i)
        at[i] = at[i] * int32_t(p.dims[d]) + index[i];
    }
    auto *from = static_cast<const uint8_t *>(buffers.input()) +
                 int64_t(row / p.places) * perBatch * rowBytes;
    if (p.inner == 1) {
      gatherChunk(p.elemBytes, from, at, n, buffers.output(), row);
      continue;
    }
    auto *to =
        static_cast<uint8_t *>(buffers.output()) + int64_t(row) * rowBytes;
    for (uint32_t i = 0; i < n; ++i)
      __builtin_memcpy(to + int64_t(i) * rowBytes,
                       from + int64_t(at[i]) * rowBytes, rowBytes);
  }
}
