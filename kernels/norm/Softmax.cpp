//===- Softmax.cpp - Softmax of floats ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Softmax.h"
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/norm/SoftmaxRows.h"

using namespace yarrow;
using namespace yarrow::kernels;

/// Exponentials of a row that is not longer are kept.
static constexpr uint32_t kKeptRow = 256;

YARROW_KERNEL(yk_softmax_float, SoftmaxFloat) {
  const SoftmaxShape &s = p.shape;
  bool isKept = s.axis <= kKeptRow;
  forEachRow(s, task, taskCount, [&](const Row &row) {
    float x[kChunk];
    double kept[kKeptRow];
    auto load = [&](uint32_t i, uint32_t n) {
      loadF32(p.inType, buffers.input(), row.first + int64_t(i) * row.stride, n,
              x, row.stride);
    };
    // It does not matter that the maximum leaves NaN out, nor which zero it is:
    // the sum of a row with NaN is NaN, and so are all results.
    constexpr float kLeast = -__builtin_huge_valf();
    Strip<float> tops = Strip<float>{} + kLeast;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      load(i, n);
      forEachStrip(0, n, [&](uint32_t k, auto size) {
        Strip<float> some;
        loadStrip<float>(x, k, size, some);
        fillBeyond(some, size, kLeast);
        tops = __builtin_elementwise_max(tops, some);
      });
    });
    float top = __builtin_reduce_max(tops);
    LaneSum sum;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      load(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        double e = math::exp(double(x[k]) - top);
        x[k] = float(e);
        if (isKept)
          kept[i + k] = e;
      }
      sum.add(x, n);
    });
    double total = sum.total(), logTotal = math::log(total);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      if (!isKept || p.isLog)
        load(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        double d = double(x[k]) - top;
        x[k] = float(p.isLog  ? d - logTotal
                     : isKept ? kept[i + k] / total
                              : math::exp(d) / total);
      }
      for (uint32_t k = 0; k < n && row.stride != 1; ++k)
        storeF32(p.outType, buffers.output(),
                 row.first + int64_t(i + k) * row.stride, 1, x + k);
      if (row.stride == 1)
        storeF32(p.outType, buffers.output(), row.first + i, n, x);
    });
  });
}
