//===- Norm.cpp - BatchNorm -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Norm.h"
#include "kernels/Epilogue.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_batch_norm_int, BatchNormInt) {
  IntEpilogue epilogue(p.requant, buffers.scale(), buffers.shift(),
                       buffers.slope());
  Share share = shareOf(p.outer, task, taskCount);
  auto chunk = [&](int64_t element, uint32_t n, uint32_t channel,
                   uint32_t step) {
    int32_t x[kChunk], w[kChunk], b[kChunk];
    int64_t acc[kChunk];
    loadI32(p.inType, buffers.input(), element, n, x);
    loadI32(p.weightType, buffers.weights(), channel, n, w, step);
    loadI32(p.biasType, buffers.bias(), channel, n, b, step);
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = int64_t(x[i]) * w[i] + b[i];
    epilogue.store(acc, n, channel, element, buffers.output(), step);
  };
  for (uint32_t o = share.begin; o < share.end; ++o) {
    int64_t base = int64_t(o) * p.channels * p.inner;
    if (p.inner == 1) {
      forEachChunk(0, p.channels,
                   [&](uint32_t c, uint32_t n) { chunk(base + c, n, c, 1); });
      continue;
    }
    for (uint32_t c = 0; c < p.channels; ++c)
      forEachChunk(0, p.inner, [&](uint32_t i, uint32_t n) {
        chunk(base + int64_t(c) * p.inner + i, n, c, 0);
      });
  }
}

YARROW_KERNEL(yk_batch_norm_float, BatchNormFloat) {
  Share share = shareOf(p.outer, task, taskCount);
  auto chunk = [&](int64_t element, uint32_t n, uint32_t channel,
                   uint32_t step) {
    float x[kChunk], w[kChunk], b[kChunk];
    loadF32(p.inType, buffers.input(), element, n, x);
    loadF32(p.weightType, buffers.weights(), channel, n, w, step);
    loadF32(p.biasType, buffers.bias(), channel, n, b, step);
    for (uint32_t i = 0; i < n; ++i)
      x[i] = x[i] * w[i] + b[i];
    storeF32(p.outType, buffers.output(), element, n, x);
  };
  for (uint32_t o = share.begin; o < share.end; ++o) {
    int64_t base = int64_t(o) * p.channels * p.inner;
    if (p.inner == 1) {
      forEachChunk(0, p.channels,
                   [&](uint32_t c, uint32_t n) { chunk(base + c, n, c, 1); });
      continue;
    }
    for (uint32_t c = 0; c < p.channels; ++c)
      forEachChunk(0, p.inner, [&](uint32_t i, uint32_t n) {
        chunk(base + int64_t(c) * p.inner + i, n, c, 0);
      });
  }
}
