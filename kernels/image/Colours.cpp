//===- Colours.cpp - RGB images and YUV 4:2:0 -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/image/Colours.h"
#include "kernels/Epilogue.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

Requant rangeOf(const ColourParams &p) {
  Requant range;
  range.outType = p.outType;
  range.zp = p.outZp;
  range.lo = -p.outZp, range.hi = p.most - p.outZp;
  return range;
}

/// Values of three planes at up to kChunk places.
struct Planes {
  int32_t values[3][kChunk];
};

/// Plane `to` of the result, stored integers.
void convert(const ColourParams &p, const Planes &from, uint32_t to,
             const Requant &range, uint32_t n, int32_t *y) {
  const int32_t *m = p.matrix + 3 * to;
  int64_t acc[kChunk];
  for (uint32_t i = 0; i < n; ++i)
    acc[i] = int64_t(from.values[0][i]) * m[0] +
             int64_t(from.values[1][i]) * m[1] +
             int64_t(from.values[2][i]) * m[2] + p.bias[to];
  requantizeChunk(acc, n, 1, p.shift, range, y);
}

/// Real values of n elements, `stride` apart.
void load(const ColourParams &p, const void *src, int64_t at, uint32_t n,
          int32_t *x, int64_t stride = 1) {
  loadI32(p.inType, src, at, n, x, stride);
  for (uint32_t i = 0; i < n; ++i)
    x[i] += p.inZp;
}

int32_t halfOf(int32_t x) { return (x + ((x >> 1) & 1)) >> 1; }
int32_t quarterOf(int32_t x) { return (x + 1 + ((x >> 2) & 1)) >> 2; }

/// A line of chroma for a row of pixels: samples `first` - 1 to `first` + n of
/// the row, those beyond an end being the end's; n <= kChunk - 2.
void loadChroma(const ColourParams &p, const void *frame, int64_t plane,
                uint32_t row, uint32_t first, uint32_t n, int32_t *line) {
  uint32_t columns = p.width / 2;
  uint32_t above = row / 2;
  // Rows between two of chroma are their mean, but for the last.
  bool isBetween = row % 2 == 1 && row + 1 < p.height;
  int32_t below[kChunk];
  uint32_t begin = first ? first - 1 : 0, pad = first ? 0 : 1;
  uint32_t end = first + n < columns ? first + n + 1 : columns;
  auto at = [&](uint32_t chromaRow) {
    return plane + (int64_t(chromaRow) * columns + begin) * p.chromaStep;
  };
  load(p, frame, at(above), end - begin, line + pad, p.chromaStep);
  if (isBetween) {
    load(p, frame, at(above + 1), end - begin, below, p.chromaStep);
    for (uint32_t i = 0; i < end - begin; ++i)
      line[pad + i] = halfOf(line[pad + i] + below[i]);
  }
  if (pad)
    line[0] = line[1];
  if (first + n == columns)
    line[pad + end - begin] = line[pad + end - begin - 1];
}

} // namespace

YARROW_KERNEL(yk_rgb_to_yuv, RgbToYuv) {
  Requant range = rangeOf(p);
  uint32_t pixels = p.height * p.width;
  Share share = shareOf(p.batch * p.height / 2, task, taskCount);
  for (uint32_t pair = share.begin; pair < share.end; ++pair) {
    uint32_t image = pair / (p.height / 2), chromaRow = pair % (p.height / 2);
    int64_t rgb = int64_t(image) * pixels * 3,
            yuv = int64_t(image) * (pixels / 2 * 3);
    Planes planes;
    int32_t y[kChunk];
    auto loadPixels = [&](uint32_t pixel, uint32_t n, uint32_t step) {
      for (uint32_t c = 0; c < 3; ++c)
        load(p, buffers.input(), rgb + int64_t(pixel) * 3 + c, n,
             planes.values[c], 3 * step);
    };
    forEachChunk(0, 2 * p.width, [&](uint32_t i, uint32_t n) {
      uint32_t pixel = 2 * chromaRow * p.width + i;
      loadPixels(pixel, n, 1);
      convert(p, planes, 0, range, n, y);
      storeI32(p.outType, buffers.output(), yuv + pixel, n, y);
    });
    forEachChunk(0, p.width / 2, [&](uint32_t i, uint32_t n) {
      loadPixels(2 * (chromaRow * p.width + i), n, 2);
      int64_t at = int64_t(chromaRow * (p.width / 2) + i) * p.chromaStep;
      convert(p, planes, 1, range, n, y);
      storeI32Strided(p.outType, buffers.output(), yuv + p.firstU + at, n, y,
                      p.chromaStep);
      convert(p, planes, 2, range, n, y);
      storeI32Strided(p.outType, buffers.output(), yuv + p.firstV + at, n, y,
                      p.chromaStep);
    });
  }
}

YARROW_KERNEL(yk_yuv_to_rgb, YuvToRgb) {
  constexpr uint32_t kPairs = kChunk - 2;
  Requant range = rangeOf(p);
  uint32_t pixels = p.height * p.width, columns = p.width / 2;
  Share share = shareOf(p.batch * p.height, task, taskCount);
  for (uint32_t line = share.begin; line < share.end; ++line) {
    uint32_t image = line / p.height, row = line % p.height;
    int64_t rgb = (int64_t(image) * pixels + row * p.width) * 3,
            yuv = int64_t(image) * (pixels / 2 * 3);
    for (uint32_t first = 0; first < columns; first += kPairs) {
      uint32_t n = columns - first < kPairs ? columns - first : kPairs;
      int32_t u[kChunk], v[kChunk], y[kChunk];
      loadChroma(p, buffers.input(), yuv + p.firstU, row, first, n, u);
      loadChroma(p, buffers.input(), yuv + p.firstV, row, first, n, v);
      for (uint32_t odd = 0; odd < 2; ++odd) {
        Planes planes;
        uint32_t column = 2 * first + odd;
        load(p, buffers.input(), yuv + int64_t(row) * p.width + column, n,
             planes.values[0], 2);
        // An even column lies behind the middle of its sample and the one
        // before, an odd one before that of its own and the next. At either end
        // the neighbour is the sample itself.
        for (uint32_t i = 0; i < n; ++i) {
          planes.values[1][i] = quarterOf(3 * u[i + 1] + u[i + 2 * odd]);
          planes.values[2][i] = quarterOf(3 * v[i + 1] + v[i + 2 * odd]);
        }
        for (uint32_t c = 0; c < 3; ++c) {
          convert(p, planes, c, range, n, y);
          storeI32Strided(p.outType, buffers.output(),
                          rgb + int64_t(column) * 3 + c, n, y, 6);
        }
      }
    }
  }
}
