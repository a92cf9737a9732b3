//===- LogSoftmax.cpp - Integer logarithm of the softmax ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/norm/Softmax.h"
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

} // namespace

YARROW_KERNEL(yk_log_softmax_int, LogSoftmaxInt) {
  const SoftmaxShape &s = p.shape;
  const float *table = static_cast<const float *>(buffers.table());
  int32_t last = int32_t((1u << p.inBits) - 1);
  // The limits are those of integers: a float may be beyond them.
  double lo = double(p.lo) + p.zp, hi = double(p.hi) + p.zp;
  forEachRow(s, task, taskCount, [&](const Row &row) {
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk];
    float e[kChunk];
    auto loadDifferences = [&](uint32_t i, uint32_t n) {
      loadI32(p.inType, buffers.input(), row.first + int64_t(i) * row.stride, n,
              x, row.stride);
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
