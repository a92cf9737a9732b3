//===- Norm.cpp - BatchNorm -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Norm.h"
#include "kernels/Epilogue.h"
#include "kernels/StripRequant.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

bool areStrips(const BatchNormIntParams &p) {
  Act act = p.requant.act;
  return isByte(p.inType) && contains(kWeightInts, p.weightType) &&
         p.biasType == DType::I32 &&
         (act == Act::None || act == Act::Relu || act == Act::Relu6);
}

/// A run of bytes of the channels from `channel` on, or of that alone.
template <typename Byte>
void scaleRun(const BatchNormIntParams &p, BatchNormIntBuffers buffers,
              const StripSums &requant, int64_t element, uint32_t n,
              uint32_t channel, int32_t step) {
  forEachStrip(0, n, [&](uint32_t i, auto size) {
    Strip<int32_t> x, w;
    Strip<int64_t> sums;
    uint32_t at = channel + i * step;
    loadStrip<Byte>(buffers.input(), element + i, size, x);
    loadWeights(p.weightType, buffers.weights(), at, step, size, w);
    loadStrip<int32_t>(buffers.bias(), at, step, size, sums);
    sums += __builtin_convertvector(x * w, Strip<int64_t>); // 8 + 16 bits
    if (p.requant.act != Act::None)
      sums = __builtin_elementwise_max(sums, Strip<int64_t>{});
    requant.apply(sums, at, step, size, x);
    storeStrip(p.requant.outType, x, size, buffers.output(), element + i);
  });
}

/// Calls fn(element, n, channel, step) for the runs of a task, of neighbouring
/// channels (step 1) or of one (step 0).
template <typename Fn>
void forEachRun(uint32_t channels, uint32_t inner, Share share, Fn fn) {
  for (uint32_t o = share.begin; o < share.end; ++o) {
    int64_t base = int64_t(o) * channels * inner;
    if (inner == 1) {
      fn(base, channels, 0, 1);
      continue;
    }
    for (uint32_t c = 0; c < channels; ++c)
      fn(base + int64_t(c) * inner, inner, c, 0);
  }
}

/// The same in chunks.
template <typename Fn>
void forEachChunkOfRuns(uint32_t channels, uint32_t inner, Share share, Fn fn) {
  forEachRun(channels, inner, share,
             [&](int64_t element, uint32_t n, uint32_t channel, uint32_t step) {
               forEachChunk(0, n, [&](uint32_t i, uint32_t count) {
                 fn(element + i, count, channel + i * step, step);
               });
             });
}

} // namespace

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
  StripSums requant(p.requant, buffers.scale(), buffers.shift());
  if (!areStrips(p) || !requant.fits(p.channels))
    return forEachChunkOfRuns(p.channels, p.inner, share, chunk);
  withByte(p.inType, [&](auto zero) {
    forEachRun(
        p.channels, p.inner, share,
        [&](int64_t element, uint32_t n, uint32_t channel, uint32_t step) {
          scaleRun<decltype(zero)>(p, buffers, requant, element, n, channel,
                                   int32_t(step));
        });
  });
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
  forEachChunkOfRuns(p.channels, p.inner, share, chunk);
}
