//===- Convert.cpp - Type and scale conversion kernels --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/convert/Convert.h"
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/WideElements.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// clip(x) as an integer, x already whole; NaN is 0 clipped.
int32_t clipToI32(double x, int32_t lo, int32_t hi) {
  double limited = clamp<double>(x == x ? x : 0.0, lo, hi);
  return int32_t(limited);
}

bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F16 || type == DType::BF16;
}

/// x * scale / 2^shift towards zero; a negative shift multiplies and saturates.
void scaleTowardsZero(int64_t *x, uint32_t n, int32_t scale, int32_t shift) {
  int32_t right = clamp<int32_t>(shift, 0, 62);
  int32_t left = clamp<int32_t>(-shift, 0, 62);
  for (uint32_t k = 0; k < n; ++k) {
    int64_t y = wrapMul(x[k], scale);
    y = y < 0 ? -(-y >> right) : y >> right;
    y = clamp(y, INT64_MIN >> left, INT64_MAX >> left);
    x[k] = int64_t(uint64_t(y) << left);
  }
}

/// As castIntegers, from or to a type that int32 does not hold.
void castWideIntegers(const CastParams &p, const void *src, void *dst,
                      uint32_t i, uint32_t n) {
  constexpr int64_t kMost = int64_t(1) << 46; // times a scale: 2^62
  int64_t x[kChunk];
  loadI64(p.inType, src, i, n, x);
  for (uint32_t k = 0; k < n; ++k)
    x[k] = int64_t(uint64_t(x[k]) + uint64_t(int64_t(p.inZp)));
  if (p.mode == CastMode::Requantize ||
      p.mode == CastMode::RequantizeTowardsZero)
    for (uint32_t k = 0; k < n; ++k)
      x[k] = clamp(x[k], -kMost, kMost);
  if (p.mode == CastMode::RequantizeTowardsZero)
    scaleTowardsZero(x, n, p.scale, p.shift);
  if (p.mode == CastMode::Requantize) {
    RoundShift shift = makeRoundShift(p.shift);
    for (uint32_t k = 0; k < n; ++k)
      x[k] = roundShiftHalfEven(wrapMul(x[k], p.scale), shift);
  }
  bool isI64 = p.outType == DType::I64, isU32 = p.outType == DType::U32;
  int64_t lo = isI64 ? INT64_MIN : isU32 ? 0 : p.lo;
  int64_t hi = isI64 ? INT64_MAX : isU32 ? UINT32_MAX : p.hi;
  for (uint32_t k = 0; k < n; ++k) {
    int64_t y = int64_t(uint64_t(x[k]) - uint64_t(int64_t(p.zp)));
    x[k] = p.mode == CastMode::Wrap ? y : clamp(y, lo, hi);
  }
  storeI64(p.outType, dst, i, n, x);
}

void castIntegers(const CastParams &p, const void *src, void *dst, uint32_t i,
                  uint32_t n) {
  int32_t x[kChunk];
  int64_t acc[kChunk];
  loadI32(p.inType, src, i, n, x);
  for (uint32_t k = 0; k < n; ++k)
    acc[k] = int64_t(x[k]) + p.inZp;
  if (p.mode == CastMode::RequantizeTowardsZero)
    scaleTowardsZero(acc, n, p.scale, p.shift);
  if (p.mode == CastMode::Wrap) {
    for (uint32_t k = 0; k < n; ++k)
      x[k] = int32_t(acc[k] - p.zp);
  } else {
    Requant r;
    r.zp = p.zp;
    r.lo = p.lo;
    r.hi = p.hi;
    r.rounding = p.rounding;
    bool scaled = p.mode == CastMode::Requantize;
    requantizeChunk(acc, n, scaled ? p.scale : 1, scaled ? p.shift : 0, r, x);
  }
  storeI32(p.outType, dst, i, n, x);
}

/// Every number but 0 is true, NaN too.
void castToBool(const CastParams &p, const void *src, void *dst, uint32_t i,
                uint32_t n) {
  int32_t truth[kChunk];
  if (isFloat(p.inType)) {
    float x[kChunk];
    loadF32(p.inType, src, i, n, x);
    for (uint32_t k = 0; k < n; ++k)
      truth[k] = x[k] != 0;
  } else {
    int64_t x[kChunk];
    loadI64(p.inType, src, i, n, x);
    for (uint32_t k = 0; k < n; ++k)
      truth[k] = x[k] + p.inZp != 0;
  }
  storeI32(p.outType, dst, i, n, truth);
}

/// A whole number as int64, limited; NaN is 0. In two halves: a TEC has no
/// conversion to 64 bits.
int64_t clipToI64(double x, int64_t lo, int64_t hi) {
  constexpr double kHalf = 4294967296.0;
  if (!(x == x))
    return 0;
  if (x >= kHalf * 2147483648.0)
    return hi;
  if (x < -kHalf * 2147483648.0)
    return lo;
  double high = math::floor(x * (1 / kHalf)); // exact, as is the rest
  double low = x - high * kHalf;              // 0 .. 2^32 - 1
  double middle = math::floor(low * (1.0 / 65536));
  auto bits = uint64_t(uint32_t(int32_t(low - middle * 65536)));
  bits |= uint64_t(uint32_t(int32_t(middle))) << 16;
  bits |= uint64_t(uint32_t(int32_t(high))) << 32;
  return clamp(int64_t(bits), lo, hi);
}

void castFloats(const CastParams &p, const void *src, void *dst, uint32_t i,
                uint32_t n) {
  float x[kChunk];
  loadF32(p.inType, src, i, n, x);
  if (isFloat(p.outType))
    return storeF32(p.outType, dst, i, n, x);
  if (exceedsI32(p.outType)) {
    bool isU32 = p.outType == DType::U32;
    int64_t y[kChunk];
    for (uint32_t k = 0; k < n; ++k)
      y[k] = clipToI64(math::trunc(x[k]), isU32 ? 0 : INT64_MIN,
                       isU32 ? UINT32_MAX : INT64_MAX);
    return storeI64(p.outType, dst, i, n, y);
  }
  int32_t y[kChunk];
  for (uint32_t k = 0; k < n; ++k)
    y[k] = clipToI32(math::trunc(x[k]), p.lo, p.hi);
  storeI32(p.outType, dst, i, n, y);
}

/// Moves elements that keep their bytes.
void copyRun(DType type, const void *src, int64_t from, void *dst, int64_t to,
             uint32_t n) {
  __builtin_memcpy(bytesAt(dst, type, to), bytesAt(src, type, from),
                   n * dtypeBytes(type));
}

/// A branch's part of a row, of any types.
void requantizeRun(const ConcatParams &p, const ConcatBranch &branch,
                   const void *input, int64_t from, void *output, int64_t to) {
  bool isSmall = dtypeBytes(branch.inType) == 1 && branch.shift >= 0 &&
                 branch.inZp >= -256 && branch.inZp <= 256;
  forEachChunk(0, branch.inner, [&](uint32_t i, uint32_t n) {
    int32_t x[kChunk];
    loadI32(branch.inType, input, from + i, n, x);
    if (isSmall) {
      for (uint32_t k = 0; k < n; ++k)
        x[k] += branch.inZp;
      requantizeSmallChunk(x, n, branch.scale, branch.shift, p.zp, p.lo, p.hi);
    } else {
      int64_t acc[kChunk];
      for (uint32_t k = 0; k < n; ++k)
        acc[k] = int64_t(x[k]) + branch.inZp;
      Requant r;
      r.zp = p.zp;
      r.lo = p.lo;
      r.hi = p.hi;
      requantizeChunk(acc, n, branch.scale, branch.shift, r, x);
    }
    storeI32(p.outType, output, to + i, n, x);
  });
}

/// clip(RNE(x), lo, hi) of strips, limits being within 2^22; NaN is 0 clipped.
/// Limited first, as limits are whole.
void limitAndRound(Strip<float> x, int32_t lo, int32_t hi, Strip<int32_t> &y) {
  x = x == x ? x : Strip<float>{};
  x = __builtin_elementwise_max(x, Strip<float>{} + float(lo));
  x = __builtin_elementwise_min(x, Strip<float>{} + float(hi));
  roundStrip(x, y);
}

/// clip(round(scaled) - zp, lo, hi), before the zero point.
int32_t quantizeFirst(const QuantizeParams &p, float scaled) {
  double x = scaled == scaled ? double(scaled) : 0;
  double whole = p.rounding == QuantizeRounding::First
                     ? math::roundEven(x)
                     : math::copySign(math::floor(math::abs(x) + 0.5), x);
  return int32_t(clamp<double>(whole - p.zp, p.lo, p.hi));
}

/// float32 to the integers T.
template <typename T>
void quantizeStrips(const QuantizeParams &p, Share share, const void *input,
                    void *output) {
  forEachStrip(share.begin, share.end, [&](uint32_t i, auto size) {
    Strip<float> x;
    loadStrip<float>(input, i, size, x);
    // The product and the difference are rounded to float32 each.
    Strip<int32_t> y;
    if (p.rounding == QuantizeRounding::First) {
      limitAndRound(x * p.scale, p.lo + p.zp, p.hi + p.zp, y);
      y -= p.zp;
    } else {
      limitAndRound(x * p.scale - float(p.zp), p.lo, p.hi, y);
    }
    storeStrip<T>(y, size, output, i);
  });
}

} // namespace

YARROW_KERNEL(yk_quantize, Quantize) {
  Share share = shareOf(p.count, task, taskCount);
  if (p.inType == DType::F32 && isSmallInt(p.outType) &&
      p.rounding != QuantizeRounding::FirstAway)
    return withSmallInt(p.outType, [&](auto zero) {
      quantizeStrips<decltype(zero)>(p, share, buffers.input(),
                                     buffers.output());
    });
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    float x[kChunk];
    int32_t y[kChunk];
    loadF32(p.inType, buffers.input(), i, n, x);
    for (uint32_t k = 0; k < n; ++k) {
      // The product and the difference are rounded to float32 each.
      float scaled = p.scale * x[k];
      y[k] = p.rounding == QuantizeRounding::Sum
                 ? clipToI32(math::roundEven(scaled - float(p.zp)), p.lo, p.hi)
                 : quantizeFirst(p, scaled);
    }
    storeI32(p.outType, buffers.output(), i, n, y);
  });
}

YARROW_KERNEL(yk_dequantize, Dequantize) {
  Share share = shareOf(p.count, task, taskCount);
  float step = 1.0f / p.scale, zp = float(p.zp);
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    float x[kChunk];
    loadF32(p.inType, buffers.input(), i, n, x);
    for (uint32_t k = 0; k < n; ++k)
      x[k] = (x[k] + zp) * step;
    storeF32(p.outType, buffers.output(), i, n, x);
  });
}

YARROW_KERNEL(yk_cast, Cast) {
  Share share = shareOf(p.count, task, taskCount);
  if (p.mode == CastMode::Requantize && p.outType != DType::Bool &&
      requantizeBytes(p.inType, buffers.input(), share.begin, p.inZp,
                      /*isRelu=*/false, p.outType, buffers.output(),
                      share.begin, share.end - share.begin, p.scale, p.shift,
                      p.zp, p.lo, p.hi, p.rounding))
    return;
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    if (p.outType == DType::Bool)
      castToBool(p, buffers.input(), buffers.output(), i, n);
    else if (p.mode == CastMode::Float)
      castFloats(p, buffers.input(), buffers.output(), i, n);
    else if (exceedsI32(p.inType) || exceedsI32(p.outType))
      castWideIntegers(p, buffers.input(), buffers.output(), i, n);
    else
      castIntegers(p, buffers.input(), buffers.output(), i, n);
  });
}

YARROW_KERNEL(yk_concat, Concat) {
  void *output = buffers.output();
  Share share = shareOf(p.outer, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    int64_t to = int64_t(row) * p.outInner + p.rowOffset;
    // Specialized, each branch has its own constants.
#pragma clang loop unroll(full)
    for (uint32_t b = 0; b < p.inputCount; ++b) {
      const ConcatBranch &branch = p.branches[b];
      const void *input = buffers.inputs(b);
      int64_t from = int64_t(row) * branch.inner;
      if (branch.scale == 1 && branch.shift == 0 && branch.inZp == p.zp &&
          branch.inType == p.outType)
        copyRun(p.outType, input, from, output, to, branch.inner);
      else if (!requantizeBytes(branch.inType, input, from, branch.inZp,
                                /*isRelu=*/false, p.outType, output, to,
                                branch.inner, branch.scale, branch.shift, p.zp,
                                p.lo, p.hi))
        requantizeRun(p, branch, input, from, output, to);
      to += branch.inner;
    }
  }
}
