//===- LogSoftmax.cpp - Integer logarithm of the softmax ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/norm/LogSoftmaxColumns.h"
#include "kernels/norm/SoftmaxRows.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// e[i] = T[index[i]]; an index is within the table's inBits.
void lookupFloats(const LogSoftmaxIntParams &p, const float *table,
                  const int32_t *index, uint32_t n, float *e) {
  int32_t last = int32_t((1u << p.log2Size) - 1);
  uint32_t fractionBits = p.inBits - p.log2Size;
  float unit = 1.0f / float(1u << fractionBits); // a power of two: exact
  for (uint32_t i = 0; i < n; ++i) {
    int32_t entry = index[i] >> fractionBits;
    int32_t next = entry < last ? entry + 1 : last;
    float fraction = float(index[i] - (entry << fractionBits));
    e[i] = table[entry] + (table[next] - table[entry]) * fraction * unit;
  }
}

/// Rows of bytes whose results are limited to what roundStrip takes.
bool areStrips(const LogSoftmaxIntParams &p) {
  constexpr int32_t kMost = 1 << 21;
  return p.shape.inner == 1 && isByte(p.inType) && isByte(p.outType) &&
         p.inBits == 8 && p.log2Size == 8 && p.zp >= -kMost && p.zp <= kMost;
}

/// As lookupFloats for a fraction of 0, which is not left out: a step may be
/// infinite.
void lookUpStrip(const float *table, const Strip<int32_t> &index,
                 Strip<float> &e) {
  Strip<float> next;
  gatherStrip(table, index, e);
  gatherStrip(table,
              __builtin_elementwise_min(index + 1, Strip<int32_t>{} + 255),
              next);
  e += (next - e) * 0.0f;
}

template <typename Byte>
void logRow(const LogSoftmaxIntParams &p, const void *input, const Row &row,
            const float *table, void *output) {
  uint32_t axis = p.shape.axis;
  Byte top = greatestOf<Byte>(input, row.first, axis);
  LaneSum sum;
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<uint8_t> index;
    Strip<float> e;
    float terms[kStrip];
    loadStrip<uint8_t>(input, row.first + i, size, index);
    index += uint8_t(255 - top); // modulo 2^8, also of signed bytes
    lookUpStrip(table, __builtin_convertvector(index, Strip<int32_t>), e);
    storeStrip<float>(e, size, terms, 0);
    sum.add(terms, size.count);
  });
  float logSum = float(math::log(sum.total())) * p.outputScale;
  float lo = float(p.lo + p.zp), hi = float(p.hi + p.zp);
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<int32_t> x;
    loadStrip<Byte>(input, row.first + i, size, x);
    auto y = __builtin_convertvector(x - int32_t(top), Strip<float>);
    y = y * p.inputScale - logSum;
    // The limits are integers, so that it does not matter which comes first.
    y = y >= lo ? y : Strip<float>{} + lo;
    y = y < hi ? y : Strip<float>{} + hi;
    roundStrip(y, x);
    x -= p.zp;
    storeStrip<uint8_t>(x, size, output, row.first + i);
  });
}

} // namespace

YARROW_KERNEL(yk_log_softmax_int, LogSoftmaxInt) {
  const SoftmaxShape &s = p.shape;
  const float *table = static_cast<const float *>(buffers.table());
  Share share = shareOf(s.outer * s.inner, task, taskCount);
  if (LogSoftmaxColumns::takes(p) && areColumns(s, share.end - share.begin)) {
    LogSoftmaxColumns columns(p, buffers.input(), table, buffers.output());
    return forEachRowsAsLanes(
        s, share,
        [&](const RowsAsLanes &rows, auto size) { columns.apply(rows, size); });
  }
  if (areStrips(p))
    return withByte(p.inType, [&](auto zero) {
      forEachRow(s, task, taskCount, [&](const Row &row) {
        logRow<decltype(zero)>(p, buffers.input(), row, table,
                               buffers.output());
      });
    });
  int32_t last = int32_t((1u << p.inBits) - 1);
  // The limits are those of integers: a float may be beyond them.
  double lo = double(p.lo) + p.zp, hi = double(p.hi) + p.zp;
  forEachRow(s, task, taskCount, [&](const Row &row) {
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk];
    float e[kChunk];
    auto loadDifferences = [&](uint32_t i, uint32_t n) {
      loadRowChunk(p.inType, buffers.input(), row, i, n, x);
      for (uint32_t k = 0; k < n; ++k)
        x[k] -= top;
    };
    LaneSum sum;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadDifferences(i, n);
      for (uint32_t k = 0; k < n; ++k)
        x[k] += last;
      lookupFloats(p, table, x, n, e);
      sum.add(e, n);
    });
    float logSum = float(math::log(sum.total())) * p.outputScale;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadDifferences(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        double y = math::roundEven(double(float(x[k]) * p.inputScale - logSum));
        // A table of no exponentials may make a NaN, which becomes the least.
        y = y >= lo ? y : lo;
        x[k] = int32_t(y < hi ? y : hi) - p.zp;
      }
      storeRowChunk(p.outType, buffers.output(), row, i, n, x);
    });
  });
}
