//===- Pool3D.cpp - Means of windows of volumes in integers ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/Numeric.h"
#include "kernels/pool/PoolMore.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The cells of a window that lie in the volume along one axis: every
/// dilation-th from `first` on.
struct AxisCells {
  int64_t first = 0;
  uint32_t count = 0;

  AxisCells(uint32_t index, uint32_t stride, int32_t pad, uint32_t kernel,
            uint32_t dilation, uint32_t length) {
    int64_t start = int64_t(index) * stride - pad;
    uint32_t skipped = 0;
    while (skipped < kernel && start + int64_t(skipped) * dilation < 0)
      ++skipped;
    first = start + int64_t(skipped) * dilation;
    while (skipped + count < kernel &&
           first + int64_t(count) * dilation < length)
      ++count;
  }
};

/// RNE(x * numerator / denominator). With |x| < 2^36, of at most 2^19 cells of
/// 17 bits, and numerator < 2^27 all is below 2^63.
int64_t roundRatio(int64_t x, int64_t numerator, int64_t denominator) {
  int64_t n = x * numerator;
  int64_t q = n / denominator, rest = n - q * denominator;
  // Towards minus infinity first.
  q -= rest < 0;
  rest += rest < 0 ? denominator : 0;
  int64_t twice = 2 * rest;
  return q + (twice > denominator || (twice == denominator && (q & 1)));
}

/// RNE(x * s.scale / 2^s.shift).
void scaleChunk(int64_t *x, uint32_t n, ScaleShift s) {
  RoundShift round = makeRoundShift(s.shift);
  for (uint32_t i = 0; i < n; ++i)
    x[i] = roundShiftHalfEven(x[i] * s.scale, round);
}

/// The mean of n sums of `valid` cells, as the reference rounds it.
void averageChunk(const PoolAverage3DIntParams &p, uint32_t valid, int64_t *sum,
                  uint32_t n) {
  const PoolVolume &s = p.shape;
  uint32_t area = s.kernelH * s.kernelW, cells = area * s.kernelD;
  if (s.dilationD > 1 || s.dilationH > 1 || s.dilationW > 1) {
    uint32_t divisor = p.countIncludePad ? cells : valid ? valid : 1;
    return scaleChunk(sum, n, averageScale(1.0f, divisor));
  }
  ScaleShift perPlane = averageScale(1.0f, area);
  if (p.countIncludePad || valid == cells || valid == 0) {
    scaleChunk(sum, n, perPlane);
  } else {
    // As if the missing cells had the mean of the others. 1 / area has a shift
    // of 7 at least.
    int64_t numerator = int64_t(cells) * perPlane.scale;
    int64_t denominator = int64_t(valid) << perPlane.shift;
    for (uint32_t i = 0; i < n; ++i)
      sum[i] = roundRatio(sum[i], numerator, denominator);
  }
  scaleChunk(sum, n, averageScale(1.0f, s.kernelD));
}

} // namespace

YARROW_KERNEL(yk_pool_average3d_int, PoolAverage3DInt) {
  const PoolVolume &s = p.shape;
  int32_t zp = p.countIncludePad ? p.zp : 0;
  Share share = shareOf(s.batch * s.outD * s.outH, task, taskCount);
  for (uint32_t out = share.begin * s.outW; out < share.end * s.outW; ++out) {
    uint32_t row = out / s.outW, plane = row / s.outH;
    AxisCells xs(out % s.outW, s.strideW, s.padLeft, s.kernelW, s.dilationW,
                 s.inW);
    AxisCells ys(row % s.outH, s.strideH, s.padTop, s.kernelH, s.dilationH,
                 s.inH);
    AxisCells zs(plane % s.outD, s.strideD, s.padFront, s.kernelD, s.dilationD,
                 s.inD);
    int64_t volume = int64_t(plane / s.outD) * s.inD;
    auto addCells = [&](uint32_t c, uint32_t n, int64_t *sum) {
      int32_t x[kChunk];
      for (uint32_t k = 0; k < zs.count; ++k)
        for (uint32_t j = 0; j < ys.count; ++j)
          for (uint32_t i = 0; i < xs.count; ++i) {
            int64_t at = volume + zs.first + int64_t(k) * s.dilationD;
            at = at * s.inH + ys.first + int64_t(j) * s.dilationH;
            at = at * s.inW + xs.first + int64_t(i) * s.dilationW;
            loadI32(p.inType, buffers.input(), at * s.channels + c, n, x);
            for (uint32_t e = 0; e < n; ++e)
              sum[e] += x[e] + zp;
          }
    };
    forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
      int64_t sum[kChunk] = {};
      addCells(c, n, sum);
      averageChunk(p, zs.count * ys.count * xs.count, sum, n);
      int32_t y[kChunk];
      for (uint32_t e = 0; e < n; ++e)
        y[e] = int32_t(clamp<int64_t>(sum[e] - zp, p.lo, p.hi));
      storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n,
               y);
    });
  }
}
