//===- GemmSum.cpp - Matrix product plus a matrix -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/conv/Gemm.h"
#include "kernels/conv/MatMulLoop.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Calls fn(first, i, n) for the runs of C that meet n columns from `column`
/// on: elements first ... of C belong to columns i ... of them.
template <typename Fn>
void forEachRunOfC(const GemmAddend &c, uint32_t row, uint32_t column,
                   uint32_t n, Fn fn) {
  int64_t line = int64_t(row % c.rows) * c.columns;
  for (uint32_t i = 0, run; i < n; i += run) {
    uint32_t at = (column + i) % c.columns;
    run = c.columns - at < n - i ? c.columns - at : n - i;
    fn(line + at, i, run);
  }
}

/// clip(RNE(sum * scale / 2^shift) - zp, lo, hi) for shift >= 32 and any sum:
/// the product has up to 80 bits, of which those below 2^32 decide ties alone.
void requantizeWide(const int64_t *sum, uint32_t n, const Requant &r,
                    int32_t *out) {
  // 2 bits are kept behind the point of the upper part.
  RoundShift s = makeRoundShift(r.shift - 30);
  for (uint32_t i = 0; i < n; ++i) {
    uint64_t low = (uint64_t(sum[i]) & 0xffffffffu) * uint32_t(r.scale);
    int64_t high = (sum[i] >> 32) * r.scale + int64_t(low >> 32);
    uint32_t rest = uint32_t(low);
    int64_t fine = high * 4 + (rest >> 31) * 2 + ((rest << 1) != 0);
    int64_t y = roundShiftHalfEven(fine, s) - r.zp;
    out[i] = int32_t(clamp<int64_t>(y, r.lo, r.hi));
  }
}

int64_t magnitude(int32_t v) { return v < 0 ? -int64_t(v) : v; }

} // namespace

YARROW_KERNEL(yk_gemm_int, GemmInt) {
  IntEpilogue epilogue(p.product.requant); // without an activation
  const Requant &r = p.product.requant;
  bool isWide = r.shift >= 32;
  // The product stays below 2^62 and C's part below 2^17 * 2^31, so that the
  // sum fits. A sum that does not fit 64 bits together with the multiplier
  // saturates the result, too, unless the shift is large.
  constexpr int64_t kHalf = int64_t(1) << 62;
  int64_t scale = magnitude(p.scaleProduct), m = r.scale;
  int64_t mostProduct = kHalf / (scale ? scale : 1);
  int64_t mostSum = isWide ? INT64_MAX : kHalf / (m ? m : 1);
  auto store = [&](int64_t *acc, uint32_t row, uint32_t column, uint32_t n,
                   int64_t element) {
    int32_t c[kChunk];
    forEachRunOfC(p.c, row, column, n,
                  [&](int64_t first, uint32_t i, uint32_t run) {
                    loadI32(p.c.type, buffers.c(), first, run, c + i);
                  });
    for (uint32_t i = 0; i < n; ++i) {
      int64_t sum = clamp(acc[i], -mostProduct, mostProduct) * p.scaleProduct +
                    (int64_t(c[i]) + p.zpC) * p.scaleC;
      acc[i] = clamp(sum, -mostSum, mostSum);
    }
    if (isWide) {
      requantizeWide(acc, n, r, c);
      storeI32(r.outType, buffers.output(), element, n, c);
    } else {
      epilogue.store(acc, n, 0, element, buffers.output());
    }
  };
  forEachProduct(p.product, buffers.a(), buffers.b(), task, taskCount, store);
}

YARROW_KERNEL(yk_gemm_float, GemmFloat) {
  auto store = [&](float *acc, uint32_t row, uint32_t column, uint32_t n,
                   int64_t element) {
    for (uint32_t i = 0; i < n; ++i)
      acc[i] *= p.alpha;
    if (buffers.c()) {
      float c[kChunk];
      forEachRunOfC(p.c, row, column, n,
                    [&](int64_t first, uint32_t i, uint32_t run) {
                      loadF32(p.c.type, buffers.c(), first, run, c + i);
                    });
      for (uint32_t i = 0; i < n; ++i)
        acc[i] += p.beta * c[i];
    }
    storeF32(p.product.outType, buffers.output(), element, n, acc);
  };
  forEachProduct(p.product, buffers.a(), buffers.b(), task, taskCount, store);
}
