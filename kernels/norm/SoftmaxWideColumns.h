//===- SoftmaxWideColumns.h - Softmax of 32 rows at once --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What SoftmaxLutRows.h does for one row of up to 16 bits, with a row in each
// lane (SoftmaxLanes.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXWIDECOLUMNS_H
#define YARROW_KERNELS_NORM_SOFTMAXWIDECOLUMNS_H

#include "kernels/norm/SoftmaxLanes.h"
#include "kernels/norm/SoftmaxLutRows.h"

namespace yarrow::kernels {

/// Exponentials of so many elements of a row are kept, 4 KiB for 32 rows.
constexpr uint32_t kKeptLanes = 32;

/// Rows of areWideExponentials.
template <typename In, typename Out, typename Entry, typename Size>
inline void wideLutLanes(const SoftmaxLutParams &p, const void *input,
                         const Entry *table, void *output,
                         const RowsAsLanes &rows, Size size) {
  uint32_t axis = p.shape.axis, kept[kKeptLanes * kStrip];
  bool isKept = axis <= kKeptLanes;
  Strip<int32_t> top;
  greatestOfLanes<In>(input, rows, axis, size, top);
  Strip<int32_t> toIndex = int32_t((1u << p.inBits) - 1) - top;
  auto lookUp = [&](uint32_t j, Strip<uint32_t> &e) {
    Strip<int32_t> x;
    loadStrided<In>(input, rows.placeOf(j), rows.stride, size, x);
    x += toIndex;
    lookUpExponentials(p, table, x, e);
  };
  Strip<uint64_t> sum{};
  Strip<uint32_t> e;
  for (uint32_t j = 0; j < axis; ++j) {
    lookUp(j, e);
    sum += __builtin_convertvector(e, Strip<uint64_t>);
    if (isKept)
      storeStrip<uint32_t>(e, WholeStrip(), kept, j * kStrip);
  }
  WideQuotient quotient(p);
  Strip<uint64_t> reverse =
      quotient.most / __builtin_elementwise_max(sum, Strip<uint64_t>{} + 1ull);
  for (uint32_t j = 0; j < axis; ++j) {
    if (isKept)
      loadStrip<uint32_t>(kept, j * kStrip, WholeStrip(), e);
    else
      lookUp(j, e);
    Strip<int32_t> y;
    quotient.apply(p, e, reverse, y);
    storeStrided<Out>(y, size, output, rows.placeOf(j), rows.stride);
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXWIDECOLUMNS_H
