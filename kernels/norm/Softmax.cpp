//===- Softmax.cpp - Softmax of floats ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Softmax.h"
#include "kernels/FloatStrips.h"
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/norm/SoftmaxRows.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Exponentials of a row that is not longer are kept.
constexpr uint32_t kKeptRow = 256;

/// Rows side by side that are computed together where the axis is not the last
/// one, and the exponentials of each that are kept.
constexpr uint32_t kColumns = 16, kKeptColumn = 32;

/// A NaN makes the sum of its row NaN, and so all results: it does not matter
/// that maxima leave it out, nor which zero they are.
constexpr float kLeast = -__builtin_huge_valf();

/// One row along the axis.
void softmaxRow(const SoftmaxFloatParams &p, SoftmaxFloatBuffers buffers,
                const Row &row) {
  const SoftmaxShape &s = p.shape;
  bool isKept = s.axis <= kKeptRow;
  float x[kChunk];
  double kept[kKeptRow];
  auto load = [&](uint32_t i, uint32_t n) {
    loadF32(p.inType, buffers.input(), row.first + int64_t(i) * row.stride, n,
            x, row.stride);
  };
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
    storeF32(p.outType, buffers.output(), row.first + int64_t(i) * row.stride,
             n, x, row.stride);
  });
}

/// The same of rows side by side, each in the order of its own. Vectors by
/// name: LLVM would take loops over so few columns apart.
template <typename Size>
void softmaxColumns(const SoftmaxFloatParams &p, SoftmaxFloatBuffers buffers,
                    const Row &row, Size size) {
  static_assert(Size::lanes == kColumns);
  using Floats = Fitting<float, Size>;
  const SoftmaxShape &s = p.shape;
  bool isKept = s.axis <= kKeptColumn;
  double kept[kKeptColumn * kColumns], sums[LaneSum::kWidth * kColumns] = {};
  double totals[kColumns] = {};
  float x[kColumns], tops[kColumns];
  auto placeOf = [&](uint32_t i) {
    return row.first + int64_t(i) * row.stride;
  };
  auto load = [&](uint32_t i, auto &to) {
    Floats values;
    loadFloats(p.inType, buffers.input(), placeOf(i), size, values);
    __builtin_memcpy(&to, &values, sizeof(to));
  };
  Floats most, values;
  fillFloats(kLeast, most);
  for (uint32_t i = 0; i < s.axis; ++i) {
    load(i, values);
    most = __builtin_elementwise_max(most, values);
  }
  __builtin_memcpy(tops, &most, sizeof(tops));
  for (uint32_t i = 0; i < s.axis; ++i) {
    load(i, x);
    double *sum = sums + i % LaneSum::kWidth * kColumns;
    for (uint32_t c = 0; c < kColumns; ++c) {
      double e = math::exp(double(x[c]) - tops[c]);
      sum[c] += double(float(e));
      if (isKept)
        kept[i * kColumns + c] = e;
    }
  }
  for (uint32_t lane = 0; lane < LaneSum::kWidth; ++lane)
    for (uint32_t c = 0; c < kColumns; ++c)
      totals[c] += sums[lane * kColumns + c];
  if (p.isLog)
    for (uint32_t c = 0; c < kColumns; ++c)
      totals[c] = math::log(totals[c]);
  Fitting<double, Size> total, result;
  __builtin_memcpy(&total, totals, sizeof(total));
  for (uint32_t i = 0; i < s.axis; ++i) {
    double *each = isKept ? kept + i * kColumns : kept;
    if (p.isLog || !isKept) {
      load(i, x);
      for (uint32_t c = 0; c < kColumns; ++c) {
        double d = double(x[c]) - tops[c];
        each[c] = p.isLog ? d : math::exp(d);
      }
    }
    __builtin_memcpy(&result, each, sizeof(result));
    result = p.isLog ? result - total : result / total;
    values = __builtin_convertvector(result, Floats);
    storeFloats(p.outType, values, size, buffers.output(), placeOf(i));
  }
}

} // namespace

YARROW_KERNEL(yk_softmax_float, SoftmaxFloat) {
  const SoftmaxShape &s = p.shape;
  if (s.inner == 1)
    return forEachRow(s, task, taskCount,
                      [&](const Row &row) { softmaxRow(p, buffers, row); });
  Share share = shareOf(s.outer * s.inner, task, taskCount);
  for (uint32_t i = share.begin, n; i < share.end; i += n) {
    uint32_t left = s.inner - i % s.inner;
    n = left < share.end - i ? left : share.end - i;
    n = n < kColumns ? n : kColumns;
    if (n == kColumns)
      softmaxColumns(p, buffers, rowOf(s, i), Whole<kColumns>());
    else
      softmaxColumns(p, buffers, rowOf(s, i), PartOf<kColumns>{n});
  }
}
