//===- SegmentReduce.cpp - Reducing rows of one number --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/Numeric.h"
#include "kernels/indexing/Indices.h"
#include "kernels/segment/Segment.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The first row whose segment is \p segment or beyond.
uint32_t firstRow(const SegmentShape &s, const void *segments,
                  uint32_t segment) {
  uint32_t low = 0, high = s.rows;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (loadIndex(s.segmentType, segments, middle) < int64_t(segment))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Neighbouring outputs of one segment and their rows of the input.
struct SegmentRun {
  uint32_t out, n;
  uint32_t firstRow, rows;
  int64_t firstElement;
};

template <typename Fn>
void forEachSegmentRun(const SegmentShape &s, const void *segments, Share share,
                       Fn fn) {
  SegmentRun r;
  for (r.out = share.begin; r.out < share.end;) {
    uint32_t segment = r.out / s.inner;
    r.firstRow = firstRow(s, segments, segment);
    uint32_t end = firstRow(s, segments, segment + 1);
    // Rows that do not ascend may end before they begin.
    r.rows = end > r.firstRow ? end - r.firstRow : 0;
    uint32_t last = (segment + 1) * s.inner;
    last = last < share.end ? last : share.end;
    for (; r.out < last; r.out += r.n) {
      r.n = last - r.out < kChunk ? last - r.out : kChunk;
      r.firstElement = int64_t(r.firstRow) * s.inner + r.out % s.inner;
      fn(static_cast<const SegmentRun &>(r));
    }
  }
}

/// The requantization of a mean of n rows.
Requant meanRequant(const Requant &sum, uint32_t n) {
  Requant r = sum;
  if (n == 0)
    return r;
  ScaleShift part = approximateScale(1.0f / float(n), n < (1u << 14) ? 14 : 8);
  r.scale *= part.scale;
  r.shift += part.shift;
  return r;
}

void foldChunk(SegmentOp op, const double *x, uint32_t n, double *acc) {
  auto each = [&](auto fn) {
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = fn(acc[i], x[i]);
  };
  switch (op) {
  case SegmentOp::Sum:
  case SegmentOp::Mean:
    return each([](double a, double b) { return a + b; });
  case SegmentOp::Prod:
    return each([](double a, double b) { return a * b; });
  // NaN of either side wins.
  case SegmentOp::Min:
    return each([](double a, double b) { return b < a || b != b ? b : a; });
  case SegmentOp::Max:
    return each([](double a, double b) { return b > a || b != b ? b : a; });
  }
}

} // namespace

YARROW_KERNEL(yk_segment_reduce_int, SegmentReduceInt) {
  const SegmentShape &s = p.shape;
  Share share = shareOf(s.segments * s.inner, task, taskCount);
  bool isSum = s.op == SegmentOp::Sum || s.op == SegmentOp::Mean;
  auto run = [&](const SegmentRun &r) {
    int32_t x[kChunk], best[kChunk];
    int64_t acc[kChunk];
    for (uint32_t i = 0; i < r.n; ++i)
      acc[i] = 0, best[i] = p.fill;
    for (uint32_t row = 0; row < r.rows; ++row) {
      loadI32(p.inType, buffers.input(),
              r.firstElement + int64_t(row) * s.inner, r.n, x);
      for (uint32_t i = 0; isSum && i < r.n; ++i)
        acc[i] += x[i] + p.inZp;
      if (row == 0 && !isSum)
        for (uint32_t i = 0; i < r.n; ++i)
          best[i] = x[i];
      for (uint32_t i = 0; s.op == SegmentOp::Min && i < r.n; ++i)
        best[i] = x[i] < best[i] ? x[i] : best[i];
      for (uint32_t i = 0; s.op == SegmentOp::Max && i < r.n; ++i)
        best[i] = x[i] > best[i] ? x[i] : best[i];
    }
    if (!isSum)
      return storeI32(p.requant.outType, buffers.output(), r.out, r.n, best);
    Requant requant =
        s.op == SegmentOp::Mean ? meanRequant(p.requant, r.rows) : p.requant;
    IntEpilogue(requant).store(acc, r.n, 0, r.out, buffers.output());
  };
  forEachSegmentRun(s, buffers.segments(), share, run);
}

YARROW_KERNEL(yk_segment_reduce_float, SegmentReduceFloat) {
  const SegmentShape &s = p.shape;
  Share share = shareOf(s.segments * s.inner, task, taskCount);
  auto run = [&](const SegmentRun &r) {
    float x[kChunk];
    double wide[kChunk], acc[kChunk];
    for (uint32_t i = 0; i < r.n; ++i)
      acc[i] = 0;
    for (uint32_t row = 0; row < r.rows; ++row) {
      loadF32(p.inType, buffers.input(),
              r.firstElement + int64_t(row) * s.inner, r.n, x);
      for (uint32_t i = 0; i < r.n; ++i)
        wide[i] = x[i];
      if (row == 0)
        for (uint32_t i = 0; i < r.n; ++i)
          acc[i] = wide[i];
      else
        foldChunk(s.op, wide, r.n, acc);
    }
    double divisor = s.op == SegmentOp::Mean && r.rows ? double(r.rows) : 1;
    for (uint32_t i = 0; i < r.n; ++i)
      x[i] = float(acc[i] / divisor);
    storeF32(p.outType, buffers.output(), r.out, r.n, x);
  };
  forEachSegmentRun(s, buffers.segments(), share, run);
}
