//===- ConvWinograd.cpp - Convolution with transformed weights ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What an IR with with_winograd=true means: its weights W0..W3 are those of the
// one-dimensional F(2,3) along the width, quantized after the transformation,
// and even and odd output columns see two different 3-tap kernels (spec:
// Winograd convolutions, section 3):
//   even: W0, W1 - W2, W1 + W2 - W0      odd: W1 + W2 - W3, W1 - W2, W3
// That is computed here tap by tap; the tensor engine transforms the input
// instead.
//
//===----------------------------------------------------------------------===//
#include "kernels/ConvLoop.h"
#include "kernels/Dot.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

constexpr uint32_t kTaps = 4;

/// Factor of weight tap j for window column i of even (0) and odd (1) outputs.
constexpr int8_t kFactors[2][3][kTaps] = {
    {{1, 0, 0, 0}, {0, 1, -1, 0}, {-1, 1, 1, 0}},
    {{0, 1, 1, -1}, {0, 1, -1, 0}, {0, 0, 0, 1}},
};

template <typename In, typename Weight>
void accumulateWinograd(const Conv2DIntParams &p, const In *input,
                        const Weight *weights, const Pixel &at, uint32_t o,
                        uint32_t n, int64_t *acc) {
  const Conv2DShape &s = p.shape;
  int64_t rowStride = int64_t(s.kernelH) * kTaps * s.inC;
  for (uint32_t ky = 0; ky < s.kernelH; ++ky)
    for (uint32_t kx = 0; kx < 3; ++kx) {
      int64_t y = at.top + int32_t(ky), x = at.left + int32_t(kx);
      bool inside = y >= 0 && y < s.inH && x >= 0 && x < s.inW;
      if (!inside && p.padValue == 0)
        continue;
      const In *cell =
          input + ((int64_t(at.n) * s.inH + y) * s.inW + x) * s.inC;
      for (uint32_t tap = 0; tap < kTaps; ++tap) {
        int64_t factor = kFactors[at.x & 1][kx][tap];
        if (factor == 0)
          continue;
        const Weight *w =
            weights + o * rowStride + (int64_t(ky) * kTaps + tap) * s.inC;
        int64_t part[kChunk] = {};
        if (inside)
          dotRows(cell, w, rowStride, n, s.inC, part);
        for (uint32_t i = 0; i < n && !inside; ++i)
          part[i] = p.padValue * sumOf(w + i * rowStride, s.inC);
        for (uint32_t i = 0; i < n; ++i)
          acc[i] += factor * part[i];
      }
    }
}

} // namespace

YARROW_KERNEL(yk_conv2d_winograd_int, Conv2DIntParams) {
  auto window = [&](const Pixel &at, uint32_t o, uint32_t n, int64_t *acc) {
    withTypes(
        p.inType, p.weightType, buffers[0], buffers[1],
        [&](auto *x, auto *w) { accumulateWinograd(p, x, w, at, o, n, acc); });
  };
  forEachOutput(p, buffers, p.shape.outC, task, taskCount, window);
}
