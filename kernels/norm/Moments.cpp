//===- Moments.cpp - Means, variances and their sums ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Moments.h"
#include "kernels/Math.h"
#include "kernels/Strips.h"
#include "kernels/reduce/ReducePlan.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// RNE(x / 2^shift) within unsigned 32 bits.
int64_t roundToU32(int64_t x, int32_t shift) {
  return clamp<int64_t>(roundShiftHalfEven(x, shift), 0, UINT32_MAX);
}

/// From V, of up to 41 bits.
int32_t varianceOf(const MomentsIntParams &p, int64_t v) {
  const Requant &r = p.variance;
  if (!p.isWide)
    return requantize(v, r.scale, r.shift, r.zp, r.lo, r.hi);
  int64_t high = v >> 16, low = v & 0xffff;
  int64_t sum = roundToU32(high * r.scale, r.shift - 16) +
                roundToU32(low * r.scale, r.shift);
  return int32_t(clamp<int64_t>(sum - r.zp, r.lo, r.hi));
}

void limit(const int64_t *values, uint32_t n, const Requant &r, int32_t *out) {
  for (uint32_t i = 0; i < n; ++i)
    out[i] = int32_t(clamp<int64_t>(values[i] - r.zp, r.lo, r.hi));
}

/// floor((high * 2^16 + low) * scale / 2^shift), limited to 2^40 or more.
int64_t scaleSquares(int64_t high, int64_t low, const Requant &r) {
  int64_t a = high * r.scale, b = low * r.scale; // 48 bits each
  if (r.shift >= 16)
    return (a + (b >> 16)) >> (r.shift < 62 + 16 ? r.shift - 16 : 62);
  // No result holds more than 32 bits.
  a = a < int64_t(1) << 46 ? a : int64_t(1) << 46;
  return ((a << 16) + b) >> r.shift;
}

/// Rows of bytes, the product of one and a scale of 16 bits fitting 32, and so
/// few strips of them that the sum of a lane does: values are below 2^20.
bool areStripRows(const MomentsIntParams &p, const Plan &plan) {
  uint32_t strips = (plan.inner + kStrip - 1) / kStrip;
  return plan.innerReduced && isByte(p.inType) && p.inScale < 1 << 16 &&
         p.inShift < 32 && plan.reduced.count() <= (1 << 11) / strips;
}

/// The sum of the values of an output and of their squares.
void sumValues(const MomentsIntParams &p, const Plan &plan, const void *input,
               uint32_t out, int64_t &sum, int64_t &squares) {
  Strip<int32_t> sums{};
  Strip<int64_t> squareSums{};
  withByte(p.inType, [&](auto zero) {
    plan.forEachInput(out, 1, [&](int64_t element, uint32_t count) {
      forEachStrip(0, count, [&](uint32_t i, auto size) {
        Strip<int32_t> x;
        loadStrip<decltype(zero)>(input, element + i, size, x);
        x = x * p.inScale >> p.inShift;
        sums += x;
        Strip<int64_t> wide = __builtin_convertvector(x, Strip<int64_t>);
        squareSums += wide * wide;
      });
    });
  });
  sum = __builtin_reduce_add(sums);
  squares = __builtin_reduce_add(squareSums);
}

} // namespace

YARROW_KERNEL(yk_moments_int, MomentsInt) {
  Plan plan(p.shape);
  int64_t terms = int64_t(plan.terms());
  bool areStrips = areStripRows(p, plan);
  auto value = [&](int32_t x) {
    return int64_t(x) * p.inScale >> (p.inShift < 63 ? p.inShift : 63);
  };
  plan.forEachOutput(
      shareOf(plan.outputs(), task, taskCount), [&](uint32_t out, uint32_t n) {
        int64_t mean[kChunk], squares[kChunk], sum = 0;
        int32_t y[kChunk];
        if (areStrips) {
          sumValues(p, plan, buffers.input(), out, sum, squares[0]);
          mean[0] = sum;
        } else {
          foldOutputs(plan, p.inType, buffers.input(), Fold::Sum, out, n, mean,
                      [&](int32_t x, uint32_t) { return value(x); });
        }
        for (uint32_t i = 0; i < n; ++i) {
          mean[i] = int64_t(
              int32_t(math::roundEven(math::fromI64(mean[i]) / plan.terms())));
          y[i] = clamp<int32_t>(int32_t(mean[i]), p.meanLo, p.meanHi);
        }
        storeI32(p.meanType, buffers.mean(), out, n, y);
        // A difference has 21 bits, its square 41, and 22 for the terms.
        int64_t shared = mean[0];
        if (areStrips)
          squares[0] += shared * (terms * shared - 2 * sum);
        else
          foldOutputs(plan, p.inType, buffers.input(), Fold::Sum, out, n,
                      squares, [&](int32_t x, uint32_t i) {
                        int64_t d =
                            value(x) - (plan.innerReduced ? shared : mean[i]);
                        return d * d;
                      });
        for (uint32_t i = 0; i < n; ++i)
          y[i] = varianceOf(p, int64_t(uint64_t(squares[i]) / uint64_t(terms)));
        storeI32(p.variance.outType, buffers.variance(), out, n, y);
      });
}

YARROW_KERNEL(yk_difference_sums_int, DifferenceSumsInt) {
  Plan plan(p.shape);
  const void *input = buffers.input();
  auto square = [](int32_t d) {
    uint64_t s = uint64_t(int64_t(d) * d);
    return int64_t(s < UINT32_MAX ? s : UINT32_MAX);
  };
  plan.forEachOutput(shareOf(plan.outputs(), task, taskCount), [&](uint32_t out,
                                                                   uint32_t n) {
    int64_t sum[kChunk], low[kChunk];
    int32_t y[kChunk];
    foldOutputs(plan, DType::I32, input, Fold::Sum, out, n, sum,
                [](int32_t d, uint32_t) { return int64_t(d); });
    for (uint32_t i = 0; i < n; ++i) {
      int64_t scaled = int64_t(saturateToI32(sum[i])) * p.sum.scale;
      int32_t right = p.sum.shift;
      sum[i] = scaled < 0 ? -(-scaled >> right) : scaled >> right;
    }
    limit(sum, n, p.sum, y);
    storeI32(p.sum.outType, buffers.sum(), out, n, y);
    foldOutputs(plan, DType::I32, input, Fold::Sum, out, n, sum,
                [&](int32_t d, uint32_t) { return square(d) >> 16; });
    foldOutputs(plan, DType::I32, input, Fold::Sum, out, n, low,
                [&](int32_t d, uint32_t) { return square(d) & 0xffff; });
    for (uint32_t i = 0; i < n; ++i)
      sum[i] = scaleSquares(clamp<int64_t>(sum[i], 0, UINT32_MAX),
                            clamp<int64_t>(low[i], 0, UINT32_MAX), p.squareSum);
    limit(sum, n, p.squareSum, y);
    storeI32(p.squareSum.outType, buffers.squareSum(), out, n, y);
  });
}
