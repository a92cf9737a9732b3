//===- Epilogue.h - Fused activation and requantization -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The end of every arithmetic kernel: a chunk of accumulators becomes a chunk
// of stored elements (docs/operators/activation.md, Activation;
// docs/explanation/quantization.md).
//
//   IntEpilogue epilogue(p.requant, scale, shift, slope);
//   epilogue.store(acc, n, /*channel=*/c, /*element=*/i, output);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_EPILOGUE_H
#define YARROW_KERNELS_EPILOGUE_H

#include "kernels/Elements.h"
#include "kernels/Params.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

/// What sums begin with: biases of I32 or I64.
inline void loadBias(DType type, const void *bias, uint32_t first, uint32_t n,
                     int64_t *acc) {
  if (type == DType::I64) {
    const int64_t *b = static_cast<const int64_t *>(bias) + first;
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = b[i];
    return;
  }
  const int32_t *b = static_cast<const int32_t *>(bias) + first;
  for (uint32_t i = 0; i < n; ++i)
    acc[i] = b[i];
}

/// requantizeChunk of Rounding::Double.
inline void requantizeTwiceChunk(const int64_t *acc, uint32_t n, int32_t scale,
                                 int32_t shift, const Requant &r,
                                 int32_t *out) {
  TwiceShift s = makeTwiceShift(shift);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t y = requantizeTwice(acc[i], scale, s) - r.zp;
    out[i] = int32_t(clamp<int64_t>(y, r.lo, r.hi));
  }
}
inline void requantizeTwiceChunkPerChannel(const int64_t *acc, uint32_t n,
                                           const int32_t *scale,
                                           const int32_t *shift,
                                           const Requant &r, int32_t *out) {
  for (uint32_t i = 0; i < n; ++i) {
    int64_t y = requantizeTwice(acc[i], scale[i], makeTwiceShift(shift[i]));
    out[i] = int32_t(clamp<int64_t>(y - r.zp, r.lo, r.hi));
  }
}

/// requantizeChunk without a shift to the left.
__attribute__((always_inline)) inline void
requantizeByOne(const int64_t *acc, uint32_t n, int32_t scale, RoundShift s,
                const Requant &r, int32_t *out) {
  int64_t lo = int64_t(r.lo) + r.zp, hi = int64_t(r.hi) + r.zp;
  int32_t zp = r.zp;
  for (uint32_t i = 0; i < n; ++i) {
    int64_t y = roundRightShift(wrapMul(acc[i], scale), s.right, s.bias, s.odd);
    y = y < lo ? lo : y;
    y = y > hi ? hi : y;
    // hi + zp may be above int32, the difference is not.
    out[i] = int32_t(uint32_t(y) - uint32_t(zp));
  }
}

/// requantizeChunkPerChannel of roundings that are not Double.
__attribute__((always_inline)) inline void
requantizeElements(const int64_t *acc, uint32_t n, const int32_t *scale,
                   const int32_t *shift, const Requant &r, int32_t *out) {
  int64_t lo = int64_t(r.lo) + r.zp, hi = int64_t(r.hi) + r.zp;
  int64_t isEven = r.rounding == Rounding::HalfEven;
  int32_t zp = r.zp;
  for (uint32_t i = 0; i < n; ++i) {
    int32_t right = shift[i] > 0 ? shift[i] : 0;
    int32_t left = shift[i] < 0 ? -shift[i] : 0;
    right = right > 62 ? 62 : right;
    left = left > 62 ? 62 : left;
    int64_t odd = int64_t(right > 0) & isEven;
    // 2^right / 2, less 1 for ties to even, and 0 for right = 0.
    int64_t bias = ((int64_t(1) << right) >> 1) - odd;
    int64_t x =
        clamp(wrapMul(acc[i], scale[i]), INT64_MIN >> left, INT64_MAX >> left);
    int64_t y = roundRightShift(int64_t(uint64_t(x) << left), right, bias, odd);
    y = y < lo ? lo : y;
    y = y > hi ? hi : y;
    out[i] = int32_t(y) - zp;
  }
}

#ifdef __x86_64__
/// Both by the host's widest vectors.
struct RequantizeOfHost {
  void (*elements)(const int64_t *acc, uint32_t n, const int32_t *scale,
                   const int32_t *shift, const Requant &r, int32_t *out);
  void (*byOne)(const int64_t *acc, uint32_t n, int32_t scale, RoundShift s,
                const Requant &r, int32_t *out);
};
RequantizeOfHost requantizeOfHost();
#endif

/// clip(round(acc * scale / 2^shift) - zp, lo, hi) over a chunk with one scale.
inline void requantizeChunk(const int64_t *acc, uint32_t n, int32_t scale,
                            int32_t shift, const Requant &r, int32_t *out) {
  if (r.rounding == Rounding::Double)
    return requantizeTwiceChunk(acc, n, scale, shift, r, out);
  RoundShift s = makeRoundShift(shift, r.rounding);
  if (s.left == 0) {
#ifdef __x86_64__
    static const RequantizeOfHost host = requantizeOfHost();
    return host.byOne(acc, n, scale, s, r, out);
#else
    return requantizeByOne(acc, n, scale, s, r, out);
#endif
  }
  int64_t lo = int64_t(r.lo) + r.zp, hi = int64_t(r.hi) + r.zp;
  for (uint32_t i = 0; i < n; ++i) {
    int64_t y = shiftRounded(wrapMul(acc[i], scale), s);
    out[i] = int32_t(clamp(y, lo, hi) - r.zp);
  }
}

/// requantizeChunk in 32 bits, in place: half the vector work of 64. For values
/// |x| <= 2^9 (8 bits and a zero point) and scale < 2^16, so that every product
/// is below 2^25, or others with products of at most 2^29; shift >= 0. Shifts
/// beyond 30 round such products to 0 as 30 does, and at 30 the bias is below
/// 2^29: no sum leaves int32.
inline void requantizeSmallChunk(int32_t *x, uint32_t n, int32_t scale,
                                 int32_t shift, int32_t zp, int32_t lo,
                                 int32_t hi) {
  int32_t right = shift < 30 ? shift : 30;
  int32_t odd = right > 0;
  int32_t bias = ((int32_t(1) << right) >> 1) - odd;
  for (uint32_t i = 0; i < n; ++i) {
    int32_t product = x[i] * scale;
    int32_t y = (product + bias + ((product >> right) & odd)) >> right;
    y -= zp;
    y = y < lo ? lo : y;
    x[i] = y > hi ? hi : y;
  }
}

/// The same with a scale and a shift per element.
inline void requantizeSmallChunkPerChannel(int32_t *x, uint32_t n,
                                           const int32_t *scale,
                                           const int32_t *shift, int32_t zp,
                                           int32_t lo, int32_t hi) {
  for (uint32_t i = 0; i < n; ++i) {
    int32_t right = shift[i] < 30 ? shift[i] : 30;
    int32_t odd = right > 0;
    int32_t bias = ((int32_t(1) << right) >> 1) - odd;
    int32_t product = x[i] * scale[i];
    int32_t y = (product + bias + ((product >> right) & odd)) >> right;
    y -= zp;
    y = y < lo ? lo : y;
    x[i] = y > hi ? hi : y;
  }
}

/// requantizeChunk with a scale and a shift per element.
inline void requantizeChunkPerChannel(const int64_t *acc, uint32_t n,
                                      const int32_t *scale,
                                      const int32_t *shift, const Requant &r,
                                      int32_t *out) {
  if (r.rounding == Rounding::Double)
    return requantizeTwiceChunkPerChannel(acc, n, scale, shift, r, out);
#ifdef __x86_64__
  static const RequantizeOfHost host = requantizeOfHost();
  host.elements(acc, n, scale, shift, r, out);
#else
  requantizeElements(acc, n, scale, shift, r, out);
#endif
}

/// max(acc, 0) + RNE(min(acc, 0) * slope / 2^shift).
inline void leakyChunk(int64_t *acc, uint32_t n, int32_t slope, int32_t shift) {
  RoundShift s = makeRoundShift(shift);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t negative = acc[i] < 0 ? acc[i] : 0;
    int64_t positive = acc[i] > 0 ? acc[i] : 0;
    acc[i] = positive + roundShiftHalfEven(wrapMul(negative, slope), s);
  }
}
inline void preluChunk(int64_t *acc, uint32_t n, const int32_t *slope,
                       int32_t shift) {
  RoundShift s = makeRoundShift(shift);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t negative = acc[i] < 0 ? acc[i] : 0;
    int64_t positive = acc[i] > 0 ? acc[i] : 0;
    acc[i] = positive + roundShiftHalfEven(wrapMul(negative, slope[i]), s);
  }
}

/// CLIP: to 16-bit steps, clamp, to the output's steps: two roundings at 8
/// bits.
inline void clipChunk(int32_t *fine, uint32_t n, const Requant &r,
                      int32_t extraBits) {
  RoundShift s = makeRoundShift(extraBits);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t y = roundRightShift(fine[i], s.right, s.bias, s.odd) - r.zp;
    fine[i] = int32_t(clamp<int64_t>(y, r.lo, r.hi));
  }
}

class IntEpilogue {
public:
  /// `scale` and `shift` are read if r.perChannel, `slope` if r.act is PRelu.
  IntEpilogue(const Requant &r, const void *scale = nullptr,
              const void *shift = nullptr, const void *slope = nullptr)
      : r(r), scale(scale), shift(shift), slope(slope) {}

  /// Stores n <= kChunk accumulators (which it overwrites) as elements
  /// `element`... of `out`; their channels are `channel`, channel +
  /// channelStep, ... with a step of 0 or 1.
  void store(int64_t *acc, uint32_t n, uint32_t channel, int64_t element,
             void *out, uint32_t channelStep = 1) const {
    int32_t values[kChunk];
    if (r.act == Act::LeakyRelu && r.rounding != Rounding::HalfEven) {
      requantizeBySign(acc, n, values);
      return storeI32(r.outType, out, element, n, values);
    }
    activate(acc, n, element);
    if (r.act != Act::Clip) {
      requantizeTo(acc, n, channel, channelStep, r, 0, values);
    } else {
      int32_t extraBits = dtypeBytes(r.outType) == 1 ? 8 : 0;
      Requant fine = r;
      fine.zp = 0;
      fine.lo = r.clipMin;
      fine.hi = r.clipMax;
      requantizeTo(acc, n, channel, channelStep, fine, extraBits, values);
      clipChunk(values, n, r, extraBits);
    }
    storeI32(r.outType, out, element, n, values);
  }

private:
  void activate(int64_t *acc, uint32_t n, int64_t element) const {
    if (r.act == Act::Relu || r.act == Act::Relu6) {
      for (uint32_t i = 0; i < n; ++i)
        acc[i] = acc[i] > 0 ? acc[i] : 0;
    } else if (r.act == Act::LeakyRelu) {
      leakyChunk(acc, n, r.slope, r.slopeShift);
    } else if (r.act == Act::PRelu) {
      int32_t slopes[kChunk];
      loadSlopes(element, n, slopes);
      preluChunk(acc, n, slopes, r.slopeShift);
    }
  }

  /// LEAKYRELU with a multiplier for each side of 0.
  void requantizeBySign(const int64_t *acc, uint32_t n, int32_t *values) const {
    int32_t scales[kChunk], shifts[kChunk];
    for (uint32_t i = 0; i < n; ++i) {
      scales[i] = acc[i] < 0 ? r.slope : r.scale;
      shifts[i] = acc[i] < 0 ? r.slopeShift : r.shift;
    }
    requantizeChunkPerChannel(acc, n, scales, shifts, r, values);
  }

  void loadSlopes(int64_t element, uint32_t n, int32_t *slopes) const {
    uint32_t at = uint32_t(uint64_t(element) % r.slopeCount);
    for (uint32_t done = 0; done < n;) {
      uint32_t run =
          r.slopeCount - at < n - done ? r.slopeCount - at : n - done;
      loadI32(r.slopeType, slope, at, run, slopes + done);
      done += run;
      at = 0;
    }
  }

  /// Requantization with `q`, `lessShift` bits less of right shift.
  void requantizeTo(const int64_t *acc, uint32_t n, uint32_t channel,
                    uint32_t channelStep, const Requant &q, int32_t lessShift,
                    int32_t *out) const {
    if (!q.perChannel)
      return requantizeChunk(acc, n, q.scale, q.shift - lessShift, q, out);
    if (channelStep == 0)
      return requantizeChunk(acc, n, loadOneI32(q.scaleType, scale, channel),
                             loadOneI32(DType::I8, shift, channel) - lessShift,
                             q, out);
    int32_t scales[kChunk], shifts[kChunk];
    loadI32(q.scaleType, scale, channel, n, scales);
    loadI32(DType::I8, shift, channel, n, shifts);
    for (uint32_t i = 0; i < n; ++i)
      shifts[i] -= lessShift;
    requantizeChunkPerChannel(acc, n, scales, shifts, q, out);
  }

  const Requant &r;
  const void *scale, *shift, *slope;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_EPILOGUE_H
