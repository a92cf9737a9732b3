//===- LayerNormRows.h - Integer normalization of short rows ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// LayerNorm over the last axis, as transformers have it: rows of bytes with the
// same weights. Statistics are those of several rows at once (RowMoments.h).
// Then, strip by strip, the weights stay in registers for all of these rows.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LAYERNORMROWS_H
#define YARROW_KERNELS_NORM_LAYERNORMROWS_H

#include "kernels/StripRequant.h"
#include "kernels/norm/LayerNorm.h"
#include "kernels/norm/NormLoops.h"
#include "kernels/norm/RowGains.h"

namespace yarrow::kernels {

class LayerNormRows {
public:
  LayerNormRows(const LayerNormIntParams &p, LayerNormIntBuffers buffers)
      : p(p), buffers(buffers) {}

  /// Whether measure() takes the rows. Values with their zero point have at
  /// most 9 bits, and a row's squares of them 31.
  static bool areMeasured(const LayerNormIntParams &p) {
    const NormShape &s = p.shape;
    return areLanes(p, s.inner) && s.kept.rank <= 1 && s.groupColumns == 0 &&
           countOf(s.reduced) == 1 && s.parts == 1 && s.inner <= kMomentsRow;
  }

  /// Whether this is such a normalization.
  static bool fit(const LayerNormIntParams &p) {
    const NormShape &s = p.shape;
    bool isOneAxis = s.kept.rank == 0 || s.kept.affineStrides[0] == 0;
    return areMeasured(p) && isOneAxis && p.form == NormForm::Narrow &&
           p.normScale == 1 && p.normShift >= -8 && p.hasSmallSums &&
           (!p.hasWeights || contains(kWeightInts, p.weightType)) &&
           contains(kInt8To16, p.requant.outType);
  }

  /// Finds mean and gain of the n rows from `first` on, at most kRowLanes.
  /// False if a gain has more than 16 bits, as no usual table's.
  bool measure(uint32_t first, uint32_t n, RowGains &rows) const {
    int32_t sums[kRowLanes] = {};
    uint32_t squares[kRowLanes] = {};
    uint32_t length = p.shape.inner;
    rows.first = first * p.shape.kept.strides[0];
    rows.count = n;
    withByte(p.inType, [&](auto zero) {
      for (uint32_t r = 0; r < n; ++r)
        momentsOfRow<decltype(zero)>(buffers.input(),
                                     rows.first + r * p.shape.kept.strides[0],
                                     length, sums[r], squares[r]);
    });
    RowLanes<int32_t> sum;
    RowLanes<uint32_t> square;
    loadLanes(sums, sum);
    loadLanes(squares, square);
    return gainsOfLanes(p, static_cast<const int16_t *>(buffers.table()),
                        length, sum, square, rows);
  }

  /// Stores the results of those rows.
  void store(const RowGains &rows) const {
    withByte(p.inType, [&](auto zero) {
      forEachStrip(0, p.shape.inner, [&](uint32_t i, auto size) {
        Weights w;
        loadAffine(i * p.shape.innerAffineStride, size, w);
        storeRows<decltype(zero)>(rows, i, size, w);
      });
    });
  }

private:
  /// What belongs to the channels of a strip.
  struct Weights {
    Strip<int32_t> weight, bias, scale, shift;
  };

  template <typename Size>
  void loadAffine(uint32_t channel, Size size, Weights &w) const {
    int32_t step = int32_t(p.shape.innerAffineStride);
    const Requant &r = p.requant;
    w.scale = Strip<int32_t>{} + r.scale;
    w.shift = Strip<int32_t>{} + (r.shift < 30 ? r.shift : 30);
    if (r.perChannel)
      loadMultipliers(r.scaleType, buffers.scale(), buffers.shift(), channel,
                      step, size, /*mostShift=*/30, w.scale, w.shift);
    w.weight = Strip<int32_t>{} + 1;
    if (p.hasWeights)
      loadWeights(p.weightType, buffers.weights(), channel, step, size,
                  w.weight);
    w.bias = Strip<int32_t>{};
    if (p.hasBias)
      loadStrip<int32_t>(buffers.bias(), channel, step, size, w.bias);
  }

  template <typename Byte, typename Size>
  void storeRows(const RowGains &rows, uint32_t i, Size size,
                 const Weights &w) const {
    const Requant &q = p.requant;
    const void *input = buffers.input();
    void *output = buffers.output();
    int32_t normShift = 8 + p.normShift < 30 ? 8 + p.normShift : 30;
    for (uint32_t r = 0; r < rows.count; ++r) {
      uint32_t element = rows.first + r * p.shape.kept.strides[0] + i;
      Strip<int16_t> d;
      loadStrip<Byte>(input, element, size, d);
      d -= int16_t(Byte(rows.means[r]));
      auto x = __builtin_convertvector(d, Strip<int32_t>);
      x *= int32_t(uint16_t(rows.gains[r]));
      roundShift(x, normShift);
      limitStrip(x, 0, p.normLo, p.normHi);
      x = (x * w.weight + w.bias) * w.scale;
      if (q.perChannel)
        roundShiftEach(x, w.shift);
      else
        roundShift(x, q.shift < 30 ? q.shift : 30);
      limitStrip(x, q.zp, q.lo, q.hi);
      storeStrip(q.outType, x, size, output, element);
    }
  }

  const LayerNormIntParams &p;
  LayerNormIntBuffers buffers;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LAYERNORMROWS_H
