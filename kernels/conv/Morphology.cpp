//===- Morphology.cpp - Extremes of windows and filters -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/Morphology.h"
#include "kernels/Epilogue.h"
#include "kernels/pool/PoolCells.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The filter's tap that meets the input at (y, x) in the window of output
/// pixel `out`.
uint32_t tapAt(const PoolShape &s, uint32_t isErosion, uint32_t out, uint32_t y,
               uint32_t x) {
  uint32_t top = out / s.outW % s.outH * s.strideH,
           left = out % s.outW * s.strideW;
  uint32_t ky = (y + uint32_t(s.padTop) - top) / s.dilationH;
  uint32_t kx = (x + uint32_t(s.padLeft) - left) / s.dilationW;
  uint32_t tap = ky * s.kernelW + kx;
  return isErosion ? s.kernelH * s.kernelW - 1 - tap : tap;
}

} // namespace

YARROW_KERNEL(yk_morphology_int, MorphologyInt) {
  const PoolShape &s = p.shape;
  uint32_t taps = s.kernelH * s.kernelW;
  bool isErosion = p.isErosion;
  auto chunk = [&](uint32_t out, uint32_t c, uint32_t n) {
    int32_t x[kChunk], w[kChunk];
    int64_t best[kChunk];
    // Beyond sums of 17 + 16 and 16 + 16 bits, and with a multiplier of 16 bits
    // below 2^62.
    constexpr int64_t kBeyond = int64_t(1) << 45;
    for (uint32_t i = 0; i < n; ++i)
      best[i] = isErosion ? kBeyond : -kBeyond;
    uint32_t cells = forEachPlacedCell(
        s, out, [&](int64_t cell, uint32_t row, uint32_t column) {
          loadI32(p.inType, buffers.input(), cell + c, n, x);
          uint32_t tap = tapAt(s, p.isErosion, out, row, column);
          loadI32(p.weightType, buffers.weights(), int64_t(c) * taps + tap, n,
                  w, taps);
          for (uint32_t i = 0; i < n; ++i) {
            int64_t a = (int64_t(x[i]) + p.inZp) * p.scaleInput;
            int64_t b = int64_t(w[i]) * p.scaleWeights;
            int64_t v = isErosion ? a - b : a + b;
            bool isBetter = isErosion ? v < best[i] : v > best[i];
            best[i] = isBetter ? v : best[i];
          }
        });
    if (cells > 0) {
      requantizeChunk(best, n, p.requant.scale, p.requant.shift, p.requant, x);
    } else {
      for (uint32_t i = 0; i < n; ++i)
        x[i] = isErosion ? p.requant.hi : p.requant.lo;
    }
    storeI32(p.requant.outType, buffers.output(), int64_t(out) * s.channels + c,
             n, x);
  };
  forEachChannelChunk(s, task, taskCount, chunk);
}

YARROW_KERNEL(yk_morphology_float, MorphologyFloat) {
  const PoolShape &s = p.shape;
  uint32_t taps = s.kernelH * s.kernelW;
  bool isErosion = p.isErosion;
  auto chunk = [&](uint32_t out, uint32_t c, uint32_t n) {
    float x[kChunk], w[kChunk], best[kChunk];
    float beyond = __builtin_huge_valf();
    for (uint32_t i = 0; i < n; ++i)
      best[i] = isErosion ? beyond : -beyond;
    forEachPlacedCell(s, out, [&](int64_t cell, uint32_t row, uint32_t column) {
      loadF32(p.inType, buffers.input(), cell + c, n, x);
      uint32_t tap = tapAt(s, p.isErosion, out, row, column);
      loadF32(p.weightType, buffers.weights(), int64_t(c) * taps + tap, n, w,
              taps);
      for (uint32_t i = 0; i < n; ++i) {
        float v = isErosion ? x[i] - w[i] : x[i] + w[i];
        // NaN stays NaN.
        bool isBetter = isErosion ? v < best[i] : v > best[i];
        best[i] = isBetter || v != v ? v : best[i];
      }
    });
    storeF32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n,
             best);
  };
  forEachChannelChunk(s, task, taskCount, chunk);
}
