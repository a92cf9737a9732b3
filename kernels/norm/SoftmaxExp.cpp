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
void expRow(const SoftmaxExpParams &p, const void *input, uint32_t first,
            void *output) {
  SoftmaxExponents exponents(p);
  uint32_t axis = p.shape.axis;
  auto top = int16_t(greatestOf<Byte>(input, first, axis));
  Strip<uint32_t> sums{};
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<int16_t> x;
    Strip<int8_t> shift;
    loadStrip<Byte>(input, first + i, size, x);
    x -= top;
    exponents.negate(x, shift);
    fillBeyond(shift, size, SoftmaxExponents::kNothing);
    exponents.addPower(shift, sums);
    storeStrip<int8_t>(shift, size, output, first + i);
  });
  int64_t sum = int64_t(
      __builtin_reduce_add(__builtin_convertvector(sums, Strip<uint64_t>)));
  // Half steps are rounded up.
  int32_t less = (logOfExpSum(p, sum) + p.adjustQ) >> p.adjustQ;
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<uint8_t> shift;
    Strip<int16_t> y;
    loadStrip<uint8_t>(output, first + i, size, shift);
    exponents.results(shift, Strip<uint8_t>{} + uint8_t(less), y);
    storeStrip<uint8_t>(y, size, output, first + i);
  });
}

/// Rows one by one.
template <typename Byte>
void expRows(const SoftmaxExpParams &p, const void *input, void *output,
             Share rows) {
  for (uint32_t i = rows.begin; i < rows.end; ++i)
    expRow<Byte>(p, input, i * p.shape.axis, output);
}
template <typename Byte>
[[gnu::cold, gnu::noinline]] void fewExpRows(const SoftmaxExpParams &p,
                                             const void *input, void *output,
                                             Share rows) {
  expRows<Byte>(p, input, output, rows);
}

/// Short rows, as many at once as a strip has lanes, and what is left.
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
  if (SoftmaxExponents::fit(p))
    return withByte(p.inType, [&](auto zero) {
      using Byte = decltype(zero);
      Share rows = shareOf(s.outer, task, taskCount);
      if (s.axis <= SoftmaxExpLanes::kMostColumns)
        shortExpRows<Byte>(p, buffers.input(), buffers.output(), rows);
      else
        expRows<Byte>(p, buffers.input(), buffers.output(), rows);
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
