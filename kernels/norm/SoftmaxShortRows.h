//===- SoftmaxShortRows.h - Rows of a few bytes as columns ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A row of a few elements fills no strip, and its maximum, sum and quotient
// take longer than its elements. As columns 32 rows lie side by side, and what
// is one number a row is a strip.
//
//   uint8_t columns[kShortRowBytes];
//   rowsToColumns(input, axis, n, columns);
//   ...                             // strip j of columns: the j-th of all rows
//   columnsToRows(columns, axis, n, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXSHORTROWS_H
#define YARROW_KERNELS_NORM_SOFTMAXSHORTROWS_H

#include "kernels/Strips.h"

namespace yarrow::kernels {

/// Of a longer row the columns would not fit the stack.
constexpr uint32_t kMostShortRow = kStrip;
/// Of the columns, with what is read behind them.
constexpr uint32_t kShortRowBytes = (kMostShortRow + 2) * kStrip;

/// Lanes beyond the last row have anything.
inline void rowsToColumns(const uint8_t *rows, uint32_t axis, uint32_t n,
                          uint8_t *columns) {
  if (axis == 2) { // halves of 16 bits
    Strip<uint16_t> pairs;
    loadStrip<uint16_t>(rows, 0, PartOfStrip{n}, pairs);
    storeStrip<uint8_t>(pairs, WholeStrip(), columns, 0);
    pairs >>= 8;
    return storeStrip<uint8_t>(pairs, WholeStrip(), columns, kStrip);
  }
  auto last = Strip<int32_t>{} + int32_t(n - 1);
  Strip<int32_t> first =
      __builtin_elementwise_min(kLanes, last) * int32_t(axis);
  for (uint32_t j = 0; j < axis; ++j) {
    Strip<uint8_t> x;
    gatherStrip(rows + j, first, x);
    storeStrip<uint8_t>(x, WholeStrip(), columns, j * kStrip);
  }
}

/// In the order of the rows, a strip at a time. Where its lanes come from
/// follows from where those of the strip before did; those beyond the end are
/// of what lies behind the columns.
inline void columnsToRows(const uint8_t *columns, uint32_t axis, uint32_t n,
                          uint8_t *rows) {
  if (axis == 2) {
    Strip<uint16_t> low, high;
    loadStrip<uint8_t>(columns, 0, WholeStrip(), low);
    loadStrip<uint8_t>(columns, kStrip, WholeStrip(), high);
    low |= high << 8;
    return storeStrip<uint16_t>(low, PartOfStrip{n}, rows, 0);
  }
  Strip<int32_t> row = kLanes / int32_t(axis);
  Strip<int32_t> column = kLanes - row * int32_t(axis);
  Strip<int32_t> from = column * int32_t(kStrip) + row;
  auto columnStep = int32_t(kStrip % axis);
  auto step = int32_t(columnStep * kStrip + kStrip / axis);
  // To the first column of the next row.
  auto toNext = int32_t(axis * kStrip) - 1;
  forEachStrip(0, n * axis, [&](uint32_t i, auto size) {
    Strip<uint8_t> y;
    gatherStrip(columns, from, y);
    storeStrip<uint8_t>(y, size, rows, i);
    from += step;
    if (columnStep == 0) // the same columns again
      return;
    column += columnStep;
    auto isBeyond = column >= int32_t(axis); // true is -1
    column -= isBeyond & int32_t(axis);
    from -= isBeyond & toNext;
  });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXSHORTROWS_H
