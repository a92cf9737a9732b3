//===- GateSums.cpp - Sums of products, requantized by column -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/GateSums.h"
#include "kernels/Epilogue.h"
#include "kernels/StripRequant.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The sums of the n columns from `column` on; of a row of b too, if there is
/// one.
void addStrips(const GateSumsParams &p, const StripSums &requant,
               const int32_t *as, const int32_t *bs, uint32_t column,
               uint32_t n, void *output, int64_t element) {
  forEachStrip(0, n, [&](uint32_t i, auto size) {
    Strip<int64_t> sums, more; // sums of two have 33 bits
    Strip<int32_t> y;
    loadStrip<int32_t>(as, i, size, sums);
    if (bs) {
      loadStrip<int32_t>(bs, i, size, more);
      sums += more;
    }
    requant.apply(sums, column + i, /*step=*/1, size, y);
    storeStrip(p.requant.outType, y, size, output, element + i);
  });
}

} // namespace

YARROW_KERNEL(yk_gate_sums_int, GateSums) {
  IntEpilogue epilogue(p.requant, buffers.scale(), buffers.shift());
  auto *a = static_cast<const int32_t *>(buffers.a());
  auto *b = static_cast<const int32_t *>(buffers.b());
  StripSums requant(p.requant, buffers.scale(), buffers.shift());
  bool areStrips = requant.fits(p.columns);
  Share share = shareOf(p.rows * p.columns, task, taskCount);
  for (uint32_t i = share.begin, n; i < share.end; i += n) {
    uint32_t row = i / p.columns, column = i % p.columns;
    n = p.columns - column < share.end - i ? p.columns - column : share.end - i;
    const int32_t *as = a + int64_t(row) * p.strideA + column;
    const int32_t *bs = b ? b + int64_t(row) * p.strideB + column : nullptr;
    if (areStrips) {
      addStrips(p, requant, as, bs, column, n, buffers.output(), i);
      continue;
    }
    n = n < kChunk ? n : kChunk;
    int64_t acc[kChunk];
    for (uint32_t k = 0; k < n; ++k)
      acc[k] = int64_t(as[k]) + (bs ? bs[k] : 0);
    epilogue.store(acc, n, column, i, buffers.output());
  }
}
