//===- ResizeColumns.h - Resizing images of few channels --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Pixels of few channels leave most of a strip (Strips.h) empty; a strip of
// columns is full. Pixels are gathered, one channel of 32 columns at once, and
// their weights are made together:
//
//   resizeColumns(shape, rows, FloatWeights(), gather, store);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_RESIZECOLUMNS_H
#define YARROW_KERNELS_IMAGE_RESIZECOLUMNS_H

#include "kernels/Strips.h"
#include "kernels/image/ResizePlaces.h"

namespace yarrow::kernels {

/// More channels fill a strip of their own.
constexpr uint32_t kFewChannels = kStrip - 1;

/// First element of input row `y` of the image of output row `row`.
inline int64_t rowElement(const ResizeShape &s, uint32_t row, uint32_t y) {
  return (int64_t(row / s.outH) * s.inH + y) * s.inW * s.channels;
}

/// What a strip of output rows or columns is made of. Those beyond the last one
/// are of pixels that exist.
struct PlaceStrip {
  int32_t low[kStrip], high[kStrip];
  double share[2][kStrip]; ///< Of the low pixel, and of the high one.
  bool isNegative = false; ///< Whether a share is below 0.

  PlaceStrip(const ResizeShape &s, const ResizeAxis &axis, uint32_t first) {
    for (uint32_t i = 0; i < kStrip; ++i) {
      double v = coordinate(axis, first + i);
      if (s.method == ResizeMethod::Nearest) {
        low[i] = high[i] = int32_t(nearest(s.nearestMode, v, axis));
        share[0][i] = 1, share[1][i] = 0;
        continue;
      }
      Between b = between(v, axis.in);
      low[i] = int32_t(b.low), high[i] = int32_t(b.high);
      share[0][i] = 1 - b.fraction, share[1][i] = b.fraction;
    }
    for (const auto &each : share) {
      Strip<double> x;
      __builtin_memcpy(&x, each, sizeof x);
      isNegative |= lanesWhere(x < 0) != 0;
    }
  }
};

/// Weights as the kernels' numbers have them, of shares along both axes.
struct FloatWeights {
  using Number = float;
  void of(double y, const double *x, bool, Strip<float> &weights) const {
    Strip<double> shares;
    __builtin_memcpy(&shares, x, sizeof shares);
    weights = __builtin_convertvector(shares * y, Strip<float>);
  }
};
struct IntegerWeights {
  using Number = int32_t;
  double one; ///< A power of two: it does not matter when it is multiplied.

  /// As integerWeight (ResizePlaces.h).
  void of(double y, const double *x, bool maybeNegative,
          Strip<int32_t> &weights) const {
    Strip<double> shares;
    __builtin_memcpy(&shares, x, sizeof shares);
    shares = shares * (y * one) + 0.5;
    weights = __builtin_convertvector(shares, Strip<int32_t>);
    if (maybeNegative)
      weights += __builtin_convertvector(
          __builtin_convertvector(weights, Strip<double>) > shares,
          Strip<int32_t>); // true is -1
  }
};

/// Output rows of nearest pixels, or of bilinear means without antialiasing:
///   weights.of(y, columns, ..)       the Numbers that they are multiplied by
///   gather(element, columns, x)      x = elements `element` + columns
///   store(sum, how many, element)    of every channels-th element
template <typename Weights, typename Gather, typename Store>
void resizeColumns(const ResizeShape &s, Share rows, Weights weights,
                   Gather gather, Store store) {
  using Number = typename Weights::Number;
  ResizeAxis vertical = rowsOf(s), horizontal = columnsOf(s);
  // Not a loop, in which strips would go through memory.
  auto eachTap = [&](auto fn) {
    fn(0);
    if (s.method == ResizeMethod::Nearest)
      return;
    fn(1), fn(2), fn(3);
  };
  for (uint32_t row = rows.begin, end; row < rows.end; row = end) {
    uint32_t y = row % s.outH;
    end = row + (s.outH - y < kStrip ? s.outH - y : kStrip);
    end = end < rows.end ? end : rows.end;
    PlaceStrip places(s, vertical, y);
    for (uint32_t first = 0; first < s.outW; first += kStrip) {
      uint32_t n = s.outW - first < kStrip ? s.outW - first : kStrip;
      PlaceStrip columns(s, horizontal, first);
      Strip<int32_t> column[2];
      __builtin_memcpy(&column[0], columns.low, sizeof columns.low);
      __builtin_memcpy(&column[1], columns.high, sizeof columns.high);
      column[0] *= int32_t(s.channels), column[1] *= int32_t(s.channels);
      bool maybeNegative = places.isNegative || columns.isNegative;
      for (uint32_t i = 0; i < end - row; ++i) {
        Strip<Number> weight[4];
        eachTap([&](uint32_t k) {
          weights.of(places.share[k >> 1][i], columns.share[k & 1],
                     maybeNegative, weight[k]);
        });
        int64_t from[2] = {rowElement(s, row, uint32_t(places.low[i])),
                           rowElement(s, row, uint32_t(places.high[i]))};
        int64_t to = (int64_t(row + i) * s.outW + first) * s.channels;
        for (uint32_t c = 0; c < s.channels; ++c) {
          Strip<Number> sum{}, x;
          eachTap([&](uint32_t k) {
            gather(from[k >> 1] + c, column[k & 1], x);
            sum += x * weight[k];
          });
          store(sum, n, to + c);
        }
      }
    }
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_RESIZECOLUMNS_H
