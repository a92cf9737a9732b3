//===- Activation.cpp - One-operand elementwise kernels -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/activation/Activation.h"
#include "kernels/Broadcast.h"
#include "kernels/Epilogue.h"
#include "kernels/FloatStrips.h"
#include "kernels/StripRequant.h"
#include "kernels/activation/Lookup.h"
#include "kernels/activation/UnaryFn.h"
#include "kernels/activation/UnaryStrips.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

void applyInt(UnaryIntOp op, const int32_t *x, int32_t zp, uint32_t n,
              int64_t *acc) {
  for (uint32_t i = 0; i < n; ++i)
    acc[i] = int64_t(x[i]) + zp;
  switch (op) {
  case UnaryIntOp::Identity:
    break;
  case UnaryIntOp::Abs:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = acc[i] < 0 ? -acc[i] : acc[i];
    break;
  case UnaryIntOp::Negative:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = -acc[i];
    break;
  case UnaryIntOp::Sign:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = (acc[i] > 0) - (acc[i] < 0);
    break;
  }
}

template <typename Fn>
void applyFloat(float *x, uint32_t n, const UnaryArgs &args) {
  for (uint32_t i = 0; i < n; ++i)
    x[i] = float(Fn::value(double(x[i]), args));
}

/// Bytes in 32 bits: with a zero point they have 10, times a slope 26.
bool areStripBytes(const PReluIntParams &p) {
  const Requant &r = p.requant;
  return areStripStrides(p.shape) && isByte(p.inType) && isByte(r.outType) &&
         isSmallInt(r.slopeType) && p.inZp >= -512 && p.inZp <= 512 &&
         r.slopeShift >= 0 && r.slopeShift <= 30 && r.shift >= 0 &&
         r.shift <= 62;
}

/// A run of elements of type T with slopes of type S.
template <typename T, typename S>
void preluStrips(const PReluIntParams &p, const Run &run, const void *input,
                 const void *slopes, void *output) {
  constexpr int64_t kMost = 255 + 512, kMostSlope = 1 << (8 * sizeof(S));
  const Requant &r = p.requant;
  StripRequant requant(r.scale, r.shift, r.zp, r.lo, r.hi,
                       kMost + (kMost * kMostSlope >> r.slopeShift) + 1);
  forEachStrip(0, run.n, [&](uint32_t i, auto size) {
    Strip<int32_t> x, slope;
    loadStrip<T>(input, run.a + int64_t(i) * run.strideA, run.strideA, size, x);
    loadStrip<S>(slopes, run.b + int64_t(i) * run.strideB, run.strideB, size,
                 slope);
    x += p.inZp;
    slope *= __builtin_elementwise_min(x, Strip<int32_t>{});
    roundShift(slope, r.slopeShift);
    x = __builtin_elementwise_max(x, Strip<int32_t>{}) + slope;
    requant.apply(x);
    storeStrip<uint8_t>(x, size, output, int64_t(run.out) + i);
  });
}

} // namespace

YARROW_KERNEL(yk_activation_int, ActivationInt) {
  IntEpilogue epilogue(p.requant, nullptr, nullptr, buffers.slope());
  Share share = shareOf(p.count, task, taskCount);
  const Requant &r = p.requant;
  bool isRelu = r.act == Act::Relu || r.act == Act::Relu6;
  if (p.op == UnaryIntOp::Identity && (isRelu || r.act == Act::None) &&
      requantizeBytes(p.inType, buffers.input(), share.begin, p.inZp, isRelu,
                      r.outType, buffers.output(), share.begin,
                      share.end - share.begin, r.scale, r.shift, r.zp, r.lo,
                      r.hi, r.rounding))
    return;
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    int32_t x[kChunk];
    int64_t acc[kChunk];
    loadI32(p.inType, buffers.input(), i, n, x);
    applyInt(p.op, x, p.inZp, n, acc);
    epilogue.store(acc, n, 0, i, buffers.output());
  });
}

YARROW_KERNEL(yk_prelu_int, PReluInt) {
  Requant withoutAct = p.requant;
  withoutAct.act = Act::None;
  IntEpilogue epilogue(withoutAct);
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  if (areStripBytes(p))
    return withByte(p.inType, [&](auto x) {
      withSmallInt(p.requant.slopeType, [&](auto slope) {
        forEachRun<UINT32_MAX>(
            p.shape, share.begin, share.end, [&](const Run &r) {
              preluStrips<decltype(x), decltype(slope)>(
                  p, r, buffers.input(), buffers.slope(), buffers.output());
            });
      });
    });
  forEachRun(p.shape, share.begin, share.end, [&](const Run &r) {
    int32_t x[kChunk], slope[kChunk];
    int64_t acc[kChunk];
    loadI32(p.inType, buffers.input(), r.a, r.n, x, r.strideA);
    loadI32(p.requant.slopeType, buffers.slope(), r.b, r.n, slope, r.strideB);
    applyInt(UnaryIntOp::Identity, x, p.inZp, r.n, acc);
    preluChunk(acc, r.n, slope, p.requant.slopeShift);
    epilogue.store(acc, r.n, 0, r.out, buffers.output());
  });
}

YARROW_KERNEL(yk_prelu_float, PReluFloat) {
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  const void *input = buffers.input(), *slopes = buffers.slope();
  void *output = buffers.output();
  if (areStripStrides(p.shape))
    return forEachRun<UINT32_MAX>(
        p.shape, share.begin, share.end, [&](const Run &r) {
          forEachStrip(0, r.n, [&](uint32_t i, auto size) {
            Strip<float> x, slope;
            loadFloats(p.inType, input, r.a + int64_t(i) * r.strideA, r.strideA,
                       size, x);
            loadFloats(p.slopeType, slopes, r.b + int64_t(i) * r.strideB,
                       r.strideB, size, slope);
            x = x < 0 ? x * slope : x;
            storeFloats(p.outType, x, size, output, int64_t(r.out) + i);
          });
        });
  forEachRun(p.shape, share.begin, share.end, [&](const Run &r) {
    float x[kChunk], slope[kChunk];
    loadF32(p.inType, input, r.a, r.n, x, r.strideA);
    loadF32(p.slopeType, slopes, r.b, r.n, slope, r.strideB);
    for (uint32_t i = 0; i < r.n; ++i)
      x[i] = x[i] < 0 ? x[i] * slope[i] : x[i];
    storeF32(p.outType, output, r.out, r.n, x);
  });
}

/// Bytes by a table of 256 bytes: an index of 8 bits takes a quarter of the
/// vector work of one of 32, and needs no limit.
static void lookupBytes(const uint8_t *x, uint8_t indexMin, uint32_t n,
                        const uint8_t *table, uint8_t *out) {
  uint8_t y[2 * kChunk];
  for (uint32_t i = 0; i < n; ++i)
    y[i] = table[uint8_t(x[i] - indexMin)];
  __builtin_memcpy(out, y, n);
}

YARROW_KERNEL(yk_lut, Lut) {
  Share share = shareOf(p.count, task, taskCount);
  // An index is one of the table's if x - indexMin cannot be negative.
  int32_t least = p.inType == DType::I8 ? -128 : 0;
  if (dtypeBytes(p.inType) == 1 && dtypeBytes(p.tableType) == 1 &&
      p.inBits == 8 && p.log2Size == 8 && p.indexMin == least) {
    auto *x = static_cast<const uint8_t *>(buffers.input());
    auto *y = static_cast<uint8_t *>(buffers.output());
    for (uint32_t i = share.begin, n; i < share.end; i += n) {
      n = share.end - i < 2 * kChunk ? share.end - i : 2 * kChunk;
      lookupBytes(x + i, uint8_t(p.indexMin), n,
                  static_cast<const uint8_t *>(buffers.table()), y + i);
    }
    return;
  }
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    int32_t index[kChunk], y[kChunk];
    loadI32(p.inType, buffers.input(), i, n, index);
    for (uint32_t k = 0; k < n; ++k)
      index[k] -= p.indexMin;
    lookup(index, n, p.tableType, buffers.table(), p.inBits, p.log2Size, y);
    storeI32(p.tableType, buffers.output(), i, n, y);
  });
}

YARROW_KERNEL(yk_periodic_lut, PeriodicLut) {
  Share share = shareOf(p.count, task, taskCount);
  int64_t mask = (int64_t(1) << p.log2Size) - 1;
  RoundShift shift = makeRoundShift(p.shift);
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    int32_t x[kChunk], index[kChunk], y[kChunk];
    loadI32(p.inType, buffers.input(), i, n, x);
    for (uint32_t k = 0; k < n; ++k) {
      int64_t angle = wrapMul(int64_t(x[k]) + p.inZp, p.scale);
      index[k] = int32_t(roundShiftHalfEven(angle, shift) & mask);
    }
    lookup(index, n, p.tableType, buffers.table(), p.log2Size, p.log2Size, y);
    storeI32(p.tableType, buffers.output(), i, n, y);
  });
}

YARROW_KERNEL(yk_unary_float, UnaryFloat) {
  Share share = shareOf(p.count, task, taskCount);
  if (isExactInFloat(p.fn) && contains(kFloats, p.inType))
    return forEachStrip(share.begin, share.end, [&](uint32_t i, auto size) {
      Strip<float> x;
      loadFloats(p.inType, buffers.input(), i, size, x);
      exactValue(p.fn, p.args, x);
      storeFloats(p.outType, x, size, buffers.output(), i);
    });
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    float x[kChunk];
    loadF32(p.inType, buffers.input(), i, n, x);
    switch (p.fn) {
#define UNARY(NAME, VALUE)                                                     \
  case UnaryFn::NAME:                                                          \
    applyFloat<unary::NAME>(x, n, p.args);                                     \
    break;
#include "kernels/activation/UnaryFn.def"
    }
    storeF32(p.outType, buffers.output(), i, n, x);
  });
}
