//===- WideKernelsTest.cpp - The engine's wide scales against kernels -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// 10,000 random commands with scales of 31 bits, halves to even or upwards, and
// the same layer by the kernels that the evaluator runs: two pieces of code
// that know nothing of one another. Scales, shifts, operands and sums are often
// at their ends.
//
//===----------------------------------------------------------------------===//
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"
#include "kernels/pool/Pool.h"
#include "passes/lower/describe/Reciprocals.h"
#include "simulator/engine/TensorEngine.h"
#include "test/unit/simulator/Naive.h"

#include <bit>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using kernels::Act;
using kernels::DType;
using kernels::dtypeBytes;
using naive::Random;

// As the registry finds them; the simulator links no more of it than these.
extern "C" {
#define YARROW_DECLARE(SYMBOL)                                                 \
  void SYMBOL(const void *params, void *const *buffers, uint32_t task,         \
              uint32_t taskCount);
YARROW_DECLARE(yk_conv2d_int)
YARROW_DECLARE(yk_depthwise_conv2d_int)
YARROW_DECLARE(yk_fully_connected_int)
YARROW_DECLARE(yk_matmul_int)
YARROW_DECLARE(yk_eltwise_int)
YARROW_DECLARE(yk_pool_int)
}

static constexpr uint64_t kSramBytes = 1 << 18;
static constexpr int kCommands = 2000; ///< Of each of five kinds.

namespace {

/// SRAM with a layer's operands, one behind the other.
class WideKernels : public ::testing::Test {
protected:
  WideKernels() : memory(Memory::create(kSramBytes)), engine(*memory) {}

  uint32_t place(uint64_t sizeBytes) {
    uint64_t at = top;
    top += (sizeBytes + 15) & ~uint64_t(15);
    EXPECT_LE(top, kSramBytes);
    return uint32_t(at);
  }
  uint8_t *at(uint64_t offset) {
    return memory->hostBase() + Memory::kSramBase + offset;
  }
  /// Any bytes, or those of extreme values.
  uint32_t placeBytes(Random &r, uint64_t sizeBytes) {
    uint32_t offset = place(sizeBytes);
    bool isExtreme = r.chance(30);
    for (uint64_t i = 0; i < sizeBytes; ++i)
      *at(offset + i) = isExtreme ? uint8_t(r.oneOf({-128, 127, 0, -1}))
                                  : uint8_t(r.engine());
    return offset;
  }
  template <typename T> uint32_t placeValues(const std::vector<T> &values) {
    uint32_t offset = place(values.size() * sizeof(T));
    std::memcpy(at(offset), values.data(), values.size() * sizeof(T));
    return offset;
  }

  void convCase(Random &r, bool isResidual);
  void setRequant(Random &r, kernels::Requant &requant, isa::Conv &d,
                  int sumBits, bool is16);
  void sumCase(Random &r, DType main, DType other, kernels::EltwiseIntParams &p,
               isa::Conv &d);
  void matMulCase(Random &r);
  void meanCase(Random &r);
  void identityCase(Random &r);
  void expectSame(const isa::Conv &d, const std::vector<uint8_t> &expected,
                  uint32_t output) {
    Fault fault = engine.execute(d);
    ASSERT_FALSE(fault) << *fault;
    ASSERT_EQ(std::memcmp(at(output), expected.data(), expected.size()), 0)
        << disassemble(d);
  }

  std::unique_ptr<Memory> memory;
  TensorEngine engine;
  uint64_t top = 0;
};

/// Of 31 bits where sums have 32, of 18 where they have up to 44.
int32_t anyScale(Random &r, bool is16) {
  int32_t most = is16 ? 1 << 18 : INT32_MAX;
  if (r.chance(30))
    return r.oneOf<int32_t>({0, 1, 65535, 65536, most / 2, most / 2 + 1, most});
  return int32_t(r.in(0, most));
}

/// Results are in the middle of their range, or anywhere.
int32_t anyShift(Random &r, int32_t scale, int sumBits) {
  if (r.chance(25))
    return int32_t(r.in(0, 62));
  int bits = std::bit_width(uint32_t(scale)) + sumBits - 8;
  return int32_t(std::clamp<int64_t>(bits + r.in(-2, 2), 0, 62));
}

void setRange(DType type, int32_t &lo, int32_t &hi) {
  TypeRange range = rangeOf(type);
  lo = int32_t(range.lowest), hi = int32_t(range.highest);
}

kernels::Rounding anyRounding(Random &r) {
  return r.chance(30) ? Rounding::HalfUp : Rounding::HalfEven;
}

} // namespace

void WideKernels::setRequant(Random &r, kernels::Requant &q, isa::Conv &d,
                             int sumBits, bool is16) {
  q.rounding = anyRounding(r);
  q.act = r.oneOf({Act::None, Act::None, Act::Relu});
  if (q.rounding == Rounding::HalfEven && r.chance(20)) {
    q.act = Act::LeakyRelu;
    q.slope = int32_t(r.in(0, 256)), q.slopeShift = 8;
  }
  q.zp = int32_t(r.in(-5, 5));
  setRange(q.outType, q.lo, q.hi);
  q.perChannel = r.chance(60);
  q.scaleType = DType::I32;
  q.scale = anyScale(r, is16), q.shift = anyShift(r, q.scale, sumBits);
  d.activation = q.act == Act::None   ? isa::Activation::None
                 : q.act == Act::Relu ? isa::Activation::Relu
                                      : isa::Activation::LeakyRelu;
  d.slope = q.slope, d.slopeShift = uint32_t(q.slopeShift);
  d.halfUp = q.rounding == Rounding::HalfUp;
  d.outType = q.outType, d.outZeroPoint = q.zp;
  d.outMin = q.lo, d.outMax = q.hi;
  if (!q.perChannel) {
    isa::setScale(d, q.scale);
    d.shift = q.shift;
    return;
  }
  std::vector<int32_t> scales;
  std::vector<int8_t> shifts;
  for (uint32_t o = 0; o < d.outChannels; ++o) {
    scales.push_back(anyScale(r, is16));
    shifts.push_back(int8_t(anyShift(r, scales.back(), sumBits)));
  }
  d.perChannel = d.wideScale = true;
  d.scales = placeValues(scales), d.shifts = placeValues(shifts);
}

/// Scales of 31 bits, and that of the sum what 62 leave.
void WideKernels::sumCase(Random &r, DType main, DType other,
                          kernels::EltwiseIntParams &p, isa::Conv &d) {
  bool is16 = dtypeBytes(main) == 2 || dtypeBytes(other) == 2;
  p.typeA = main, p.typeB = other;
  p.zpA = int32_t(r.in(-128, 128)), p.zpB = int32_t(r.in(-128, 128));
  p.scaleA = anyScale(r, false), p.scaleB = anyScale(r, false);
  kernels::Requant &q = p.requant;
  q.outType = r.oneOf({DType::I8, DType::U8, DType::I16});
  q.rounding = anyRounding(r);
  q.act = r.oneOf({Act::None, Act::Relu});
  q.scale = r.chance(50) ? 1 : int32_t(r.in(1, is16 ? 2000 : 1 << 19));
  q.shift = anyShift(r, q.scale, (is16 ? 16 : 8) + 31);
  q.zp = int32_t(r.in(-5, 5));
  setRange(q.outType, q.lo, q.hi);
  d.hasResidual = true;
  d.mainType = main, d.residualType = other, d.outType = q.outType;
  d.mainZeroPoint = p.zpA, d.residualZeroPoint = p.zpB;
  isa::setSumScales(d, {p.scaleA, p.scaleB, q.scale});
  d.sumShift = q.shift, d.sumHalfUp = q.rounding == Rounding::HalfUp;
  d.sumActivation =
      q.act == Act::Relu ? isa::Activation::Relu : isa::Activation::None;
  d.sumZeroPoint = q.zp, d.sumMin = q.lo, d.sumMax = q.hi;
}

/// A convolution, depthwise one or fully connected layer.
void WideKernels::convCase(Random &r, bool isResidual) {
  top = 0;
  isa::Conv d;
  kernels::Conv2DIntParams p;
  kernels::Conv2DShape &s = p.shape;
  bool isDepthwise = r.chance(30), isConnected = !isDepthwise && r.chance(30);
  p.inType = r.oneOf({DType::I8, DType::I8, DType::U8, DType::I16});
  bool is16 = dtypeBytes(p.inType) == 2;
  s.inC = uint32_t(r.oneOf({1, 3, 16, 33}));
  s.outC = isDepthwise ? s.inC : uint32_t(r.oneOf({1, 7, 16, 40, 65}));
  s.inH = uint32_t(r.in(1, 5)), s.inW = uint32_t(r.in(1, 6));
  s.kernelH = s.kernelW = isConnected ? 1 : uint32_t(r.oneOf({1, 3}));
  s.padTop = s.padLeft = int32_t(s.kernelH / 2);
  s.strideH = s.strideW = isConnected ? 1 : uint32_t(r.oneOf({1, 1, 2}));
  s.outH = (s.inH - 1) / s.strideH + 1, s.outW = (s.inW - 1) / s.strideW + 1;
  p.padValue = int32_t(r.in(-5, 5));
  if (p.inType == DType::U8)
    p.padValue = std::abs(p.padValue);
  p.requant.outType =
      isResidual ? r.oneOf({DType::I8, DType::U8, DType::I16})
                 : r.oneOf({DType::I8, DType::U8, DType::I16, DType::I32});

  uint32_t terms = s.kernelH * s.kernelW * (isDepthwise ? 1 : s.inC);
  int largest = r.oneOf({1, 9, 127});
  std::vector<int8_t> weights(uint64_t(terms) * s.outC);
  for (int8_t &w : weights)
    w = int8_t(r.in(-largest, largest));
  int64_t reach = int64_t(terms) * largest << (is16 ? 16 : 8);
  std::vector<int32_t> bias(s.outC);
  for (int32_t &b : bias) {
    b = int32_t(r.in(-1000, 1000));
    if (!is16 && r.chance(25)) // With these sums go up to 32 bits.
      b = int32_t((INT32_MAX - reach) * r.oneOf({-1, 1}));
  }

  d.inType = p.inType, d.weightType = DType::I8, d.depthwise = isDepthwise;
  d.groups = 1;
  d.inHeight = s.inH, d.inWidth = s.inW, d.inChannels = s.inC;
  d.outHeight = s.outH, d.outWidth = s.outW, d.outChannels = s.outC;
  d.kernelY = s.kernelH, d.kernelX = s.kernelW;
  d.strideY = s.strideH, d.strideX = s.strideW;
  d.dilationY = d.dilationX = 1;
  d.padTop = s.padTop, d.padLeft = s.padLeft, d.padValue = p.padValue;
  d.inPixelStride = s.inC * dtypeBytes(p.inType);
  d.inRowStride = s.inW * d.inPixelStride;
  d.input = placeBytes(r, uint64_t(s.inH) * d.inRowStride);
  d.weights = placeValues(weights), d.bias = placeValues(bias);
  setRequant(r, p.requant, d, std::bit_width(uint64_t(reach)) - 2, is16);
  if (isDepthwise)
    s.groups = s.inC;

  uint64_t elements = uint64_t(s.outH) * s.outW * s.outC;
  std::vector<uint8_t> expected(elements * dtypeBytes(p.requant.outType));
  void *buffers[] = {at(d.input),  at(d.weights), at(d.bias),     at(d.scales),
                     at(d.shifts), nullptr,       expected.data()};
  if (isConnected) {
    kernels::FullyConnectedIntParams f;
    f.rows = s.inH * s.inW, f.inFeatures = s.inC, f.outFeatures = s.outC;
    f.inType = p.inType, f.requant = p.requant;
    yk_fully_connected_int(&f, buffers, 0, 1);
  } else if (isDepthwise) {
    yk_depthwise_conv2d_int(&p, buffers, 0, 1);
  } else {
    yk_conv2d_int(&p, buffers, 0, 1);
  }
  if (isResidual) {
    kernels::EltwiseIntParams e;
    sumCase(r, p.requant.outType, r.oneOf({DType::I8, DType::U8, DType::I16}),
            e, d);
    d.residualPixelStride = s.outC * dtypeBytes(e.typeB);
    d.residualRowStride = s.outW * d.residualPixelStride;
    d.residual = placeBytes(r, uint64_t(s.outH) * d.residualRowStride);
    e.shape = {.rank = 1,
               .dims = {uint32_t(elements)},
               .strideA = {1},
               .strideB = {1}};
    std::vector<uint8_t> sums(elements * dtypeBytes(e.requant.outType));
    void *operands[] = {expected.data(), at(d.residual), nullptr, sums.data()};
    yk_eltwise_int(&e, operands, 0, 1);
    expected = sums;
  }
  d.outPixelStride = s.outC * dtypeBytes(d.outType);
  d.outRowStride = s.outW * d.outPixelStride;
  d.output = place(expected.size());
  expectSame(d, expected, d.output);
}

/// A sum alone, behind a convolution that changes nothing.
void WideKernels::identityCase(Random &r) {
  top = 0;
  isa::Conv d;
  uint32_t channels = uint32_t(r.in(1, 70)), pixels = uint32_t(r.in(1, 9));
  DType type = r.oneOf({DType::I8, DType::U8, DType::I16});
  d.inType = type, d.weightType = DType::I8, d.depthwise = true;
  d.inHeight = d.outHeight = 1, d.inWidth = d.outWidth = pixels;
  d.inChannels = d.outChannels = channels;
  d.kernelY = d.kernelX = d.strideY = d.strideX = 1;
  d.dilationY = d.dilationX = d.groups = 1;
  d.scale = 1;
  setRange(type, d.outMin, d.outMax);
  kernels::EltwiseIntParams e;
  sumCase(r, type, r.oneOf({DType::I8, DType::U8, DType::I16}), e, d);
  d.inPixelStride = channels * dtypeBytes(type);
  d.inRowStride = pixels * d.inPixelStride;
  d.residualPixelStride = channels * dtypeBytes(e.typeB);
  d.residualRowStride = pixels * d.residualPixelStride;
  d.outPixelStride = channels * dtypeBytes(d.outType);
  d.outRowStride = pixels * d.outPixelStride;
  d.input = placeBytes(r, d.inRowStride);
  d.residual = placeBytes(r, d.residualRowStride);
  d.weights = placeValues(std::vector<int8_t>(channels, 1));
  d.bias = placeValues(std::vector<int32_t>(channels, 0));
  e.shape = {
      .rank = 1, .dims = {pixels * channels}, .strideA = {1}, .strideB = {1}};
  std::vector<uint8_t> expected(d.outRowStride);
  void *operands[] = {at(d.input), at(d.residual), nullptr, expected.data()};
  yk_eltwise_int(&e, operands, 0, 1);
  d.output = place(expected.size());
  expectSame(d, expected, d.output);
}

void WideKernels::matMulCase(Random &r) {
  top = 0;
  kernels::MatMulIntParams p;
  kernels::MatMulShape &s = p.shape;
  s.m = uint32_t(r.in(1, 9)), s.n = uint32_t(r.in(1, 40));
  s.k = uint32_t(r.in(1, 60));
  p.typeA = r.oneOf({DType::I8, DType::U8, DType::I16});
  p.typeB = r.oneOf({DType::I8, DType::U8, DType::I16});
  int operandBits = 8 * int(dtypeBytes(p.typeA) + dtypeBytes(p.typeB));
  bool is16 = operandBits > 16;
  p.zpA = int32_t(r.in(-128, 128)), p.zpB = int32_t(r.in(-128, 128));
  kernels::Requant &q = p.requant;
  q.outType = r.oneOf({DType::I8, DType::U8, DType::I16, DType::I32});
  q.rounding = anyRounding(r);
  q.scale = anyScale(r, is16);
  q.shift = anyShift(r, q.scale, operandBits + std::bit_width(s.k) - 2);
  q.zp = int32_t(r.in(-5, 5));
  setRange(q.outType, q.lo, q.hi);
  isa::MatMul d;
  d.aType = p.typeA, d.bType = p.typeB, d.outType = q.outType;
  d.batch = 1, d.rows = s.m, d.inner = s.k, d.columns = s.n;
  d.aInnerStride = dtypeBytes(p.typeA), d.aRowStride = s.k * d.aInnerStride;
  d.bColumnStride = dtypeBytes(p.typeB), d.bInnerStride = s.n * d.bColumnStride;
  d.outRowStride = s.n * dtypeBytes(q.outType);
  d.outBatchStride = s.m * d.outRowStride;
  d.aZeroPoint = p.zpA, d.bZeroPoint = p.zpB;
  isa::setScale(d, q.scale);
  d.shift = q.shift, d.halfUp = q.rounding == Rounding::HalfUp;
  d.outZeroPoint = q.zp, d.outMin = q.lo, d.outMax = q.hi;
  d.a = placeBytes(r, uint64_t(s.m) * d.aRowStride);
  d.b = placeBytes(r, uint64_t(s.k) * d.bInnerStride);
  std::vector<uint8_t> expected(d.outBatchStride);
  void *buffers[] = {at(d.a), at(d.b), expected.data()};
  yk_matmul_int(&p, buffers, 0, 1);
  d.output = place(expected.size());
  Fault fault = engine.execute(d);
  ASSERT_FALSE(fault) << *fault;
  ASSERT_EQ(std::memcmp(at(d.output), expected.data(), expected.size()), 0)
      << disassemble(d);
}

/// Means that round halves away from zero.
void WideKernels::meanCase(Random &r) {
  top = 0;
  kernels::PoolIntParams p;
  kernels::PoolShape &s = p.shape;
  s.inH = uint32_t(r.in(1, 9)), s.inW = uint32_t(r.in(1, 9));
  s.channels = uint32_t(r.in(1, 40));
  s.kernelH = uint32_t(r.in(1, s.inH)), s.kernelW = uint32_t(r.in(1, s.inW));
  s.padTop = int32_t(r.in(0, s.kernelH - 1));
  s.padLeft = int32_t(r.in(0, s.kernelW - 1));
  s.outH = s.inH + uint32_t(s.padTop) - s.kernelH + 1;
  s.outW = s.inW + uint32_t(s.padLeft) - s.kernelW + 1;
  p.inType = p.outType = r.oneOf({DType::I8, DType::U8, DType::I16});
  p.inZp = p.zp = int32_t(r.in(-128, 128));
  p.isHalfAway = 1;
  setRange(p.outType, p.lo, p.hi);
  isa::Pool d;
  d.method = isa::PoolMethod::Avg;
  d.inType = d.outType = p.inType;
  d.inHeight = d.tensorHeight = s.inH, d.inWidth = s.inW;
  d.inChannels = d.outChannels = s.channels;
  d.kernelY = s.kernelH, d.kernelX = s.kernelW;
  d.strideY = d.strideX = d.dilationY = d.dilationX = 1;
  d.padTop = s.padTop, d.padLeft = s.padLeft;
  d.outHeight = s.outH, d.outWidth = s.outW;
  uint32_t pixelBytes = s.channels * dtypeBytes(p.inType);
  d.inPixelStride = d.outPixelStride = pixelBytes;
  d.inRowStride = s.inW * pixelBytes, d.outRowStride = s.outW * pixelBytes;
  d.outMin = p.lo, d.outMax = p.hi;
  npu::ReciprocalTable table;
  for (uint32_t area = 1; area <= s.kernelH * s.kernelW; ++area)
    table.add(*npu::halfAwayReciprocal(area, std::max(-p.lo, p.hi)));
  d.wideScale = table.isWide;
  d.reciprocals = placeValues(table.records);
  d.input = placeBytes(r, uint64_t(s.inH) * d.inRowStride);
  std::vector<uint8_t> expected(uint64_t(s.outH) * d.outRowStride);
  void *buffers[] = {at(d.input), expected.data()};
  yk_pool_int(&p, buffers, 0, 1);
  d.output = place(expected.size());
  Fault fault = engine.execute(d);
  ASSERT_FALSE(fault) << *fault;
  ASSERT_EQ(std::memcmp(at(d.output), expected.data(), expected.size()), 0)
      << disassemble(d);
}

#define YARROW_WIDE_CASES(NAME, CASE)                                          \
  TEST_F(WideKernels, NAME) {                                                  \
    for (uint64_t seed = 0; seed < kCommands && !HasFailure(); ++seed) {       \
      SCOPED_TRACE(seed);                                                      \
      Random r(seed);                                                          \
      CASE;                                                                    \
    }                                                                          \
  }
YARROW_WIDE_CASES(Convolutions, convCase(r, /*isResidual=*/false))
YARROW_WIDE_CASES(ResidualAdds, convCase(r, /*isResidual=*/true))
YARROW_WIDE_CASES(SumsAlone, identityCase(r))
YARROW_WIDE_CASES(Products, matMulCase(r))
YARROW_WIDE_CASES(Means, meanCase(r))
