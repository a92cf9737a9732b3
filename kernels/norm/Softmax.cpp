//===- Softmax.cpp - Softmax kernels --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Softmax.h"
#include "kernels/Epilogue.h"
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/activation/Lookup.h"
#include "kernels/norm/SoftmaxRows.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Quotient of non-negative numbers; 64-bit division is slow on a 32-bit core.
int64_t divide(int64_t a, int64_t b) {
  if ((uint64_t(a) | uint64_t(b)) >> 32 == 0)
    return uint32_t(a) / uint32_t(b);
  return int64_t(uint64_t(a) / uint64_t(b));
}

/// 2^e, 0 for negative e; the numerator and the result of FAST_EXP.
int64_t pow2(int64_t e) { return e < 0 ? 0 : int64_t(1) << (e < 62 ? e : 62); }

Requant outputOf(DType type, int32_t zp, int32_t lo, int32_t hi) {
  Requant r;
  r.outType = type;
  r.zp = zp;
  r.lo = lo;
  r.hi = hi;
  return r;
}

} // namespace

YARROW_KERNEL(yk_softmax_lut_int, SoftmaxLutInt) {
  const SoftmaxShape &s = p.shape;
  Requant out = outputOf(p.outType, p.zp, p.lo, p.hi);
  int32_t last = int32_t((1u << p.inBits) - 1);
  forEachRow(s, task, taskCount, [&](const Row &row) {
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk], e[kChunk];
    auto loadExp = [&](uint32_t i, uint32_t n) {
      loadI32(p.inType, buffers.input(), row.first + int64_t(i) * row.stride, n,
              x, row.stride);
      for (uint32_t k = 0; k < n; ++k)
        x[k] += last - top;
      lookup(x, n, p.tableType, buffers.table(), p.inBits, p.log2Size, e);
    };
    int64_t sum = 0;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExp(i, n);
      for (uint32_t k = 0; k < n; ++k)
        sum += uint32_t(e[k]);
    });
    int64_t divisor = sum > 1 ? sum : 1;
    int64_t reverse = divide(int64_t(p.scale) << p.extraBits, divisor);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      int64_t acc[kChunk];
      loadExp(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        int64_t numerator = uint32_t(e[k]);
        acc[k] = p.numeratorFirst
                     ? divide((numerator << p.extraBits) + (sum >> 1), divisor)
                     : numerator * reverse;
      }
      requantizeChunk(acc, n, p.numeratorFirst ? p.scale : 1,
                      p.shift + p.extraBits, out, x);
      storeRowChunk(p.outType, buffers.output(), row, i, n, x);
    });
  });
}

YARROW_KERNEL(yk_softmax_exp_int, SoftmaxExpInt) {
  const SoftmaxShape &s = p.shape;
  // The reference adds the output's bits before it takes the logarithm of the
  // sum off.
  int64_t outBits = int64_t(dtypeBytes(p.outType)) * 8;
  forEachRow(s, task, taskCount, [&](const Row &row) {
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk];
    auto loadExponents = [&](uint32_t i, uint32_t n) {
      loadI32(p.inType, buffers.input(), row.first + int64_t(i) * row.stride, n,
              x, row.stride);
      for (uint32_t k = 0; k < n; ++k)
        x[k] = int32_t(int64_t(x[k] - top) * p.inputScale >> p.inputShift);
    };
    int64_t sum = 0;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExponents(i, n);
      for (uint32_t k = 0; k < n; ++k)
        sum += pow2(p.pow2OutQ + int64_t(x[k]));
    });
    sum = clamp<int64_t>(sum, 1, INT32_MAX);
    // log2 of the sum in half steps if adjustQ is 1: above 2^30 * sqrt(2)
    // counts half.
    int32_t toBit30 = 30 - floorLog2(uint64_t(sum));
    int64_t half = p.adjustQ && (sum << toBit30) > 1518500250;
    int64_t log2Sum = half - (int64_t(toBit30 - (30 - p.pow2OutQ)) *
                              (int64_t(1) << p.adjustQ));
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

YARROW_KERNEL(yk_softmax_float, SoftmaxFloat) {
  const SoftmaxShape &s = p.shape;
  forEachRow(s, task, taskCount, [&](const Row &row) {
    float x[kChunk];
    auto load = [&](uint32_t i, uint32_t n) {
      loadF32(p.inType, buffers.input(), row.first + int64_t(i) * row.stride, n,
              x, row.stride);
    };
    float top = -__builtin_huge_valf();
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      load(i, n);
      for (uint32_t k = 0; k < n; ++k)
        top = top > x[k] ? top : x[k];
    });
    LaneSum sum;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      load(i, n);
      for (uint32_t k = 0; k < n; ++k)
        x[k] = float(math::exp(double(x[k]) - top));
      sum.add(x, n);
    });
    double total = sum.total(), logTotal = math::log(total);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      load(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        double d = double(x[k]) - top;
        x[k] = float(p.isLog ? d - logTotal : math::exp(d) / total);
      }
      for (uint32_t k = 0; k < n && row.stride != 1; ++k)
        storeF32(p.outType, buffers.output(),
                 row.first + int64_t(i + k) * row.stride, 1, x + k);
      if (row.stride == 1)
        storeF32(p.outType, buffers.output(), row.first + i, n, x);
    });
  });
}
