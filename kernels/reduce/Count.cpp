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

/// countOf(first element, bin) is the count of a bin.
template <typename CountOf>
void countBins(const CountParams &p, void *output, uint32_t task,
               uint32_t taskCount, CountOf countOf) {
  Share share = shareOf(p.outer * p.bins, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out) {
    int64_t first = int64_t(out / p.bins) * p.inner;
    int64_t count = countOf(first, out % p.bins);
    count = clamp<int64_t>(count, 0, mostOf(p.outType));
    storeI64(p.outType, output, out, 1, &count);
  }
}

} // namespace

YARROW_KERNEL(yk_count_int, CountInt) {
  const auto *edges = static_cast<const int64_t *>(buffers.edges());
  countBins(p, buffers.output(), task, taskCount,
            [&](int64_t first, uint32_t bin) {
              int64_t count = 0;
              forEachChunk(0, p.inner, [&](uint32_t i, uint32_t n) {
                int64_t x[kChunk];
                loadI64(p.inType, buffers.input(), first + i, n, x);
                count += countBetween(x, n, edges[bin], edges[bin + 1]);
              });
              return count;
            });
}

YARROW_KERNEL(yk_count_float, CountFloat) {
  const auto *edges = static_cast<const float *>(buffers.edges());
  countBins(p, buffers.output(), task, taskCount,
            [&](int64_t first, uint32_t bin) {
              int64_t count = 0;
              forEachChunk(0, p.inner, [&](uint32_t i, uint32_t n) {
                float x[kChunk];
                loadF32(p.inType, buffers.input(), first + i, n, x);
                count += countBetween(x, n, edges[bin], edges[bin + 1]);
              });
              return count;
            });
}
