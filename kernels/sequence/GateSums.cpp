//===- GateSums.cpp - Sums of products, requantized by column -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/GateSums.h"
#include "kernels/Epilogue.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_gate_sums_int, GateSums) {
  IntEpilogue epilogue(p.requant, buffers.scale(), buffers.shift());
  auto *a = static_cast<const int32_t *>(buffers.a());
  auto *b = static_cast<const int32_t *>(buffers.b());
  Share share = shareOf(p.rows * p.columns, task, taskCount);
  for (uint32_t i = share.begin, n; i < share.end; i += n) {
    uint32_t row = i / p.columns, column = i % p.columns;
    n = p.columns - column < share.end - i ? p.columns - column : share.end - i;
    n = n < kChunk ? n : kChunk;
    const int32_t *as = a + int64_t(row) * p.strideA + column;
    int64_t acc[kChunk]; // sums of two have 33 bits
    for (uint32_t k = 0; k < n; ++k)
      acc[k] = as[k];
    if (b) {
      const int32_t *bs = b + int64_t(row) * p.strideB + column;
      for (uint32_t k = 0; k < n; ++k)
        acc[k] += bs[k];
    }
    epilogue.store(acc, n, column, i, buffers.output());
  }
}
