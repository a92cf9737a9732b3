//===- Norm.cpp - Normalization kernels -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Norm.h"
#include "kernels/Epilogue.h"
#include "kernels/LaneSum.h"
#include "kernels/Math.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Calls fn(element, n, affineIndex) for the runs of group `index` of a tensor.
template <typename Fn>
void forEachGroupRun(const NormShape &s, uint32_t index, Fn fn) {
  uint32_t group = index % s.groups, outer = index / s.groups;
  for (uint32_t r = 0; r < s.reduced; ++r) {
    uint32_t row = outer * s.reduced + r;
    int64_t first = (int64_t(row) * s.groups + group) * s.groupInner;
    uint32_t affine = uint32_t(uint64_t(first) % s.affineCount);
    forEachChunk(0, s.groupInner,
                 [&](uint32_t i, uint32_t n) { fn(first + i, n, affine + i); });
  }
}

/// 2^31 / sqrt(v) or so from a table of 193 entries over [64, 256) (spec:
/// integer semantics 4.8, calculate_inverse_sqrt): v is normalized to bit 30,
/// its exponent made even, and the table interpolated with 15 bits.
int64_t inverseSqrt(int64_t v, const int16_t *table) {
  int64_t normal = v;
  int32_t exponent = 31;
  for (int32_t i = 0; i < 30 && normal < 0x40000000; ++i) {
    normal <<= 1;
    --exponent;
  }
  if (exponent & 1)
    normal >>= 1;
  exponent = (exponent - 1) >> 1;
  normal >>= 7;
  int32_t entry = clamp<int32_t>(int32_t(normal >> 16) - 64, 0, 191);
  int64_t fraction = (normal >> 1) & 0x7fff;
  int64_t low = table[entry], step = low - table[entry + 1];
  return ((low << 16) - ((step * fraction) << 1)) >> exponent;
}

/// What turns x of one group into its normalized value:
/// clip(RNE(((x - mean) >> preShift) * gain * scale / 2^shift), type).
struct IntNormalizer {
  int32_t mean;
  int64_t gain;
  int32_t preShift, scale, shift;
};

IntNormalizer makeNormalizer(const LayerNormIntParams &p, const void *input,
                             const int16_t *table, uint32_t group) {
  const NormShape &s = p.shape;
  double count = double(s.reduced) * double(s.groupInner);
  bool wide = dtypeBytes(p.inType) > 1;
  int32_t x[kChunk];
  int64_t sum = 0;
  forEachGroupRun(s, group, [&](int64_t element, uint32_t n, uint32_t) {
    loadI32(p.inType, input, element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      sum += x[i];
  });
  // A mean of the elements is within their range: no clip is needed.
  int32_t mean = int32_t(math::roundEven(math::fromI64(sum) / count));
  int64_t squares = 0;
  forEachGroupRun(s, group, [&](int64_t element, uint32_t n, uint32_t) {
    loadI32(p.inType, input, element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      squares += int64_t(x[i] - mean) * (x[i] - mean);
  });
  if (!wide) {
    int64_t gain = (inverseSqrt(squares >> p.varShift, table) + 32768) >> 16;
    return {mean, gain, 0, p.normScale, 8 + p.normShift};
  }
  // Variances of 16-bit values fit 32 bits.
  double variance = math::floor(math::fromI64(squares) / count);
  int64_t gain =
      (inverseSqrt(int64_t(uint32_t(variance)), table) + 32768) >> 16;
  return {mean, requantize(gain, p.normScale, p.normShift, 0, 0, 65535), 1, 1,
          7};
}

Requant rangeOf(DType type) {
  Requant r;
  bool isSigned = type == DType::I8 || type == DType::I16;
  int32_t bits = int32_t(dtypeBytes(type)) * 8;
  r.lo = isSigned ? -(1 << (bits - 1)) : 0;
  r.hi = isSigned ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  return r;
}

/// Mean and 1 / sqrt(variance + epsilon) of one group.
struct FloatNormalizer {
  float mean, gain;
};
FloatNormalizer makeNormalizer(const LayerNormFloatParams &p, const void *input,
                               uint32_t group) {
  const NormShape &s = p.shape;
  double count = double(s.reduced) * double(s.groupInner);
  float x[kChunk];
  LaneSum sum;
  forEachGroupRun(s, group, [&](int64_t element, uint32_t n, uint32_t) {
    loadF32(p.inType, input, element, n, x);
    sum.add(x, n);
  });
  float mean = float(sum.total() / count);
  LaneSum squares;
  forEachGroupRun(s, group, [&](int64_t element, uint32_t n, uint32_t) {
    loadF32(p.inType, input, element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] = (x[i] - mean) * (x[i] - mean);
    squares.add(x, n);
  });
  double variance = squares.total() / count;
  return {mean, float(1.0 / math::sqrt(variance + double(p.epsilon)))};
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

YARROW_KERNEL(yk_layer_norm_int, LayerNormInt) {
  const NormShape &s = p.shape;
  const int16_t *table = static_cast<const int16_t *>(buffers.table());
  IntEpilogue epilogue(p.requant, buffers.scale(), buffers.shift());
  Requant range = rangeOf(p.normType);
  Share share = shareOf(s.outer * s.groups, task, taskCount);
  for (uint32_t group = share.begin; group < share.end; ++group) {
    IntNormalizer norm = makeNormalizer(p, buffers.input(), table, group);
    forEachGroupRun(
        s, group, [&](int64_t element, uint32_t n, uint32_t affine) {
          int32_t x[kChunk], w[kChunk], b[kChunk];
          int64_t acc[kChunk];
          loadI32(p.inType, buffers.input(), element, n, x);
          for (uint32_t i = 0; i < n; ++i)
            acc[i] = ((x[i] - norm.mean) >> norm.preShift) * norm.gain;
          requantizeChunk(acc, n, norm.scale, norm.shift, range, x);
          loadI32(p.weightType, buffers.weights(), affine, n, w);
          loadI32(DType::I32, buffers.bias(), affine, n, b);
          for (uint32_t i = 0; i < n; ++i)
            acc[i] = int64_t(x[i]) * w[i] + b[i];
          epilogue.store(acc, n, affine, element, buffers.output());
        });
  }
}

YARROW_KERNEL(yk_layer_norm_float, LayerNormFloat) {
  const NormShape &s = p.shape;
  Share share = shareOf(s.outer * s.groups, task, taskCount);
  for (uint32_t group = share.begin; group < share.end; ++group) {
    FloatNormalizer norm = makeNormalizer(p, buffers.input(), group);
    forEachGroupRun(s, group,
                    [&](int64_t element, uint32_t n, uint32_t affine) {
                      float x[kChunk], w[kChunk], b[kChunk];
                      loadF32(p.inType, buffers.input(), element, n, x);
                      loadF32(p.weightType, buffers.weights(), affine, n, w);
                      loadF32(p.biasType, buffers.bias(), affine, n, b);
                      for (uint32_t i = 0; i < n; ++i)
                        x[i] = (x[i] - norm.mean) * norm.gain * w[i] + b[i];
                      storeF32(p.outType, buffers.output(), element, n, x);
                    });
  }
}
