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
#include "kernels/norm/InverseSqrt.h"
#include "kernels/norm/LayerNorm.h"
#include "kernels/norm/NormLoops.h"
#include "kernels/norm/RowMoments.h"

namespace yarrow::kernels {

/// Some rows, and what they are normalised with.
struct RowGains {
  uint32_t first = 0; // element
  uint32_t count = 0;
  int32_t means[kRowLanes];
  uint32_t gains[kRowLanes]; // of 16 bits
};

class LayerNormRows {
public:
  LayerNormRows(const LayerNormIntParams &p, LayerNormIntBuffers buffers)
      : p(p), buffers(buffers) {}

  /// Whether measure() takes the rows. Values with their zero point have at
  /// most 9 bits, and a row's squares of them 31.
  static bool areMeasured(const LayerNormIntParams &p) {
    const NormShape &s = p.shape;
    bool isRootKnown =
        p.form == NormForm::Narrow ||
        (p.form == NormForm::RootMeanSquare && p.inZp >= -255 &&
         p.inZp <= 255 && p.normScale >= 0 && p.normScale <= UINT16_MAX &&
         p.normShift >= 0 && p.normShift <= 40);
    return isRootKnown && s.kept.rank <= 1 && s.groupColumns == 0 &&
           countOf(s.reduced) == 1 && s.parts == 1 && s.inner <= kMomentsRow &&
           isByte(p.inType) && p.epsilonHigh == 0 && p.epsilonLow <= 1u << 30;
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
    RowLanes<int32_t> sum, mean;
    RowLanes<uint32_t> variance;
    loadLanes(sums, sum);
    loadLanes(squares, variance);
    if (p.form == NormForm::RootMeanSquare)
      return measureRoots(sum, variance, rows);
    roundedMeans(sum, length, mean);
    // The sum of (x - mean)^2 has at most 31 bits: its terms may wrap.
    variance -= __builtin_convertvector(mean, RowLanes<uint32_t>) *
                __builtin_convertvector(2 * sum - int32_t(length) * mean,
                                        RowLanes<uint32_t>);
    auto isEqual = variance == 0u; // all values of a row, or no row
    // Together below 2^32; in 16 terms and fewer, which are not shifted, 2^31.
    variance += p.epsilonLow;
    if (p.varShift > 0)
      variance >>= uint32_t(p.varShift < 31 ? p.varShift : 31);
    RowLanes<int64_t> gain;
    inverseSqrtLanes(variance, static_cast<const int16_t *>(buffers.table()),
                     gain);
    gain = (gain + 32768) >> 16;
    gain = __builtin_convertvector(isEqual, RowLanes<int64_t>) ? 0 : gain;
    uint64_t most =
        __builtin_reduce_max(__builtin_convertvector(gain, RowLanes<uint64_t>));
    auto words = __builtin_convertvector(gain, RowLanes<uint32_t>);
    storeLanes(words, rows.gains);
    storeLanes(mean, rows.means);
    return most <= UINT16_MAX;
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
  /// The gains of rows without a mean, of the sums of their values and squares.
  bool measureRoots(const RowLanes<int32_t> &sum, RowLanes<uint32_t> &squares,
                    RowGains &rows) const {
    // S (x + o)^2 = S x^2 + 2 o S x + n o^2: terms may wrap.
    int32_t offset = p.inZp, length = int32_t(p.shape.inner);
    squares += __builtin_convertvector(
        2 * offset * sum + length * offset * offset, RowLanes<uint32_t>);
    squares += p.epsilonLow; // below 2^32
    // A quotient of 32 bits is not rounded up to the next whole number.
    auto mean =
        __builtin_convertvector(squares, RowLanes<double>) / double(length);
    RowLanes<int64_t> gain;
    inverseSqrtLanes(__builtin_convertvector(mean, RowLanes<uint32_t>),
                     static_cast<const int16_t *>(buffers.table()), gain);
    gain = ((gain + 32768) >> 16) * p.normScale;
    int64_t odd = p.normShift > 0;
    int64_t half = ((int64_t(1) << p.normShift) >> 1) - odd;
    gain = (gain + half + ((gain >> p.normShift) & odd)) >> p.normShift;
    gain = __builtin_elementwise_max(gain, RowLanes<int64_t>{});
    gain = __builtin_elementwise_min(gain, RowLanes<int64_t>{} + 65535);
    storeLanes(__builtin_convertvector(gain, RowLanes<uint32_t>), rows.gains);
    for (int32_t &each : rows.means)
      each = -p.inZp;
    return true;
  }

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
