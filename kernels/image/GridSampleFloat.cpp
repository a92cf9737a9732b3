//===- GridSampleFloat.cpp - Sampling images in floats --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/StripRequant.h"
#include "kernels/image/SampleStrips.h"
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

//===--- Strips of places ---===//

/// Whether strips do it. A coordinate of NEAREST beyond 2^22 is one of 2^22.
bool areStripPlaces(const GridSampleFloatParams &p) {
  const GridSampleShape &s = p.shape;
  bool isNearest = s.method == SampleMethod::Nearest;
  return s.axes == 2 && s.method != SampleMethod::Bicubic &&
         contains(kFloats, p.type) && contains(kFloats, p.gridType) &&
         s.sizes[1] < 1u << 22 && s.sizes[2] < 1u << 22 &&
         !(isNearest && s.padding == SamplePadding::Reflection) &&
         uint64_t(s.sizes[1]) * s.sizes[2] * s.channels < 1u << 30;
}

/// tapsAt of a strip: the elements along an axis, and their weights, which are
/// 0 where a pixel does not count.
struct TapStrip {
  Strip<int32_t> element[2];
  Strip<float> weight[2];
};

void tapsOf(const GridSampleShape &s, const Strip<float> &place,
            const SampleAxis &axis, TapStrip &taps) {
  bool aligned = s.alignCorners, isNearest = s.method == SampleMethod::Nearest;
  float n = float(axis.size), most = isNearest ? 1 << 22 : float(kFarAway);
  Strip<float> v = aligned ? (place + 1.0f) / 2.0f * (n - 1.0f)
                           : ((place + 1.0f) * n - 1.0f) / 2.0f;
  Strip<float> far = Strip<float>{} + most;
  v = v > -far ? v : -far; // what is not a number, too
  v = v < far ? v : far;
  Strip<int32_t> first;
  if (isNearest) {
    roundStrip(v, first);
    taps.weight[0] = Strip<float>{} + 1.0f;
  } else {
    first = __builtin_convertvector(v, Strip<int32_t>);
    first += __builtin_convertvector(first, Strip<float>) > v; // true is -1
    auto fraction = __builtin_convertvector(v, Strip<double>) -
                    __builtin_convertvector(first, Strip<double>);
    taps.weight[0] = __builtin_convertvector(1 - fraction, Strip<float>);
    taps.weight[1] = __builtin_convertvector(fraction, Strip<float>);
  }
  auto find = [&](uint32_t k) {
    taps.element[k] = first + int32_t(k);
    elementsAlong(axis, s.padding, aligned, taps.element[k]);
    taps.weight[k] = taps.element[k] < 0 ? Strip<float>{} : taps.weight[k];
  };
  find(0);
  if (!isNearest)
    find(1);
}

/// The elements of up to four pixels' first channels, and their weights.
struct PixelStrip {
  Strip<int32_t> element[4];
  Strip<float> weight[4];
};

/// A channel of all places after the other.
void sampleChannels(const GridSampleFloatParams &p, const PixelStrip &pixels,
                    uint32_t taps, uint32_t n, const void *input, int64_t from,
                    void *output, int64_t to) {
  for (uint32_t c = 0; c < p.shape.channels; ++c) {
    Strip<float> sum{};
    auto add = [&](uint32_t k) {
      // A weight of 0 does not count, as below, and adds 0 times 0.
      Strip<float> x;
      gatherFloatsWhere(p.type, input, from + c, pixels.element[k],
                        pixels.weight[k] != 0, x);
      sum += x * pixels.weight[k];
    };
    add(0);
    if (taps > 1)
      add(1), add(2), add(3);
    float y[kStrip];
    storeStrip<float>(sum, WholeStrip(), y, 0);
    storeF32(p.outType, output, to + c, n, y, p.shape.channels);
  }
}

/// A place after the other.
void samplePlaces(const GridSampleFloatParams &p, const PixelStrip &pixels,
                  uint32_t taps, uint32_t n, const void *input, int64_t from,
                  void *output, int64_t to) {
  int32_t element[4][kStrip];
  float weight[4][kStrip];
  for (uint32_t k = 0; k < taps; ++k) {
    storeStrip<int32_t>(pixels.element[k], WholeStrip(), element[k], 0);
    storeStrip<float>(pixels.weight[k], WholeStrip(), weight[k], 0);
  }
  for (uint32_t i = 0; i < n; ++i, to += p.shape.channels)
    forEachFittingStrip(0, p.shape.channels, [&](uint32_t c, auto size) {
      Fitting<float, decltype(size)> sum{}, x;
      for (uint32_t k = 0; k < taps; ++k) {
        if (weight[k][i] == 0)
          continue;
        loadFloats(p.type, input, from + element[k][i] + c, size, x);
        sum += x * weight[k][i];
      }
      storeFloats(p.outType, sum, size, output, to + c);
    });
}

void sampleStrips(const GridSampleFloatParams &p,
                  GridSampleFloatBuffers buffers, uint32_t task,
                  uint32_t taskCount) {
  const GridSampleShape &s = p.shape;
  uint32_t taps = s.method == SampleMethod::Nearest ? 1 : 4;
  int64_t imageElements = int64_t(s.sizes[1]) * s.sizes[2] * s.channels;
  forEachPlaces(
      s, task, taskCount, [&](uint32_t out, uint32_t n, uint32_t image) {
        auto last = Strip<int32_t>{} + int32_t(n - 1);
        Strip<int32_t> lanes = __builtin_elementwise_min(kLanes, last) * 2;
        TapStrip x, y;
        Strip<float> place;
        gatherFloats(p.gridType, buffers.grid(), int64_t(out) * 2, lanes,
                     place);
        tapsOf(s, place, columnsOf(s), x);
        gatherFloats(p.gridType, buffers.grid(), int64_t(out) * 2 + 1, lanes,
                     place);
        tapsOf(s, place, rowsOf(s), y);
        PixelStrip pixels;
        auto find = [&](uint32_t k) {
          pixels.element[k] = y.element[k >> 1] + x.element[k & 1];
          pixels.weight[k] = y.weight[k >> 1] * x.weight[k & 1];
        };
        find(0);
        if (taps > 1)
          find(1), find(2), find(3);
        auto sample =
            s.channels <= kMostGathered ? sampleChannels : samplePlaces;
        sample(p, pixels, taps, n, buffers.input(), image * imageElements,
               buffers.output(), int64_t(out) * s.channels);
      });
}

} // namespace

YARROW_KERNEL(yk_grid_sample_float, GridSampleFloat) {
  if (areStripPlaces(p))
    return sampleStrips(p, buffers, task, taskCount);
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
