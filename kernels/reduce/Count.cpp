//===- Count.cpp - Histograms ---------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/reduce/Count.h"
#include "kernels/Elements.h"
#include "kernels/WideElements.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

template <typename T>
uint32_t countBetween(const T *x, uint32_t n, T low, T high) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; ++i)
    count += uint32_t(x[i] >= low) & uint32_t(x[i] < high);
  return count;
}

/// The greatest count that the type holds; counts are below 2^32.
int64_t mostOf(DType type) {
  uint32_t bits = 8 * dtypeBytes(type);
  bool isSigned = type == DType::I8 || type == DType::I16 || type == DType::I32;
  return (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
}

/// Elements as T, which load(element, n, values) gives.
template <typename T, typename Load>
void countBins(const CountParams &p, const void *bounds, void *output,
               uint32_t task, uint32_t taskCount, Load load) {
  const auto *edges = static_cast<const T *>(bounds);
  Share share = shareOf(p.outer * p.bins, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out) {
    int64_t first = int64_t(out / p.bins) * p.inner;
    uint32_t bin = out % p.bins;
    int64_t count = 0;
    forEachChunk(0, p.inner, [&](uint32_t i, uint32_t n) {
      T x[kChunk];
      load(first + i, n, x);
      count += countBetween(x, n, edges[bin], edges[bin + 1]);
    });
    count = clamp<int64_t>(count, 0, mostOf(p.outType));
    storeI64(p.outType, output, out, 1, &count);
  }
}

} // namespace

YARROW_KERNEL(yk_count_int, CountInt) {
  countBins<int64_t>(p, buffers.edges(), buffers.output(), task, taskCount,
                     [&](int64_t at, uint32_t n, int64_t *x) {
                       loadI64(p.inType, buffers.input(), at, n, x);
                     });
}

YARROW_KERNEL(yk_count_float, CountFloat) {
  countBins<float>(p, buffers.edges(), buffers.output(), task, taskCount,
                   [&](int64_t at, uint32_t n, float *x) {
                     loadF32(p.inType, buffers.input(), at, n, x);
                   });
}
