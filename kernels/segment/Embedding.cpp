//===- Embedding.cpp - Weighted sums of rows of a table -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/indexing/Indices.h"
#include "kernels/norm/InverseSqrt.h"
#include "kernels/segment/Segment.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Calls fn(entry, row, first) for the entries of the output rows \p own;
/// `first` is where the row of the table begins.
template <typename Fn>
void forEachEntry(const EmbeddingShape &s, const void *ids, const void *values,
                  Share own, Fn fn) {
  for (uint32_t entry = 0; entry < s.entries; ++entry) {
    int64_t row = loadIndex(s.idType, ids, entry);
    if (row < own.begin || row >= own.end)
      continue;
    int32_t from;
    loadIndices(s.valueType, values, entry, 1, &from);
    wrapIndices(&from, 1, int32_t(s.table));
    fn(entry, uint32_t(row), int64_t(from) * s.inner);
  }
}

/// Bits that hold lo and hi; of a signed type one for the sign.
int32_t bitsOf(int64_t lo, int64_t hi, bool isSigned) {
  auto width = [](int64_t x) { return x > 0 ? floorLog2(uint64_t(x)) + 1 : 0; };
  int32_t high = width(hi), low = lo < 0 ? width(-(lo + 1)) : 0;
  return (high > low ? high : low) + (isSigned || lo < 0);
}

/// By how many bits the greatest number exceeds \p most bits.
int32_t excessOf(const int64_t *x, uint32_t count, int64_t scale, bool isSigned,
                 int32_t most) {
  int64_t lo = INT64_MAX, hi = INT64_MIN;
  for (uint32_t i = 0; i < count; ++i) {
    lo = x[i] < lo ? x[i] : lo;
    hi = x[i] > hi ? x[i] : hi;
  }
  int32_t excess =
      bitsOf(wrapMul(lo, scale), wrapMul(hi, scale), isSigned) - most;
  return excess > 0 ? excess : 0;
}

struct Range {
  int64_t lo, hi;
};
Range rangeOf(uint32_t bits, bool isSigned) {
  return isSigned ? Range{-(int64_t(1) << (bits - 1)),
                          (int64_t(1) << (bits - 1)) - 1}
                  : Range{0, (int64_t(1) << bits) - 1};
}

/// Quotients cut towards zero. A TEC divides 64 bits step by step, so that
/// operands are unsigned, of 32 and 16 bits, where its instruction does.
void divideRow(const EmbeddingCombineParams &p, int32_t excess, int64_t total,
               uint32_t n, int64_t *acc) {
  Range range = rangeOf(32, p.isSigned);
  uint32_t divisor = uint32_t(total < 0 ? -total : total);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t sum =
        clamp(wrapMul(acc[i], p.requant.scale) >> excess, range.lo, range.hi);
    uint32_t quotient = divisor ? uint32_t(sum < 0 ? -sum : sum) / divisor : 0;
    acc[i] = (sum < 0) != (total < 0) ? -int64_t(quotient) : quotient;
  }
}

void multiplyRow(const EmbeddingCombineParams &p, int32_t root, uint32_t n,
                 int64_t *acc) {
  Range range = rangeOf(p.tableBits, p.isSigned), wide = rangeOf(32, true),
        narrow = rangeOf(16, true);
  RoundShift shift = makeRoundShift(p.sumShift);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t t = clamp(roundShiftHalfEven(wrapMul(acc[i], p.sumScale), shift),
                      range.lo, range.hi);
    int64_t v = clamp(t * p.requant.scale, wide.lo, wide.hi) >> p.preShift;
    v = clamp(v, narrow.lo, narrow.hi);
    acc[i] = clamp(v * root, wide.lo, wide.hi);
  }
}

} // namespace

YARROW_KERNEL(yk_embedding_sums, EmbeddingSums) {
  const EmbeddingShape &s = p.shape;
  auto *sums = static_cast<int64_t *>(buffers.sums());
  auto *totals = static_cast<int64_t *>(buffers.totals());
  Share own = shareOf(s.rows, task, taskCount);
  for (uint32_t row = own.begin; row < own.end; ++row)
    totals[row] = 0;
  for (int64_t i = int64_t(own.begin) * s.inner,
               end = int64_t(own.end) * s.inner;
       i < end; ++i)
    sums[i] = 0;
  forEachEntry(s, buffers.ids(), buffers.values(), own,
               [&](uint32_t entry, uint32_t row, int64_t first) {
                 int64_t weight = int64_t(loadOneI32(
                                      s.weightType, buffers.weights(), entry)) +
                                  p.weightZp;
                 totals[row] += s.squares ? weight * weight : weight;
                 int64_t *sum = sums + int64_t(row) * s.inner;
                 forEachChunk(0, s.inner, [&](uint32_t i, uint32_t n) {
                   int32_t x[kChunk];
                   loadI32(s.tableType, buffers.input(), first + i, n, x);
                   for (uint32_t lane = 0; lane < n; ++lane)
                     sum[i + lane] += (x[lane] + p.tableZp) * weight;
                 });
               });
}

YARROW_KERNEL(yk_embedding_combine, EmbeddingCombine) {
  auto *sums = static_cast<const int64_t *>(buffers.sums());
  auto *totals = static_cast<const int64_t *>(buffers.totals());
  auto *table = static_cast<const int16_t *>(buffers.table());
  int32_t excess = 0, totalExcess = 0;
  if (p.op == EmbeddingOp::Mean) {
    excess = excessOf(sums, p.rows * p.inner, p.requant.scale, p.isSigned, 32);
    totalExcess = excessOf(totals, p.rows, 1, p.isWeightSigned, 16);
  }
  Share own = shareOf(p.rows, task, taskCount);
  for (uint32_t row = own.begin; row < own.end; ++row) {
    Requant requant = p.requant;
    int64_t total = totals[row];
    SmallInverseSqrt root{1, 0};
    if (p.op == EmbeddingOp::Mean) {
      Range range = rangeOf(16, p.isWeightSigned);
      total = clamp(total >> totalExcess, range.lo, range.hi);
      requant.scale = 1, requant.shift += totalExcess - excess;
    } else if (p.op == EmbeddingOp::RootMean) {
      root = smallInverseSqrt(total, table);
      requant.scale = 1, requant.shift += 31 - p.preShift - root.shift;
    }
    IntEpilogue epilogue(requant);
    forEachChunk(0, p.inner, [&](uint32_t i, uint32_t n) {
      int64_t acc[kChunk], element = int64_t(row) * p.inner + i;
      for (uint32_t lane = 0; lane < n; ++lane)
        acc[lane] = sums[element + lane];
      if (p.op == EmbeddingOp::Mean)
        divideRow(p, excess, total, n, acc);
      else if (p.op == EmbeddingOp::RootMean)
        multiplyRow(p, root.value, n, acc);
      epilogue.store(acc, n, 0, element, buffers.output());
    });
  }
}

YARROW_KERNEL(yk_embedding_float, EmbeddingFloat) {
  const EmbeddingShape &s = p.shape;
  auto *sums = static_cast<float *>(buffers.sums());
  auto *totals = static_cast<float *>(buffers.totals());
  Share own = shareOf(s.rows, task, taskCount);
  auto chunks = [&](int64_t first, auto fn) {
    forEachChunk(0, s.inner, [&](uint32_t i, uint32_t n) {
      float x[kChunk];
      loadF32(s.tableType, buffers.input(), first + i, n, x);
      fn(i, n, x);
    });
  };
  for (uint32_t row = own.begin; row < own.end; ++row)
    totals[row] = 0;
  for (int64_t i = int64_t(own.begin) * s.inner,
               end = int64_t(own.end) * s.inner;
       i < end; ++i)
    sums[i] = 0;
  forEachEntry(s, buffers.ids(), buffers.values(), own,
               [&](uint32_t entry, uint32_t row, int64_t first) {
                 float weight;
                 loadF32(s.weightType, buffers.weights(), entry, 1, &weight);
                 totals[row] = canonicalNaN(
                     totals[row] + (s.squares ? weight * weight : weight));
                 if (p.maxNorm > 0) {
                   double squares = 0;
                   chunks(first, [&](uint32_t, uint32_t n, const float *x) {
                     for (uint32_t lane = 0; lane < n; ++lane)
                       squares += double(x[lane]) * double(x[lane]);
                   });
                   double norm = math::sqrt(squares);
                   weight *= norm > p.maxNorm ? float(p.maxNorm / norm) : 1.0f;
                 }
                 float *sum = sums + int64_t(row) * s.inner;
                 chunks(first, [&](uint32_t i, uint32_t n, const float *x) {
                   for (uint32_t lane = 0; lane < n; ++lane)
                     sum[i + lane] =
                         canonicalNaN(sum[i + lane] + x[lane] * weight);
                 });
               });
  for (uint32_t row = own.begin; row < own.end; ++row) {
    double divisor = p.op == EmbeddingOp::Sum ? 1 : double(totals[row]);
    divisor = p.op == EmbeddingOp::RootMean ? math::sqrt(divisor) : divisor;
    forEachChunk(0, s.inner, [&](uint32_t i, uint32_t n) {
      float y[kChunk];
      int64_t element = int64_t(row) * s.inner + i;
      for (uint32_t lane = 0; lane < n; ++lane)
        y[lane] = divisor != 0 ? float(sums[element + lane] / divisor) : 0.0f;
      storeF32(p.outType, buffers.output(), element, n, y);
    });
  }
}
