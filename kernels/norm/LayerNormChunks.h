//===- LayerNormChunks.h - From values to results ------------- -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What rows and columns of LayerNormInt share: the gain of a group, and the
// results of its values.
//
//   Chunks chunks(p, buffers);
//   chunks.storeStrips(offsets, gains, element, n, affine);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LAYERNORMCHUNKS_H
#define YARROW_KERNELS_NORM_LAYERNORMCHUNKS_H

#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/norm/ColumnSums.h"
#include "kernels/norm/InverseSqrt.h"
#include "kernels/norm/LayerNorm.h"
#include "kernels/norm/NormLoops.h"

namespace yarrow::kernels {

inline bool subtractsMean(const LayerNormIntParams &p) {
  return p.form != NormForm::RootMeanSquare;
}

/// Whether |d| < 2^9: 8 bits, and a zero point of at most 255 where there is no
/// mean.
inline bool isSmall(const LayerNormIntParams &p) {
  return dtypeBytes(p.inType) == 1;
}

/// A mean of values is within their range: no clip is needed.
inline int32_t meanOf(int64_t sum, double terms) {
  return int32_t(math::roundEven(math::fromI64(sum) / terms));
}

/// g of one group. Means of squares fit 35 bits, with epsilon 36.
inline int32_t gainOf(const LayerNormIntParams &p, int64_t squares,
                      double terms, const int16_t *table) {
  squares += int64_t(uint64_t(p.epsilonHigh) << 32 | p.epsilonLow);
  if (p.form == NormForm::Narrow)
    return int32_t((inverseSqrt(squares >> p.varShift, table) + 32768) >> 16);
  double mean = math::floor(math::fromI64(squares) / terms);
  double high = math::floor(mean * 0x1p-32);
  int64_t variance =
      int64_t(uint64_t(uint32_t(high)) << 32 | uint32_t(mean - high * 0x1p32));
  int64_t gain = (inverseSqrt(variance, table) + 32768) >> 16;
  return requantize(gain, p.normScale, p.normShift, 0, 0, 65535);
}

/// clip(RNE(d * g * normScale / 2^shift)) in 32 bits: with g * normScale <=
/// 2^21 and |d| < 2^8 a product is at most 2^29, as requantizeSmallChunk needs.
template <typename Gains>
inline void narrowChunk(const LayerNormIntParams &p, int32_t *d, uint32_t n,
                        const Gains &gain) {
  int32_t shift = 8 + p.normShift;
  int32_t right = shift < 30 ? shift : 30;
  int32_t odd = right > 0;
  int32_t bias = ((int32_t(1) << right) >> 1) - odd;
  for (uint32_t i = 0; i < n; ++i) {
    int32_t product = d[i] * (gain[i] * p.normScale);
    int32_t y = (product + bias + ((product >> right) & odd)) >> right;
    y = y < p.normLo ? p.normLo : y;
    d[i] = y > p.normHi ? p.normHi : y;
  }
}

/// The same of any gain: a product has up to 9 + 16 + 16 bits, the 16-bit one
/// 15 + 16.
template <typename Gains>
inline void wideChunk(const LayerNormIntParams &p, int32_t *d, uint32_t n,
                      const Gains &gain) {
  bool isNarrow = p.form == NormForm::Narrow;
  RoundShift s = makeRoundShift(isNarrow ? 8 + p.normShift : 7);
  int32_t scale = isNarrow ? p.normScale : 1, preShift = isNarrow ? 0 : 1;
  for (uint32_t i = 0; i < n; ++i) {
    int64_t product = int64_t(d[i] >> preShift) * gain[i] * scale;
    int64_t y = s.left ? roundShiftHalfEven(product, s)
                       : roundRightShift(product, s.right, s.bias, s.odd);
    d[i] = int32_t(clamp<int64_t>(y, p.normLo, p.normHi));
  }
}

template <typename T, typename Gains>
inline void rootMeanSquareChunk(const LayerNormIntParams &p, int32_t *d,
                                uint32_t n, const Gains &gain) {
  for (uint32_t i = 0; i < n; ++i) {
    T y = (T(d[i]) * gain[i] + 128) >> 8;
    d[i] = int32_t(clamp<T>(y, p.normLo, p.normHi));
  }
}

/// From d to n. `isSmallGain` is about g * normScale.
template <typename Gains>
inline void normalizeChunk(const LayerNormIntParams &p, int32_t *d, uint32_t n,
                           const Gains &gain, bool isSmallGain) {
  if (p.form == NormForm::RootMeanSquare) {
    if (isSmall(p)) // 9 + 16 bits
      return rootMeanSquareChunk<int32_t>(p, d, n, gain);
    return rootMeanSquareChunk<int64_t>(p, d, n, gain);
  }
  if (p.form == NormForm::Narrow && isSmallGain)
    return narrowChunk(p, d, n, gain);
  wideChunk(p, d, n, gain);
}

inline bool isSmallGain(const LayerNormIntParams &p, int32_t gain) {
  if (p.form == NormForm::RootMeanSquare)
    return true;
  return p.normShift >= -8 && int64_t(gain) * p.normScale <= 1 << 21;
}

/// One group's value, and that of each column.
inline void loadEach(const SameForAll<int32_t> &same, uint32_t, WholeStrip,
                     Strip<int32_t> &x) {
  x = Strip<int32_t>{} + same.value;
}
inline void loadEach(const SameForAll<int32_t> &same, uint32_t, PartOfStrip,
                     Strip<int32_t> &x) {
  x = Strip<int32_t>{} + same.value;
}
template <typename Size>
inline void loadEach(const int32_t *each, uint32_t i, Size size,
                     Strip<int32_t> &x) {
  loadStrip<int32_t>(each, i, size, x);
}

/// What both walks of a group share: its values, and its results.
class Chunks {
public:
  Chunks(const LayerNormIntParams &p, LayerNormIntBuffers buffers)
      : p(p), buffers(buffers),
        epilogue(p.requant, buffers.scale(), buffers.shift()),
        smallRequant(p.requant.scale, p.requant.shift, p.requant.zp,
                     p.requant.lo, p.requant.hi, mostSum(p)),
        wideRequant(p.requant, buffers.scale(), buffers.shift()) {}

  const int16_t *table() const {
    return static_cast<const int16_t *>(buffers.table());
  }
  const void *input() const { return buffers.input(); }
  void load(int64_t element, uint32_t n, int32_t *x) const {
    loadI32(p.inType, buffers.input(), element, n, x);
  }
  void load(int64_t element, uint32_t n, Columns<int32_t> &x) const {
    loadColumns(p.inType, buffers.input(), element, n, x);
  }

  /// Whether the groups whose gains are small take strips: bytes, and products
  /// with the gain in 32 bits.
  bool areStrips() const {
    bool isWideFit = !p.requant.perChannel && p.requant.shift >= 0;
    return isSmall(p) && p.form != NormForm::Wide &&
           (!p.hasWeights || contains(kWeightInts, p.weightType)) &&
           contains(kInt8To16, p.requant.outType) &&
           (p.hasSmallSums || isWideFit);
  }

  /// Stores the results of n neighbours whose d are x + offset.
  template <typename Each>
  void storeStrips(const Each &offset, const Each &gain, int64_t element,
                   uint32_t n, uint32_t affine) const {
    withByte(p.inType, [&](auto zero) {
      forEachStrip(0, n, [&](uint32_t i, auto size) {
        Strip<int32_t> d, each;
        loadStrip<decltype(zero)>(buffers.input(), element + i, size, d);
        loadEach(offset, i, size, each);
        d += each;
        loadEach(gain, i, size, each);
        normalizeStrip(each, d);
        int32_t step = int32_t(p.shape.innerAffineStride);
        weigh(affine + i * step, step, size, d);
        storeStrip(p.requant.outType, d, size, buffers.output(), element + i);
      });
    });
  }

  /// Stores the results of the d of a chunk; `n` lanes.
  template <typename Gains>
  void store(int32_t *d, const Gains &gain, bool smallGain, int64_t element,
             uint32_t n, uint32_t affine) const {
    int32_t w[kChunk], b[kChunk];
    uint32_t step = p.shape.innerAffineStride;
    normalizeChunk(p, d, n, gain, smallGain);
    if (p.hasWeights)
      loadI32(p.weightType, buffers.weights(), affine, n, w, step);
    if (p.hasBias)
      loadI32(DType::I32, buffers.bias(), affine, n, b, step);
    if (p.hasSmallSums) {
      for (uint32_t i = 0; i < n; ++i)
        d[i] = (p.hasWeights ? d[i] * w[i] : d[i]) + (p.hasBias ? b[i] : 0);
      requantizeSmall(d, n, affine, step);
      return storeI32(p.requant.outType, buffers.output(), element, n, d);
    }
    // 16 + 16 bits and 32 of the bias.
    int64_t acc[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = (p.hasWeights ? int64_t(d[i]) * w[i] : d[i]) +
               (p.hasBias ? int64_t(b[i]) : 0);
    epilogue.store(acc, n, affine, element, buffers.output(), step);
  }

  const LayerNormIntParams &p;

private:
  /// What n * weights + bias is at most, if it is known.
  static int64_t mostSum(const LayerNormIntParams &p) {
    constexpr int64_t kMost = 1 << 29;
    return p.requant.scale > 0 ? kMost / p.requant.scale : kMost;
  }

  /// From d to n, as narrowChunk and rootMeanSquareChunk.
  void normalizeStrip(Strip<int32_t> &gain, Strip<int32_t> &d) const {
    int32_t shift = 8 + p.normShift;
    if (p.form == NormForm::RootMeanSquare) {
      d = (d * gain + 128) >> 8;
    } else {
      d *= gain * p.normScale;
      roundShift(d, shift < 30 ? shift : 30);
    }
    limitStrip(d, 0, p.normLo, p.normHi);
  }

  /// From n to y.
  template <typename Size>
  void weigh(uint32_t affine, int32_t step, Size size,
             Strip<int32_t> &n) const {
    Strip<int32_t> w, b{};
    if (p.hasWeights) {
      loadWeights(p.weightType, buffers.weights(), affine, step, size, w);
      n *= w; // 16 + 16 bits at most
    }
    if (p.hasBias)
      loadStrip<int32_t>(buffers.bias(), affine, step, size, b);
    if (!p.hasSmallSums) {
      Strip<int64_t> sums = __builtin_convertvector(n, Strip<int64_t>) +
                            __builtin_convertvector(b, Strip<int64_t>);
      return wideRequant.apply(sums, affine, step, size, n);
    }
    n += b;
    if (!p.requant.perChannel)
      return smallRequant.apply(n);
    Strip<int32_t> scales, shifts;
    loadMultipliers(p.requant.scaleType, buffers.scale(), buffers.shift(),
                    affine, step, size, /*mostShift=*/30, scales, shifts);
    n *= scales;
    roundShiftEach(n, shifts);
    limitStrip(n, p.requant.zp, p.requant.lo, p.requant.hi);
  }

  void requantizeSmall(int32_t *sums, uint32_t n, uint32_t affine,
                       uint32_t step) const {
    const Requant &r = p.requant;
    if (!r.perChannel)
      return requantizeSmallChunk(sums, n, r.scale, r.shift, r.zp, r.lo, r.hi);
    int32_t scales[kChunk], shifts[kChunk];
    loadI32(r.scaleType, buffers.scale(), affine, n, scales, step);
    loadI32(DType::I8, buffers.shift(), affine, n, shifts, step);
    requantizeSmallChunkPerChannel(sums, n, scales, shifts, r.zp, r.lo, r.hi);
  }

  LayerNormIntBuffers buffers;
  IntEpilogue epilogue;
  StripRequant smallRequant;
  StripSums wideRequant;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LAYERNORMCHUNKS_H
