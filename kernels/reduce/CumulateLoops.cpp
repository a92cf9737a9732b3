//===- CumulateLoops.cpp - Running sums and products ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/reduce/Cumulate.h"
#include "kernels/reduce/CumulateStrips.h"
#include "kernels/reduce/RunningProduct.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Elements of one call of a Fold: `n` that lie beside each other.
struct Elements {
  int64_t at = 0;
  uint32_t n = 0;
  uint32_t step = 0;       // along the axis: of all, or of the first in order
  bool isLine = false;     // they follow each other along the axis
  bool isReversed = false; // the last one is the first in order
};

/// Walks the lines of a share. A Fold has
///   start(n)       n lanes of state begin
///   load(e)
///   step(lane, i)  element i joins the lane's state, which gives its result
///   store(e)
template <typename Fold>
void cumulate(const CumulateShape &s, uint32_t task, uint32_t taskCount,
              Fold &fold) {
  Share share = shareOf(s.outer * s.inner, task, taskCount);
  for (uint32_t line = share.begin, lanes; line < share.end; line += lanes) {
    uint32_t column = line % s.inner;
    int64_t first = int64_t(line / s.inner) * s.length * s.inner + column;
    if (s.inner == 1) {
      lanes = 1;
      fold.start(1);
      forEachChunk(0, s.length, [&](uint32_t step, uint32_t n) {
        uint32_t from = s.reverse ? s.length - step - n : step;
        Elements e{.at = first + from, .n = n, .step = step, .isLine = true};
        e.isReversed = s.reverse;
        fold.load(e);
        for (uint32_t i = 0; i < n; ++i)
          fold.step(0, s.reverse ? n - 1 - i : i);
        fold.store(e);
      });
      continue;
    }
    lanes = s.inner - column;
    lanes = lanes < share.end - line ? lanes : share.end - line;
    lanes = lanes < kChunk ? lanes : kChunk;
    fold.start(lanes);
    for (uint32_t step = 0; step < s.length; ++step) {
      uint32_t k = s.reverse ? s.length - 1 - step : step;
      Elements e{.at = first + int64_t(k) * s.inner, .n = lanes, .step = step};
      fold.load(e);
      for (uint32_t i = 0; i < lanes; ++i)
        fold.step(i, i);
      fold.store(e);
    }
  }
}

struct SumFold {
  const CumulateSumIntParams &p;
  const void *input;
  void *output;
  int32_t x[kChunk];
  int64_t sum[kChunk], y[kChunk];

  void start(uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
      sum[i] = 0;
  }
  void load(const Elements &e) { loadI32(p.inType, input, e.at, e.n, x); }
  void step(uint32_t lane, uint32_t i) {
    int64_t next = sum[lane] + x[i] + p.inZp;
    y[i] = p.shape.exclusive ? sum[lane] : next;
    sum[lane] = next;
  }
  void store(const Elements &e) {
    if (p.inType == DType::I32) {
      constexpr int64_t kMost = int64_t(1) << 46; // times a scale: 2^62
      for (uint32_t i = 0; i < e.n; ++i)
        y[i] = clamp(y[i], -kMost, kMost);
    }
    requantizeChunk(y, e.n, p.requant.scale, p.requant.shift, p.requant, x);
    storeI32(p.requant.outType, output, e.at, e.n, x);
  }
};

struct ProductFold {
  const CumulateProductIntParams &p;
  const void *input, *scale, *shift;
  void *output;
  int32_t x[kChunk], halvings[kChunk];
  int64_t product[kChunk], y[kChunk];
  int32_t yHalvings[kChunk];

  void start(uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
      product[i] = 1, halvings[i] = 0;
  }
  void load(const Elements &e) { loadI32(p.inType, input, e.at, e.n, x); }
  void step(uint32_t lane, uint32_t i) {
    int64_t before = product[lane];
    int32_t halvingsBefore = halvings[lane];
    multiplyWithin16(product[lane], halvings[lane], int64_t(x[i]) + p.inZp,
                     p.isSigned);
    y[i] = p.shape.exclusive ? before : product[lane];
    yHalvings[i] = p.shape.exclusive ? halvingsBefore : halvings[lane];
  }
  void store(const Elements &e) {
    int32_t scales[kChunk], *shifts = yHalvings;
    for (uint32_t i = 0; i < e.n; ++i) {
      uint32_t order = e.isReversed ? e.n - 1 - i : i;
      uint32_t k = e.isLine ? e.step + order : e.step;
      scales[i] = loadOneI32(p.requant.scaleType, scale, k);
      shifts[i] = loadOneI32(DType::I32, shift, k) - yHalvings[i];
    }
    requantizeChunkPerChannel(y, e.n, scales, shifts, p.requant, x);
    storeI32(p.requant.outType, output, e.at, e.n, x);
  }
};

struct FloatFold {
  const CumulateFloatParams &p;
  const void *input;
  void *output;
  float x[kChunk];
  double state[kChunk];

  void start(uint32_t n) {
    for (uint32_t i = 0; i < n; ++i)
      state[i] = p.isProduct ? 1 : 0;
  }
  void load(const Elements &e) { loadF32(p.inType, input, e.at, e.n, x); }
  void step(uint32_t lane, uint32_t i) {
    double before = state[lane], v = double(x[i]);
    state[lane] = p.isProduct ? before * v : before + v;
    x[i] = float(p.shape.exclusive ? before : state[lane]);
  }
  void store(const Elements &e) { storeF32(p.outType, output, e.at, e.n, x); }
};

} // namespace

YARROW_KERNEL(yk_cumulate_sum_int, CumulateSumInt) {
  if (areStripSums(p))
    return withSmallInt(p.inType, [&](auto zero) {
      sumStrips<decltype(zero)>(p, buffers.input(), buffers.output(), task,
                                taskCount);
    });
  SumFold fold{.p = p, .input = buffers.input(), .output = buffers.output()};
  cumulate(p.shape, task, taskCount, fold);
}

YARROW_KERNEL(yk_cumulate_product_int, CumulateProductInt) {
  ProductFold fold{.p = p,
                   .input = buffers.input(),
                   .scale = buffers.scale(),
                   .shift = buffers.shift(),
                   .output = buffers.output()};
  cumulate(p.shape, task, taskCount, fold);
}

YARROW_KERNEL(yk_cumulate_float, CumulateFloat) {
  if (areStripLines(p, taskCount))
    return cumulateStrips(p, buffers.input(), buffers.output(), task,
                          taskCount);
  FloatFold fold{.p = p, .input = buffers.input(), .output = buffers.output()};
  cumulate(p.shape, task, taskCount, fold);
}
