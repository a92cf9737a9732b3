//===- Eltwise.cpp - Two-operand elementwise kernels ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/Broadcast.h"
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/activation/Lookup.h"
#include "kernels/arithmetic/Remainder.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// acc[i] = op(as[i], bs[i]) where operands have up to 33 bits, those of a
/// product 17, rescaled ones 32, so no operation overflows 64 bits.
void combine(BinaryOp op, const int64_t *as, const int64_t *bs, uint32_t n,
             int64_t *acc) {
  switch (op) {
#define BINARY(NAME, FORM, FLOAT, INTEGER)                                     \
  case BinaryOp::NAME:                                                         \
    for (uint32_t i = 0; i < n; ++i) {                                         \
      int64_t a = as[i], b = bs[i];                                            \
      acc[i] = INTEGER;                                                        \
    }                                                                          \
    break;
#define BINARY_FLOAT(NAME, FLOAT)                                              \
  case BinaryOp::NAME:                                                         \
    __builtin_unreachable(); // has no integer form: BinaryForm::None
#include "kernels/arithmetic/BinaryFn.def"
  }
}

/// (x + zp) * scale for a run of one operand.
void loadScaled(DType type, const void *src, int64_t index, int32_t stride,
                uint32_t n, int32_t zp, int32_t scale, int64_t *dst) {
  int32_t x[kChunk];
  loadI32(type, src, index, n, x, stride);
  for (uint32_t i = 0; i < n; ++i)
    dst[i] = (int64_t(x[i]) + zp) * scale;
}

void combineFloat(BinaryOp op, const float *as, const float *bs, uint32_t n,
                  float *y) {
  switch (op) {
#define BINARY_FLOAT(NAME, FLOAT)                                              \
  case BinaryOp::NAME:                                                         \
    for (uint32_t i = 0; i < n; ++i) {                                         \
      float a = as[i], b = bs[i];                                              \
      y[i] = FLOAT;                                                            \
    }                                                                          \
    break;
#define BINARY(NAME, FORM, FLOAT, INTEGER) BINARY_FLOAT(NAME, FLOAT)
#include "kernels/arithmetic/BinaryFn.def"
  }
}

} // namespace

YARROW_KERNEL(yk_eltwise_int, EltwiseInt) {
  IntEpilogue epilogue(p.requant, nullptr, nullptr, buffers.slope());
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  forEachRun(p.shape, share.begin, share.end, [&](const Run &r) {
    int64_t a[kChunk], b[kChunk], acc[kChunk];
    loadScaled(p.typeA, buffers.a(), r.a, r.strideA, r.n, p.zpA, p.scaleA, a);
    loadScaled(p.typeB, buffers.b(), r.b, r.strideB, r.n, p.zpB, p.scaleB, b);
    combine(p.op, a, b, r.n, acc);
    epilogue.store(acc, r.n, 0, r.out, buffers.output());
  });
}

YARROW_KERNEL(yk_eltwise_float, EltwiseFloat) {
  FloatEpilogue epilogue(p.act, p.outType, buffers.slope());
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  forEachRun(p.shape, share.begin, share.end, [&](const Run &r) {
    float a[kChunk], b[kChunk], y[kChunk];
    loadF32(p.typeA, buffers.a(), r.a, r.n, a, r.strideA);
    loadF32(p.typeB, buffers.b(), r.b, r.n, b, r.strideB);
    combineFloat(p.op, a, b, r.n, y);
    epilogue.store(y, r.n, r.out, buffers.output());
  });
}

YARROW_KERNEL(yk_div_int, DivInt) {
  IntEpilogue epilogue(p.requant);
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  forEachRun(p.shape, share.begin, share.end, [&](const Run &r) {
    int32_t a[kChunk], b[kChunk], inverse[kChunk];
    int64_t acc[kChunk];
    loadI32(p.typeA, buffers.a(), r.a, r.n, a, r.strideA);
    loadI32(p.typeB, buffers.b(), r.b, r.n, b, r.strideB);
    for (uint32_t i = 0; i < r.n; ++i) {
      // The sign moves to the numerator; the table has |b| only.
      int32_t divisor = b[i] + p.zpB;
      a[i] = divisor < 0 ? -(a[i] + p.zpA) : a[i] + p.zpA;
      b[i] = divisor < 0 ? -divisor : divisor;
    }
    lookup(b, r.n, DType::U16, buffers.table(), p.inBits, p.log2TableSize,
           inverse);
    for (uint32_t i = 0; i < r.n; ++i)
      acc[i] = int64_t(a[i]) * inverse[i];
    epilogue.store(acc, r.n, 0, r.out, buffers.output());
  });
}
