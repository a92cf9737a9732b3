//===- Convert.cpp - Type and scale conversion kernels --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/convert/Convert.h"
#include "kernels/Epilogue.h"
#include "kernels/Math.h"

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

void castIntegers(const CastParams &p, const void *src, void *dst, uint32_t i,
                  uint32_t n) {
  int32_t x[kChunk];
  int64_t acc[kChunk];
  loadI32(p.inType, src, i, n, x);
  for (uint32_t k = 0; k < n; ++k)
    acc[k] = p.inZp +
             (p.inType == DType::U32 ? int64_t(uint32_t(x[k])) : int64_t(x[k]));
  if (p.mode == CastMode::RequantizeTowardsZero) {
    int32_t right = clamp<int32_t>(p.shift, 0, 62);
    for (uint32_t k = 0; k < n; ++k) {
      int64_t y = wrapMul(acc[k], p.scale);
      acc[k] = y < 0 ? -(-y >> right) : y >> right;
    }
  }
  if (p.mode == CastMode::Wrap) {
    for (uint32_t k = 0; k < n; ++k)
      x[k] = int32_t(acc[k] - p.zp);
  } else {
    Requant r;
    r.zp = p.zp;
    r.lo = p.lo;
    r.hi = p.hi;
    bool scaled = p.mode == CastMode::Requantize;
    requantizeChunk(acc, n, scaled ? p.scale : 1, scaled ? p.shift : 0, r, x);
  }
  storeI32(p.outType, dst, i, n, x);
}

void castFloats(const CastParams &p, const void *src, void *dst, uint32_t i,
                uint32_t n) {
  float x[kChunk];
  loadF32(p.inType, src, i, n, x);
  if (isFloat(p.outType))
    return storeF32(p.outType, dst, i, n, x);
  int32_t y[kChunk];
  if (p.outType == DType::Bool) {
    for (uint32_t k = 0; k < n; ++k)
      y[k] = x[k] != 0;
  } else {
    for (uint32_t k = 0; k < n; ++k)
      y[k] = clipToI32(math::trunc(x[k]), p.lo, p.hi);
  }
  storeI32(p.outType, dst, i, n, y);
}

/// Moves elements that keep their bytes.
void copyRun(DType type, const void *src, int64_t from, void *dst, int64_t to,
             uint32_t n) {
  __builtin_memcpy(bytesAt(dst, type, to), bytesAt(src, type, from),
                   n * dtypeBytes(type));
}

} // namespace

YARROW_KERNEL(yk_quantize, Quantize) {
  Share share = shareOf(p.count, task, taskCount);
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    float x[kChunk];
    int32_t y[kChunk];
    loadF32(p.inType, buffers.input(), i, n, x);
    for (uint32_t k = 0; k < n; ++k) {
      // The product and the difference are rounded to float32 each.
      float scaled = p.scale * x[k] - float(p.zp);
      y[k] = clipToI32(math::roundEven(scaled), p.lo, p.hi);
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
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    if (p.mode == CastMode::Float)
      castFloats(p, buffers.input(), buffers.output(), i, n);
    else
      castIntegers(p, buffers.input(), buffers.output(), i, n);
  });
}

YARROW_KERNEL(yk_concat, Concat) {
  void *output = buffers.output();
  Share share = shareOf(p.outer, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    int64_t to = int64_t(row) * p.outInner + p.rowOffset;
    for (uint32_t b = 0; b < p.inputCount; ++b) {
      const ConcatBranch &branch = p.branches[b];
      int64_t from = int64_t(row) * branch.inner;
      bool same = branch.scale == 1 && branch.shift == 0 &&
                  branch.inZp == p.zp && branch.inType == p.outType;
      if (same)
        copyRun(p.outType, buffers.inputs(b), from, output, to, branch.inner);
      forEachChunk(0, same ? 0 : branch.inner, [&](uint32_t i, uint32_t n) {
        int32_t x[kChunk];
        int64_t acc[kChunk];
        loadI32(branch.inType, buffers.inputs(b), from + i, n, x);
        if (dtypeBytes(branch.inType) == 1 && branch.shift >= 0 &&
            branch.inZp >= -256 && branch.inZp <= 256) {
          for (uint32_t k = 0; k < n; ++k)
            x[k] += branch.inZp;
          requantizeSmallChunk(x, n, branch.scale, branch.shift, p.zp, p.lo,
                               p.hi);
        } else {
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
      to += branch.inner;
    }
  }
}
