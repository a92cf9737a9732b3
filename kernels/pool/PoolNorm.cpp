//===- PoolNorm.cpp - Norms of windows in integers ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/activation/Lookup.h"
#include "kernels/pool/PoolCells.h"
#include "kernels/pool/PoolMore.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Sums are clipped to 32 bits without a sign.
constexpr int64_t kMostSum = 0xffffffff;

} // namespace

YARROW_KERNEL(yk_pool_norm_int, PoolNormInt) {
  const PoolShape &s = p.shape;
  bool isL2 = s.method == PoolMethod::L2;
  auto norm = [&](uint32_t out, uint32_t c, uint32_t n) {
    int32_t x[kChunk];
    // |x + zp| < 2^17, so squares have 34 bits and a window up to 2^29 cells.
    int64_t sum[kChunk] = {};
    forEachCell(s, out, [&](int64_t cell) {
      loadI32(p.inType, buffers.input(), cell + c, n, x);
      for (uint32_t i = 0; i < n; ++i) {
        int64_t v = int64_t(x[i]) + p.inZp;
        sum[i] += isL2 ? v * v : v < 0 ? -v : v;
      }
    });
    for (uint32_t i = 0; i < n; ++i)
      sum[i] = sum[i] > kMostSum ? kMostSum : sum[i];
    requantizeChunk(sum, n, p.requant.scale, p.requant.shift, p.requant, x);
    if (isL2) {
      int32_t index[kChunk];
      for (uint32_t i = 0; i < n; ++i)
        index[i] = x[i];
      lookup(index, n, p.tableType, buffers.table(), /*inBits=*/16,
             p.log2TableSize, x);
    }
    storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n, x);
  };
  forEachChannelChunk(s, task, taskCount, norm);
}
