//===- OneHot.cpp - Indices as vectors that are on at one place -----------===//
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

/// Rows of depth neighbours: off everywhere, then on at the index.
template <typename T>
void fillRows(const OneHotParams &p, const void *indices, Share rows, T on,
              T off, T *output) {
  for (int64_t i = int64_t(rows.begin) * p.depth,
               end = int64_t(rows.end) * p.depth;
       i < end; ++i)
    output[i] = off;
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    int64_t index = loadIndex(p.indexType, indices, row);
    if (index >= 0 && index < p.depth)
      output[int64_t(row) * p.depth + index] = on;
  }
}

/// Rows of inner neighbours, each of one (outer, depth).
template <typename T>
void comparePlanes(const OneHotParams &p, const void *indices, Share planes,
                   T on, T off, T *output) {
  for (uint32_t plane = planes.begin; plane < planes.end; ++plane) {
    int64_t from = int64_t(plane / p.depth) * p.inner;
    int32_t depth = int32_t(plane % p.depth);
    T *to = output + int64_t(plane) * p.inner;
    forEachChunk(0, p.inner, [&](uint32_t i, uint32_t n) {
      int32_t index[kChunk];
      loadIndices(p.indexType, indices, from + i, n, index);
      for (uint32_t lane = 0; lane < n; ++lane)
        to[i + lane] = index[lane] == depth ? on : off;
    });
  }
}

} // namespace

YARROW_KERNEL(yk_one_hot, OneHot) {
  withElement(p.elemBytes, [&](auto zero) {
    using T = decltype(zero);
    T on = 0, off = 0, *output = static_cast<T *>(buffers.output());
    __builtin_memcpy(&on, p.on, sizeof(T));
    __builtin_memcpy(&off, p.off, sizeof(T));
    if (p.inner == 1)
      fillRows(p, buffers.indices(), shareOf(p.outer, task, taskCount), on, off,
               output);
    else
      comparePlanes(p, buffers.indices(),
                    shareOf(p.outer * p.depth, task, taskCount), on, off,
                    output);
  });
}
