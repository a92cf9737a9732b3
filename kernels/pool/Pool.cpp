//===- Pool.cpp - Pooling kernels -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/pool/Pool.h"
#include "kernels/Epilogue.h"
#include "kernels/Numeric.h"
#include "kernels/pool/PoolCells.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

uint32_t divisorOf(const PoolShape &s, uint32_t cells) {
  if (s.countIncludePad)
    return s.kernelH * s.kernelW;
  return cells ? cells : 1;
}

int32_t lowestOf(DType type) {
  return type == DType::I8 ? -128 : type == DType::I16 ? -32768 : 0;
}

} // namespace

YARROW_KERNEL(yk_pool_int, PoolInt) {
  const PoolShape &s = p.shape;
  Requant r;
  r.outType = p.outType;
  r.zp = p.zp;
  r.lo = p.lo;
  r.hi = p.hi;
  auto maximum = [&](uint32_t out, uint32_t c, uint32_t n) {
    int32_t x[kChunk], best[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      best[i] = lowestOf(p.inType);
    forEachCell(s, out, [&](int64_t cell) {
      loadI32(p.inType, buffers.input(), cell + c, n, x);
      for (uint32_t i = 0; i < n; ++i)
        best[i] = best[i] > x[i] ? best[i] : x[i];
    });
    storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n,
             best);
  };
  auto average = [&](uint32_t out, uint32_t c, uint32_t n) {
    int32_t x[kChunk];
    int64_t sum[kChunk] = {};
    uint32_t cells = forEachCell(s, out, [&](int64_t cell) {
      loadI32(p.inType, buffers.input(), cell + c, n, x);
      for (uint32_t i = 0; i < n; ++i)
        sum[i] += x[i] + p.inZp;
    });
    ScaleShift scale = averageScale(p.scaleRatio, divisorOf(s, cells));
    requantizeChunk(sum, n, scale.scale, scale.shift, r, x);
    storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n, x);
  };
  // Bytes: sums of at most 2^19, and with a scale of 8 bits less than 2^28, if
  // windows have no more than 2^10 cells and zero points no more than 8 bits.
  bool isSmall = dtypeBytes(p.inType) == 1 && p.inZp >= -256 && p.inZp <= 256 &&
                 s.kernelH * s.kernelW <= 1024;
  auto averageBytes = [&](uint32_t out, uint32_t c, uint32_t n) {
    int32_t x[kChunk], sum[kChunk] = {};
    uint32_t cells = forEachCell(s, out, [&](int64_t cell) {
      loadI32(p.inType, buffers.input(), cell + c, n, x);
      for (uint32_t i = 0; i < n; ++i)
        sum[i] += x[i];
    });
    int32_t zps = int32_t(cells) * p.inZp;
    for (uint32_t i = 0; i < n; ++i)
      sum[i] += zps;
    ScaleShift scale = averageScale(p.scaleRatio, divisorOf(s, cells));
    if (scale.shift >= 0) {
      requantizeSmallChunk(sum, n, scale.scale, scale.shift, p.zp, p.lo, p.hi);
    } else {
      int64_t wide[kChunk];
      for (uint32_t i = 0; i < n; ++i)
        wide[i] = sum[i];
      requantizeChunk(wide, n, scale.scale, scale.shift, r, sum);
    }
    storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n,
             sum);
  };
  if (s.method == PoolMethod::Max)
    forEachChannelChunk(s, task, taskCount, maximum);
  else if (isSmall)
    forEachChannelChunk(s, task, taskCount, averageBytes);
  else
    forEachChannelChunk(s, task, taskCount, average);
}

YARROW_KERNEL(yk_pool_float, PoolFloat) {
  const PoolShape &s = p.shape;
  auto chunk = [&](uint32_t out, uint32_t c, uint32_t n) {
    float x[kChunk], y[kChunk];
    float start = s.method == PoolMethod::Max ? -__builtin_huge_valf() : 0.0f;
    for (uint32_t i = 0; i < n; ++i)
      y[i] = start;
    uint32_t cells = forEachCell(s, out, [&](int64_t cell) {
      loadF32(p.inType, buffers.input(), cell + c, n, x);
      for (uint32_t i = 0; i < n; ++i) {
        float magnitude = __builtin_fabsf(x[i]);
        y[i] = s.method == PoolMethod::Max
                   ? (y[i] > x[i] || y[i] != y[i] ? y[i] : x[i])
               : s.method == PoolMethod::L1 ? y[i] + magnitude
               : s.method == PoolMethod::L2 ? y[i] + x[i] * x[i]
                                            : y[i] + x[i];
      }
    });
    float divisor = float(divisorOf(s, cells));
    for (uint32_t i = 0; i < n; ++i)
      y[i] = s.method == PoolMethod::Avg  ? y[i] / divisor
             : s.method == PoolMethod::L2 ? __builtin_sqrtf(y[i])
                                          : y[i];
    storeF32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n, y);
  };
  forEachChannelChunk(s, task, taskCount, chunk);
}
