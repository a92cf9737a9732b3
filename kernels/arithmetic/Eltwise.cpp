//===- Eltwise.cpp - Two-operand elementwise kernels ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/Broadcast.h"
#include "kernels/Epilogue.h"
#include "kernels/FloatEpilogue.h"
#include "kernels/Math.h"
#include "kernels/RepeatedRow.h"
#include "kernels/StripRequant.h"
#include "kernels/WideElements.h"
#include "kernels/WideKernel.h"
#include "kernels/activation/Lookup.h"
#include "kernels/arithmetic/IntegerFn.h"
#include "kernels/arithmetic/Remainder.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// formOf by a switch: in the operator library, where the operation is no
/// constant, the table of records would be read, whose names are addresses.
bool hasForm(BinaryOp op, BinaryForm form) {
  switch (op) {
#define BINARY(NAME, FORM, FLOAT, INTEGER)                                     \
  case BinaryOp::NAME:                                                         \
    return form == BinaryForm::FORM;
#define BINARY_INTEGER(NAME, FORM, INTEGER) BINARY(NAME, FORM, , INTEGER)
#include "kernels/arithmetic/BinaryFn.def"
  default:
    return form == BinaryForm::None;
  }
}

/// acc[i] = op(as[i], bs[i]), see BinaryFn.def. Scaled values have up to 50
/// bits (33 and a scale of 16, and their sum), so no operation overflows 64
/// bits; products, which are not scaled, saturate if \p isWide.
template <typename Narrow, typename T>
void combine(BinaryOp op, const T *as, const T *bs, uint32_t n,
             [[maybe_unused]] bool isWide, T *acc) {
  switch (op) {
#define BINARY(NAME, FORM, FLOAT, INTEGER)                                     \
  case BinaryOp::NAME:                                                         \
    for (uint32_t i = 0; i < n; ++i) {                                         \
      T a = as[i], b = bs[i];                                                  \
      acc[i] = T(INTEGER);                                                     \
    }                                                                          \
    break;
#define BINARY_INTEGER(NAME, FORM, INTEGER) BINARY(NAME, FORM, , INTEGER)
#define BINARY_FLOAT(NAME, FLOAT)                                              \
  case BinaryOp::NAME:                                                         \
    __builtin_unreachable(); // has no integer form: BinaryForm::None
#include "kernels/arithmetic/BinaryFn.def"
  }
}

/// (x + zp) * scale for a run of one operand. Where they are not compared,
/// values of 32 bits are limited: 64 do not hold them times a scale of the
/// result.
void loadScaled(DType type, const void *src, int64_t index, int32_t stride,
                uint32_t n, int32_t zp, int32_t scale, bool isCompared,
                int64_t *dst) {
  if (dtypeBytes(type) >= 4) {
    constexpr int64_t kMost = int64_t(1) << 31;
    int64_t lowest = type == DType::U32 ? 0 : -kMost;
    int64_t highest = type == DType::U32 ? 2 * kMost : kMost;
    loadI64(type, src, index, n, dst, stride);
    for (uint32_t i = 0; i < n; ++i) {
      int64_t x = wrapMul(dst[i] + zp, scale);
      dst[i] = isCompared ? x : clamp(x, lowest, highest);
    }
    return;
  }
  int32_t x[kChunk];
  loadI32(type, src, index, n, x, stride);
  for (uint32_t i = 0; i < n; ++i)
    dst[i] = (int64_t(x[i]) + zp) * scale;
}

/// The operand as loadScaled has it with scale 1, requantized on its own.
void requantizeApart(const EltwiseIntParams &p, int32_t scale, int32_t shift,
                     uint32_t n, int64_t *x) {
  if (p.requant.rounding == Rounding::Double) {
    TwiceShift s = makeTwiceShift(shift);
    for (uint32_t i = 0; i < n; ++i)
      x[i] = requantizeTwice(int64_t(uint64_t(x[i]) << p.leftShift), scale, s);
    return;
  }
  RoundShift s = makeRoundShift(shift, p.requant.rounding);
  for (uint32_t i = 0; i < n; ++i)
    x[i] =
        shiftRounded(wrapMul(int64_t(uint64_t(x[i]) << p.leftShift), scale), s);
}

/// Products of 32-bit operands, limited so that times the scale they fit 2^62.
void limitProducts(const Requant &r, uint32_t n, int64_t *acc) {
  int32_t scaleBits = r.scale > 0 ? floorLog2(uint64_t(r.scale)) + 1 : 0;
  int64_t most = int64_t(1) << (62 - scaleBits);
  for (uint32_t i = 0; i < n; ++i)
    acc[i] = clamp(acc[i], -most, most);
}

/// IntEpilogue's, of a type whose range int32 does not hold.
void storeU32(const Requant &r, uint32_t n, int64_t element, int64_t *acc,
              void *output) {
  RoundShift shift = makeRoundShift(r.shift);
  for (uint32_t i = 0; i < n; ++i) {
    int64_t y = roundShiftHalfEven(wrapMul(acc[i], r.scale), shift);
    // Limited before the difference, which of the ends of int64 has none.
    acc[i] = clamp<int64_t>(y, r.zp, int64_t(UINT32_MAX) + r.zp) - r.zp;
  }
  storeI64(DType::U32, output, element, n, acc);
}

void loadStored(DType type, const void *src, int64_t index, int32_t stride,
                uint32_t n, int32_t *dst) {
  loadI32(type, src, index, n, dst, stride);
}
void loadStored(DType type, const void *src, int64_t index, int32_t stride,
                uint32_t n, int64_t *dst) {
  loadI64(type, src, index, n, dst, stride);
}
void store(DType type, void *dst, int64_t index, uint32_t n,
           const int32_t *src) {
  storeI32(type, dst, index, n, src);
}
void store(DType type, void *dst, int64_t index, uint32_t n,
           const int64_t *src) {
  storeI64(type, dst, index, n, src);
}

/// The function of stored integers, whose zero point is 0 and scale 1, or of
/// bytes that are compared: with a zero point of as many bits and a scale of 16
/// they fit 32. T holds both.
template <typename T>
void combineStored(const EltwiseIntParams &p, const void *as, const void *bs,
                   void *output, const Run &r) {
  T a[kChunk], b[kChunk], y[kChunk];
  loadStored(p.typeA, as, r.a, r.strideA, r.n, a);
  loadStored(p.typeB, bs, r.b, r.strideB, r.n, b);
  for (uint32_t i = 0; i < r.n; ++i) {
    a[i] = (a[i] + p.zpA) * p.scaleA;
    b[i] = (b[i] + p.zpB) * p.scaleB;
  }
  combine<T>(p.op, a, b, r.n, /*isWide=*/false, y);
  store(p.requant.outType, output, r.out, r.n, y);
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
#define BINARY_INTEGER(NAME, FORM, INTEGER)                                    \
  case BinaryOp::NAME:                                                         \
    __builtin_unreachable(); // hasFloatForm
#include "kernels/arithmetic/BinaryFn.def"
  }
}

/// Sums, differences and products of bytes in 32 bits: with zero points of 10
/// bits and scales of 16 a sum has 27, a product, whose scales are 1, has 20.
bool areStripBytes(const EltwiseIntParams &p) {
  bool isSum = p.op == BinaryOp::Add || p.op == BinaryOp::Sub;
  bool isProduct = p.op == BinaryOp::Mul && p.scaleA == 1 && p.scaleB == 1;
  const Requant &r = p.requant;
  auto isSmall = [](int32_t zp) { return zp >= -512 && zp <= 512; };
  bool fitsOut = isByte(r.outType) || (r.outType == DType::I32 && r.zp == 0);
  return (isSum || isProduct) && isByte(p.typeA) && isByte(p.typeB) &&
         fitsOut && !p.isStored && !p.isApart && isSmall(p.zpA) &&
         isSmall(p.zpB) && p.scaleA <= kMostNarrowScale &&
         p.scaleB <= kMostNarrowScale && r.shift >= 0 && r.shift <= 62 &&
         r.rounding != Rounding::Double &&
         (r.act == Act::None || r.act == Act::Relu || r.act == Act::Relu6);
}

template <typename A, typename B>
void combineStrips(const EltwiseIntParams &p, const Run &r, const void *as,
                   const void *bs, void *output) {
  constexpr int64_t kMost = 255 + 512;
  bool isProduct = p.op == BinaryOp::Mul;
  StripRequant requant(p.requant.scale, p.requant.shift, p.requant.zp,
                       p.requant.lo, p.requant.hi,
                       isProduct ? kMost * kMost
                                 : kMost * (int64_t(p.scaleA) + p.scaleB),
                       p.requant.rounding);
  forEachStrip(0, r.n, [&](uint32_t i, auto size) {
    Strip<int32_t> a, b;
    loadStrip<A>(as, r.a + int64_t(i) * r.strideA, r.strideA, size, a);
    loadStrip<B>(bs, r.b + int64_t(i) * r.strideB, r.strideB, size, b);
    a = (a + p.zpA) * p.scaleA;
    b = (b + p.zpB) * p.scaleB;
    a = isProduct ? a * b : p.op == BinaryOp::Add ? a + b : a - b;
    if (p.requant.act != Act::None)
      a = __builtin_elementwise_max(a, Strip<int32_t>{});
    requant.apply(a);
    storeStrip(p.requant.outType, a, size, output, int64_t(r.out) + i);
  });
}

/// Sums and differences of 32-bit integers as they are stored: what the steps
/// of recurrent layers are made of.
bool areStripSums(const EltwiseIntParams &p) {
  bool isSum = p.op == BinaryOp::Add || p.op == BinaryOp::Sub;
  return isSum && p.typeA == DType::I32 && p.typeB == DType::I32 &&
         p.zpA == 0 && p.zpB == 0 && p.scaleA == 1 && p.scaleB == 1 &&
         !p.isStored && !p.isApart && p.requant.act == Act::None &&
         !p.requant.perChannel &&
         StripSums(p.requant, nullptr, nullptr).fits(0);
}

void sumStrips(const EltwiseIntParams &p, const Run &r, const void *as,
               const void *bs, void *output) {
  StripSums requant(p.requant, nullptr, nullptr);
  forEachStrip(0, r.n, [&](uint32_t i, auto size) {
    Strip<int64_t> a, b; // sums have 33 bits
    Strip<int32_t> y;
    loadStrip<int32_t>(as, r.a + int64_t(i) * r.strideA, r.strideA, size, a);
    loadStrip<int32_t>(bs, r.b + int64_t(i) * r.strideB, r.strideB, size, b);
    a = p.op == BinaryOp::Add ? a + b : a - b;
    requant.apply(a, /*channel=*/0, /*step=*/0, size, y);
    storeStrip(p.requant.outType, y, size, output, int64_t(r.out) + i);
  });
}

/// The same of floats, for functions of few operations.
bool areStripFloats(const EltwiseFloatParams &p) {
  bool isSimple = p.op == BinaryOp::Add || p.op == BinaryOp::Sub ||
                  p.op == BinaryOp::Mul || p.op == BinaryOp::Div ||
                  p.op == BinaryOp::Max || p.op == BinaryOp::Min ||
                  p.op == BinaryOp::SquaredDifference;
  return isSimple && contains(kFloats, p.outType);
}

/// As BinaryFn.def has them.
void combineStrip(BinaryOp op, const Strip<float> &b, Strip<float> &a) {
  switch (op) {
  case BinaryOp::Add:
    a += b;
    break;
  case BinaryOp::Sub:
    a -= b;
    break;
  case BinaryOp::Mul:
    a *= b;
    break;
  case BinaryOp::Div:
    a /= b;
    break;
  case BinaryOp::Max:
    a = ((a > b) | (a != a)) ? a : b;
    break;
  case BinaryOp::Min:
    a = ((a < b) | (a != a)) ? a : b;
    break;
  default: // SquaredDifference
    a = (a - b) * (a - b);
  }
}

/// Strips take runs of any length.
constexpr uint32_t kStripRun = UINT32_MAX;

} // namespace

YARROW_WIDE_KERNEL(yk_eltwise_int, EltwiseInt) {
  IntEpilogue epilogue(p.requant, nullptr, nullptr, buffers.slope());
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  RepeatedRow operands;
  BroadcastShape shape =
      operands.widen(p.shape, buffers.a(), p.typeA, buffers.b(), p.typeB);
  bool has64 = exceedsI32(p.typeA) || exceedsI32(p.typeB);
  bool isWide = dtypeBytes(p.typeA) >= 4 || dtypeBytes(p.typeB) >= 4;
  bool isCompared = hasForm(p.op, BinaryForm::Compared);
  // A truth value is stored as it is, whatever the range of the output.
  bool areComparedBytes = isCompared && dtypeBytes(p.typeA) == 1 &&
                          dtypeBytes(p.typeB) == 1 && p.requant.zp == 0;
  bool isWideProduct = isWide && hasForm(p.op, BinaryForm::Product);
  auto chunk = [&](const Run &r) {
    if (p.isStored || areComparedBytes)
      return has64 ? combineStored<int64_t>(p, operands.a, operands.b,
                                            buffers.output(), r)
                   : combineStored<int32_t>(p, operands.a, operands.b,
                                            buffers.output(), r);
    int64_t a[kChunk], b[kChunk], acc[kChunk];
    loadScaled(p.typeA, operands.a, r.a, r.strideA, r.n, p.zpA,
               p.isApart ? 1 : p.scaleA, isCompared, a);
    loadScaled(p.typeB, operands.b, r.b, r.strideB, r.n, p.zpB,
               p.isApart ? 1 : p.scaleB, isCompared, b);
    if (p.isApart) {
      requantizeApart(p, p.scaleA, p.shiftA, r.n, a);
      requantizeApart(p, p.scaleB, p.shiftB, r.n, b);
    }
    combine<int32_t>(p.op, a, b, r.n, isWide, acc);
    if (isWideProduct)
      limitProducts(p.requant, r.n, acc);
    if (p.requant.outType == DType::U32)
      return storeU32(p.requant, r.n, r.out, acc, buffers.output());
    epilogue.store(acc, r.n, 0, r.out, buffers.output());
  };
  if (areStripSums(p) && areStripStrides(shape))
    return forEachRun<kStripRun>(
        shape, share.begin, share.end, [&](const Run &r) {
          sumStrips(p, r, operands.a, operands.b, buffers.output());
        });
  if (!areStripBytes(p) || !areStripStrides(shape))
    return forEachRun(shape, share.begin, share.end, chunk);
  withByte(p.typeA, [&](auto a) {
    withByte(p.typeB, [&](auto b) {
      forEachRun<kStripRun>(shape, share.begin, share.end, [&](const Run &r) {
        combineStrips<decltype(a), decltype(b)>(p, r, operands.a, operands.b,
                                                buffers.output());
      });
    });
  });
}

YARROW_KERNEL(yk_eltwise_float, EltwiseFloat) {
  FloatEpilogue epilogue(p.act, p.outType, buffers.slope());
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  RepeatedRow operands;
  BroadcastShape shape =
      operands.widen(p.shape, buffers.a(), p.typeA, buffers.b(), p.typeB);
  auto chunk = [&](const Run &r) {
    float a[kChunk], b[kChunk], y[kChunk];
    loadF32(p.typeA, operands.a, r.a, r.n, a, r.strideA);
    loadF32(p.typeB, operands.b, r.b, r.n, b, r.strideB);
    combineFloat(p.op, a, b, r.n, y);
    if (isTruth(p.op) && contains(kWholeNumbers, p.outType)) {
      int32_t truth[kChunk];
      for (uint32_t i = 0; i < r.n; ++i)
        truth[i] = y[i] != 0;
      return storeI32(p.outType, buffers.output(), r.out, r.n, truth);
    }
    epilogue.storeValues(y, r.n, r.out, buffers.output());
  };
  void *output = buffers.output();
  if (!areStripFloats(p) || !areStripStrides(shape))
    return forEachRun(shape, share.begin, share.end, chunk);
  forEachRun<kStripRun>(shape, share.begin, share.end, [&](const Run &r) {
    forEachStrip(0, r.n, [&](uint32_t i, auto size) {
      Strip<float> a, b;
      loadFloats(p.typeA, operands.a, r.a + int64_t(i) * r.strideA, r.strideA,
                 size, a);
      loadFloats(p.typeB, operands.b, r.b + int64_t(i) * r.strideB, r.strideB,
                 size, b);
      combineStrip(p.op, b, a);
      epilogue.store(a, size, int64_t(r.out) + i, output);
    });
  });
}

YARROW_KERNEL(yk_div_int, DivInt) {
  IntEpilogue epilogue(p.requant);
  Share share = shareOf(elementCount(p.shape), task, taskCount);
  RepeatedRow operands;
  BroadcastShape shape =
      operands.widen(p.shape, buffers.a(), p.typeA, buffers.b(), p.typeB);
  forEachRun(shape, share.begin, share.end, [&](const Run &r) {
    int32_t a[kChunk], b[kChunk], inverse[kChunk];
    int64_t acc[kChunk];
    loadI32(p.typeA, operands.a, r.a, r.n, a, r.strideA);
    loadI32(p.typeB, operands.b, r.b, r.n, b, r.strideB);
    for (uint32_t i = 0; i < r.n; ++i) {
      // The sign moves to the numerator; the table has |b| only.
      int32_t divisor = b[i] + p.zpB;
      a[i] = divisor < 0 ? -(a[i] + p.zpA) : a[i] + p.zpA;
      b[i] = divisor < 0 ? -divisor : divisor;
    }
    lookup(b, r.n, p.tableType, buffers.table(), p.inBits, p.log2TableSize,
           inverse);
    // At most 18 + 28 bits.
    for (uint32_t i = 0; i < r.n; ++i)
      acc[i] = int64_t(a[i]) * inverse[i];
    epilogue.store(acc, r.n, 0, r.out, buffers.output());
  });
}
