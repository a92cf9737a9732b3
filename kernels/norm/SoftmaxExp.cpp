//===- SoftmaxExp.cpp - Softmax of powers of two --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/norm/Softmax.h"
#include "kernels/norm/SoftmaxExpLanes.h"
#include "kernels/norm/SoftmaxRows.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// 2^e, 0 for negative e; the numerator and the result of FAST_EXP.
int64_t pow2(int64_t e) { return e < 0 ? 0 : int64_t(1) << (e < 62 ? e : 62); }

/// Rows of bytes whose exponents fit 28 bits.
bool areExpStrips(const SoftmaxExpParams &p) {
  int64_t most = int64_t(1) << 28;
  return p.shape.inner == 1 && isByte(p.inType) && isByte(p.outType) &&
         p.inputScale >= 0 && 255 * int64_t(p.inputScale) < most &&
         p.inputShift >= 0 && p.inputShift <= 31 && p.pow2OutQ >= 0 &&
         p.pow2OutQ <= 30 && (p.adjustQ | 1) == 1 && p.hi <= 1 << 30;
}

/// e = pow2(e) of exponents of at most 30.
void raise2(Strip<int32_t> &e) {
  // Half of twice 2^e, which for e < 0 is half of 1: 0.
  Strip<int32_t> more = __builtin_elementwise_max(e + 1, Strip<int32_t>{});
  Strip<uint32_t> twice = (Strip<uint32_t>{} + 1u)
                          << __builtin_convertvector(more, Strip<uint32_t>);
  e = __builtin_convertvector(twice >> 1, Strip<int32_t>);
}

/// What is taken off the exponents for a sum: its log2, in half steps if
/// adjustQ is 1.
int32_t logOfExpSum(const SoftmaxExpParams &p, int64_t sum) {
  sum = clamp<int64_t>(sum, 1, INT32_MAX);
  int32_t toBit30 = 30 - floorLog2(uint64_t(sum));
  // Above 2^30 * sqrt(2) counts half.
  int32_t half = p.adjustQ && (sum << toBit30) > 1518500250;
  return half - (toBit30 - (30 - p.pow2OutQ)) * (1 << p.adjustQ);
}

template <typename Byte>
void expRow(const SoftmaxExpParams &p, const void *input, const Row &row,
            void *output) {
  uint32_t axis = p.shape.axis;
  int32_t top = greatestOf<Byte>(input, row.first, axis);
  int32_t outBits = int32_t(dtypeBytes(p.outType)) * 8;
  auto loadExponents = [&](uint32_t i, auto size, Strip<int32_t> &x) {
    loadStrip<Byte>(input, row.first + i, size, x);
    x = (x - top) * p.inputScale >> p.inputShift;
  };
  Strip<int64_t> sums{};
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<int32_t> e;
    loadExponents(i, size, e);
    e += p.pow2OutQ;
    raise2(e);
    fillBeyond(e, size, 0);
    sums += __builtin_convertvector(e, Strip<int64_t>);
  });
  int32_t log2Sum = logOfExpSum(p, __builtin_reduce_add(sums));
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<int32_t> x;
    loadExponents(i, size, x);
    x = ((x + outBits) * (1 << p.adjustQ) - log2Sum) >> p.adjustQ;
    x = __builtin_elementwise_min(x, Strip<int32_t>{} + 30);
    raise2(x);
    limitStrip(x, 0, p.lo, p.hi);
    storeStrip<uint8_t>(x, size, output, row.first + i);
  });
}

template <typename Byte>
[[gnu::cold, gnu::noinline]] void fewExpRows(const SoftmaxExpParams &p,
                                             const void *input, void *output,
                                             Share rows) {
  for (uint32_t i = rows.begin; i < rows.end; ++i)
    expRow<Byte>(p, input, Row{int64_t(i) * p.shape.axis, 1}, output);
}

/// Short rows, as many at once as a strip has lanes.
template <typename Byte>
void shortExpRows(const SoftmaxExpParams &p, const void *input, void *output,
                  Share rows) {
  SoftmaxExpLanes lanes(p);
  while (rows.begin < rows.end) {
    uint32_t left = rows.end - rows.begin, n = left < kStrip ? left : kStrip;
    if (!lanes.areWorthIt(n))
      return fewExpRows<Byte>(p, input, output, rows);
    lanes.apply<Byte>(input, output, rows.begin, n);
    rows.begin += n;
  }
}

} // namespace

YARROW_KERNEL(yk_softmax_exp_int, SoftmaxExpInt) {
  const SoftmaxShape &s = p.shape;
  if (areExpStrips(p) && SoftmaxExpLanes::fit(p))
    return withByte(p.inType, [&](auto zero) {
      shortExpRows<decltype(zero)>(p, buffers.input(), buffers.output(),
                                   shareOf(s.outer, task, taskCount));
    });
  if (areExpStrips(p))
    return withByte(p.inType, [&](auto zero) {
      forEachRow(s, task, taskCount, [&](const Row &row) {
        expRow<decltype(zero)>(p, buffers.input(), row, buffers.output());
      });
    });
  // The reference adds the output's bits before it takes the logarithm of the
  // sum off.
  int64_t outBits = int64_t(dtypeBytes(p.outType)) * 8;
  forEachRow(s, task, taskCount, [&](const Row &row) {
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk];
    auto loadExponents = [&](uint32_t i, uint32_t n) {
      loadRowChunk(p.inType, buffers.input(), row, i, n, x);
      for (uint32_t k = 0; k < n; ++k)
        x[k] = int32_t(int64_t(x[k] - top) * p.inputScale >> p.inputShift);
    };
    int64_t sum = 0;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExponents(i, n);
      for (uint32_t k = 0; k < n; ++k)
        sum += pow2(p.pow2OutQ + int64_t(x[k]));
    });
    int64_t log2Sum = logOfExpSum(p, sum);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExponents(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        int64_t fine = (x[k] + outBits) * (int64_t(1) << p.adjustQ) - log2Sum;
        x[k] = int32_t(clamp<int64_t>(pow2(fine >> p.adjustQ), p.lo, p.hi));
      }
      storeRowChunk(p.outType, buffers.output(), row, i, n, x);
    });
  });
}
