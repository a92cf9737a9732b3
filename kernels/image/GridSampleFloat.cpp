//===- GridSampleFloat.cpp - Sampling images in floats --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/image/SampleTaps.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

constexpr double kFarAway = 1 << 30;

AxisTaps<float> tapsAt(const GridSampleShape &s, float place, uint32_t size) {
  bool aligned = s.alignCorners;
  // The reference's steps, each of them rounded.
  float n = float(size);
  float pixel = aligned ? (place + 1.0f) / 2.0f * (n - 1.0f)
                        : ((place + 1.0f) * n - 1.0f) / 2.0f;
  double v =
      pixel == pixel ? clamp(double(pixel), -kFarAway, kFarAway) : -kFarAway;
  if (s.method == SampleMethod::Nearest &&
      s.padding == SamplePadding::Reflection)
    v = reflected(v, n, aligned);
  AxisTaps<float> taps;
  if (s.method == SampleMethod::Nearest) {
    taps.index[0] = wholeIndex(int32_t(math::roundEven(v)), int32_t(size),
                               s.padding, aligned);
    return taps;
  }
  double whole = math::floor(v), fraction = v - whole;
  int32_t first = int32_t(whole);
  if (s.method == SampleMethod::Bicubic) {
    double weights[4];
    cubicWeights(fraction, weights);
    for (uint32_t k = 0; k < 4; ++k)
      taps.weight[k] = float(weights[k]);
    taps.count = 4;
    --first;
  } else {
    taps.weight[0] = float(1 - fraction), taps.weight[1] = float(fraction);
    taps.count = 2;
  }
  for (uint32_t k = 0; k < taps.count; ++k)
    taps.index[k] =
        wholeIndex(first + int32_t(k), int32_t(size), s.padding, aligned);
  return taps;
}

} // namespace

YARROW_KERNEL(yk_grid_sample_float, GridSampleFloat) {
  const GridSampleShape &s = p.shape;
  Share share = shareOf(s.batch * s.places, task, taskCount);
  for (uint32_t out = share.begin; out < share.end; ++out) {
    AxisTaps<float> taps[3];
    for (uint32_t k = 0; k < s.axes; ++k) { // x, y (, z)
      float place;
      loadF32(p.gridType, buffers.grid(), int64_t(out) * s.axes + k, 1, &place);
      taps[2 - k] = tapsAt(s, place, s.sizes[2 - k]);
    }
    int64_t image =
        int64_t(out / s.places) * s.sizes[0] * s.sizes[1] * s.sizes[2];
    forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
      float sum[kChunk], scratch[kChunk];
      for (uint32_t i = 0; i < n; ++i)
        sum[i] = 0;
      forEachTap(taps, s.sizes, [&](int64_t pixel, float weight) {
        const float *x = viewF32(p.type, buffers.input(),
                                 (image + pixel) * s.channels + c, n, scratch);
        // A weight of 0 does not count: infinity times 0 is no number.
        for (uint32_t i = 0; weight != 0 && i < n; ++i)
          sum[i] += weight * x[i];
      });
      storeF32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n,
               sum);
    });
  }
}
