//===- Rotary.cpp - Rotary position embedding -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/Rotary.h"
#include "kernels/Elements.h"
#include "kernels/Math.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Pairs at a time: their values are one chunk.
constexpr uint32_t kPairs = kChunk / 2;

/// Where a head of a step lies, and its row of the caches; -1 without one.
struct Head {
  int64_t element, cacheElement;
};

template <typename Fn>
void forEachHead(const RotaryShape &s, const void *positions, uint32_t task,
                 uint32_t taskCount, Fn fn) {
  Share share = shareOf(s.batch * s.heads * s.steps, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t step = i % s.steps, head = i / s.steps % s.heads,
             entry = i / s.steps / s.heads;
    int64_t row = step;
    if (s.hasPositions) {
      row = loadOneI32(s.positionType, positions,
                       int64_t(entry) * s.steps + step);
      row += row < 0 ? s.cacheRows : 0;
    }
    bool isThere = row >= 0 && row < s.cacheRows;
    fn(Head{int64_t(entry) * s.batchStride + int64_t(head) * s.headStride +
                int64_t(step) * s.stepStride,
            isThere ? int64_t(entry) * s.cacheBatchStride + row * s.cacheWidth
                    : -1});
  }
}

/// Calls fn for all pairs of a head: of pairs first, first + 1, ... the indices
/// of a and b, and how far apart the a are.
template <typename Fn>
void forEachPairs(const RotaryShape &s, int64_t element, Fn fn) {
  uint32_t half = s.rotated / 2;
  for (uint32_t k = 0; k < half; k += kPairs) {
    uint32_t n = half - k < kPairs ? half - k : kPairs;
    if (s.interleaved)
      fn(k, n, element + 2 * k, element + 2 * k + 1, 2);
    else
      fn(k, n, element + k, element + half + k, 1);
  }
}

/// Both results of n pairs, as they lie in the output.
template <typename T, typename Store>
void storePairs(const T *re, const T *im, uint32_t n, int64_t a, int64_t b,
                int32_t stride, Store store) {
  if (stride == 1) {
    store(a, n, re);
    store(b, n, im);
    return;
  }
  T pairs[kChunk];
  for (uint32_t i = 0; i < n; ++i) {
    pairs[2 * i] = re[i];
    pairs[2 * i + 1] = im[i];
  }
  store(a, 2 * n, pairs);
}

/// Half to even, then clipped.
void roundAndClip(const float *x, uint32_t n, int32_t lo, int32_t hi,
                  int32_t *y) {
  for (uint32_t i = 0; i < n; ++i)
    y[i] = int32_t(clamp<double>(math::roundEven(double(x[i])), lo, hi));
}

} // namespace

YARROW_KERNEL(yk_rotary_float, RotaryFloat) {
  const RotaryShape &s = p.shape;
  auto store = [&](int64_t element, uint32_t n, const float *y) {
    storeF32(p.outType, buffers.output(), element, n, y);
  };
  auto rotate = [&](const Head &head) {
    forEachPairs(
        s, head.element,
        [&](uint32_t k, uint32_t n, int64_t atA, int64_t atB, int32_t stride) {
          float cos[kPairs] = {}, sin[kPairs] = {}, a[kPairs], b[kPairs];
          if (head.cacheElement >= 0) {
            loadF32(p.cosType, buffers.cos(), head.cacheElement + k, n, cos);
            loadF32(p.sinType, buffers.sin(), head.cacheElement + k, n, sin);
          }
          loadF32(p.inType, buffers.input(), atA, n, a, stride);
          loadF32(p.inType, buffers.input(), atB, n, b, stride);
          float re[kPairs], im[kPairs];
          for (uint32_t i = 0; i < n; ++i) {
            re[i] = a[i] * cos[i] - b[i] * sin[i];
            im[i] = a[i] * sin[i] + b[i] * cos[i];
          }
          storePairs(re, im, n, atA, atB, stride, store);
        });
    forEachChunk(s.rotated, s.size, [&](uint32_t k, uint32_t n) {
      float x[kChunk];
      loadF32(p.inType, buffers.input(), head.element + k, n, x);
      store(head.element + k, n, x);
    });
  };
  forEachHead(s, buffers.positions(), task, taskCount, rotate);
}

YARROW_KERNEL(yk_rotary_int, RotaryInt) {
  const RotaryShape &s = p.shape;
  auto store = [&](int64_t element, uint32_t n, const int32_t *y) {
    storeI32(p.outType, buffers.output(), element, n, y);
  };
  // Products of two values of 16 bits have up to 32 and a sign.
  auto scaled = [](int32_t u, int32_t v, float factor) {
    return float(int64_t(u) * v) * factor;
  };
  auto rotate = [&](const Head &head) {
    forEachPairs(
        s, head.element,
        [&](uint32_t k, uint32_t n, int64_t atA, int64_t atB, int32_t stride) {
          int32_t cos[kPairs] = {}, sin[kPairs] = {}, a[kPairs], b[kPairs];
          if (head.cacheElement >= 0) {
            loadI32(p.cosType, buffers.cos(), head.cacheElement + k, n, cos);
            loadI32(p.sinType, buffers.sin(), head.cacheElement + k, n, sin);
          }
          loadI32(p.inType, buffers.input(), atA, n, a, stride);
          loadI32(p.inType, buffers.input(), atB, n, b, stride);
          float re[kPairs], im[kPairs];
          for (uint32_t i = 0; i < n; ++i) {
            re[i] = scaled(cos[i], a[i], p.cosFactor) -
                    scaled(sin[i], b[i], p.sinFactor);
            im[i] = scaled(sin[i], a[i], p.sinFactor) +
                    scaled(cos[i], b[i], p.cosFactor);
          }
          int32_t reRounded[kPairs], imRounded[kPairs];
          roundAndClip(re, n, p.lo, p.hi, reRounded);
          roundAndClip(im, n, p.lo, p.hi, imRounded);
          storePairs(reRounded, imRounded, n, atA, atB, stride, store);
        });
    forEachChunk(s.rotated, s.size, [&](uint32_t k, uint32_t n) {
      int32_t x[kChunk];
      float y[kChunk];
      loadI32(p.inType, buffers.input(), head.element + k, n, x);
      for (uint32_t i = 0; i < n; ++i)
        y[i] = p.keptFactor * float(x[i]);
      roundAndClip(y, n, p.lo, p.hi, x);
      store(head.element + k, n, x);
    });
  };
  forEachHead(s, buffers.positions(), task, taskCount, rotate);
}
