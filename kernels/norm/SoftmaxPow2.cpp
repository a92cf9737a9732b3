//===- SoftmaxPow2.cpp - Softmax of powers of two by tables ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// FAST_EXP with adjust_q of 8 to 15 (docs/operators/norm.md, Softmax):
// exponents have so many fractional bits, the first eight of which look a
// fraction up.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/norm/Softmax.h"
#include "kernels/norm/SoftmaxRows.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// 2^(e / 2^fractionBits) with outBits bits behind the point; from table
/// entries of 15 bits. Of e >= -64 * 2^fractionBits and results below 2^32.
uint32_t pow2(int32_t e, int32_t fractionBits, int32_t outBits,
              const uint16_t *table) {
  int32_t index = (e & int32_t((1u << fractionBits) - 1)) >> (fractionBits - 8);
  int32_t right = 30 - outBits - (e >> fractionBits);
  uint32_t value = uint32_t(table[index]) << 15;
  if (right < 0)
    return value << -right;
  return right < 32 ? value >> right : 0;
}

/// log2(x / 2^inBits) of 0 < x < 2^31 with fractionBits bits behind the point.
int32_t log2Of(uint32_t x, int32_t inBits, int32_t fractionBits,
               const int16_t *table) {
  int32_t toBit30 = 30 - floorLog2(x);
  int32_t fraction = table[(x << toBit30 >> 22) & 255] >> (15 - fractionBits);
  return fraction - (toBit30 - (30 - inBits)) * (1 << fractionBits);
}

} // namespace

YARROW_KERNEL(yk_softmax_pow2_int, SoftmaxPow2Int) {
  const SoftmaxShape &s = p.shape;
  const auto *powers = static_cast<const uint16_t *>(buffers.pow2Table());
  const auto *logarithms = static_cast<const int16_t *>(buffers.log2Table());
  int32_t outBits = int32_t(dtypeBytes(p.outType)) * 8;
  int32_t right =
              p.inputShift > p.fractionBits ? p.inputShift - p.fractionBits : 0,
          left =
              p.inputShift < p.fractionBits ? p.fractionBits - p.inputShift : 0;
  // Powers below 2^-63 are 0 in all their bits, so that 32 bits hold exponents.
  int64_t least = -(int64_t(64) << p.fractionBits);
  forEachRow(s, task, taskCount, [&](const Row &row) {
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk];
    // A difference has 17 bits, a scale 16, a shift to the left at most 15.
    auto loadExponents = [&](uint32_t i, uint32_t n) {
      loadRowChunk(p.inType, buffers.input(), row, i, n, x);
      for (uint32_t k = 0; k < n; ++k) {
        int64_t e = (int64_t(x[k] - top) * p.inputScale >> right) *
                    (int64_t(1) << left);
        x[k] = int32_t(e > least ? e : least);
      }
    };
    int64_t sum = 0;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExponents(i, n);
      for (uint32_t k = 0; k < n; ++k)
        sum += pow2(x[k], p.fractionBits, p.pow2OutQ, powers);
    });
    int32_t logOfSum = log2Of(uint32_t(clamp<int64_t>(sum, 1, INT32_MAX)),
                              p.pow2OutQ, p.fractionBits, logarithms);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExponents(i, n);
      for (uint32_t k = 0; k < n; ++k)
        x[k] = int32_t(clamp<int64_t>(
            pow2(x[k] - logOfSum, p.fractionBits, outBits, powers), p.lo,
            p.hi));
      storeRowChunk(p.outType, buffers.output(), row, i, n, x);
    });
  });
}
