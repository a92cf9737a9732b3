//===- TiesTest.cpp - Halves in the tensor engine -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums that are halves of odd numbers by every output stage: bytes in one pass,
// doubles, 64-bit integers, wide multipliers; their activations, residuals,
// tables and partial sums; products of matrices and means. By hand.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteGemm.h"
#include "simulator/engine/TensorEngine.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>
#include <span>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

namespace {
using Halves = std::span<const int64_t>;

constexpr int64_t kOdd[] = {-7, -5, -3, -1, 1, 3, 5, 7};
// Half of each, to the even neighbour, upwards; and of the negative ones alone.
constexpr int64_t kEven[] = {-4, -2, -2, 0, 0, 2, 2, 4};
constexpr int64_t kUp[] = {-3, -2, -1, 0, 1, 2, 3, 4};
constexpr int64_t kLeaky[] = {-4, -2, -2, 0, 1, 3, 5, 7};

constexpr uint32_t kChannels = 40; // vectors of 16 and a part
constexpr uint32_t kPixels = 5;

enum Place : uint32_t {
  Input = 0,
  Weights = 0x1000,
  Bias = 0x2000,
  Scales = 0x3000,
  Shifts = 0x4000,
  Slopes = 0x5000,
  Residual = 0x6000,
  Lut = 0x7000,
  Partials = 0x8000,
  Output = 0x10000
};

/// A convolution of one channel, in all pixels 1, with one weight for each
/// output channel.
class EngineTies : public ::testing::TestWithParam<bool> {
protected:
  EngineTies()
      : memory(Memory::create(1 << 20)),
        engine(*memory, {}, GetParam() ? fastestByteKernel() : nullptr) {}

  /// `count` elements, the values times \p factor over and over.
  void put(ElementType type, uint32_t at, Halves values, int64_t factor = 1,
           uint32_t count = kChannels * kPixels) {
    for (uint32_t i = 0; i < count; ++i)
      naive::write(*memory, type, at + i * elementBytes(type),
                   values[i % values.size()] * factor);
  }
  void putAll(ElementType type, uint32_t at, int64_t value) {
    put(type, at, Halves(&value, 1));
  }

  Conv conv(ElementType in, ElementType out) {
    Conv c;
    c.inHeight = c.outHeight = 1, c.inWidth = c.outWidth = kPixels;
    c.inChannels = c.groups = c.kernelY = c.kernelX = 1;
    c.strideY = c.strideX = c.dilationY = c.dilationX = 1;
    c.outChannels = kChannels;
    c.inType = in, c.outType = out;
    c.inPixelStride = elementBytes(in);
    c.inRowStride = kPixels * c.inPixelStride;
    c.outPixelStride = kChannels * elementBytes(out);
    c.outRowStride = kPixels * c.outPixelStride;
    c.input = Input, c.weights = Weights, c.bias = Bias, c.scales = Scales;
    c.shifts = Shifts, c.slopes = Slopes, c.residual = Residual, c.lut = Lut;
    c.partials = Partials, c.output = Output;
    c.scale = 1, c.shift = 1;
    TypeRange range = rangeOf(out);
    c.outMin = int32_t(range.lowest), c.outMax = int32_t(range.highest);
    putAll(in, Input, 1);
    put(ElementType::I8, Weights, kOdd);
    putAll(ElementType::I32, Bias, 0);
    return c;
  }
  /// Adds a tensor of bytes of 2 to what is 2 less.
  void addResidual(Conv &c, ElementType type) {
    c.hasResidual = true;
    c.residualType = type, c.mainType = ElementType::I8;
    c.residualPixelStride = kChannels,
    c.residualRowStride = kChannels * kPixels;
    c.mainScale = c.residualScale = c.sumScale = 1;
    c.sumMin = c.outMin, c.sumMax = c.outMax;
    c.sumShift = 1, c.shift = 0;
    putAll(type, Residual, 2);
    putAll(ElementType::I32, Bias, -2);
  }

  void expectResults(ElementType type, Halves want, int64_t zeroPoint = 0,
                     uint32_t count = kChannels * kPixels,
                     uint32_t perRow = kChannels) {
    for (uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(naive::read(*memory, type, Output + i * elementBytes(type)) +
                    zeroPoint,
                want[i % perRow % want.size()])
          << "element " << i;
  }
  void expectConv(const Conv &c, Halves want) {
    Fault fault = engine.execute(c);
    ASSERT_FALSE(fault) << *fault;
    ElementType type = c.hasLut ? c.lutType : c.outType;
    expectResults(type, want, c.hasResidual ? c.sumZeroPoint : c.outZeroPoint);
  }

  std::unique_ptr<Memory> memory;
  TensorEngine engine;
};
INSTANTIATE_TEST_SUITE_P(Host, EngineTies, ::testing::Bool());

constexpr auto kInTypes = {ElementType::I8, ElementType::U8, ElementType::I16,
                           ElementType::U16};
constexpr auto kOutTypes = {ElementType::I8, ElementType::I16};
} // namespace

TEST_P(EngineTies, NarrowMultipliers) {
  for (ElementType in : kInTypes)
    for (ElementType out : kOutTypes)
      for (bool perChannel : {false, true}) {
        SCOPED_TRACE(int(in) * 10 + int(out));
        Conv c = conv(in, out);
        c.perChannel = perChannel;
        c.outZeroPoint = 3;
        putAll(ElementType::U16, Scales, 1);
        putAll(ElementType::I8, Shifts, 1);
        expectConv(c, kEven);
        c.scale = 32768, c.shift = 16;
        putAll(ElementType::U16, Scales, 32768);
        putAll(ElementType::I8, Shifts, 16);
        expectConv(c, kEven);
        c.depthwise = true; // as many filters of the one channel
        expectConv(c, kEven);
      }
}

// Of weights that are zero the biases are the sums, in tiles and in parts of
// them.
TEST_P(EngineTies, Winograd) {
  TensorEngine withMode(*memory, {10, 12, 16384, 4},
                        GetParam() ? fastestByteKernel() : nullptr);
  for (WinogradMode mode : {WinogradMode::F2_3, WinogradMode::F2x2_3x3})
    for (ElementType weights : {ElementType::I8, ElementType::I16})
      for (bool perChannel : {false, true}) {
        SCOPED_TRACE(int(mode) * 10 + int(weights));
        Conv c = conv(ElementType::I8, ElementType::I8);
        c.winograd = mode, c.weightType = weights;
        c.kernelY = c.kernelX = 3;
        c.padTop = c.padLeft = 1;
        put(ElementType::I8, Weights, kOdd, 0, 16 * kChannels * 2);
        put(ElementType::I32, Bias, kOdd);
        c.perChannel = perChannel;
        putAll(ElementType::U16, Scales, 1);
        putAll(ElementType::I8, Shifts, 1);
        Fault fault = withMode.execute(c);
        ASSERT_FALSE(fault) << *fault;
        expectResults(ElementType::I8, kEven);
      }
}

TEST_P(EngineTies, WideMultipliersAndHalvesThatGoUp) {
  for (ElementType in : kInTypes)
    for (ElementType out : kOutTypes)
      for (bool perChannel : {false, true})
        for (bool halfUp : {false, true}) {
          SCOPED_TRACE(int(in) * 10 + int(out));
          Conv c = conv(in, out);
          c.perChannel = perChannel;
          c.halfUp = halfUp;
          c.outZeroPoint = 3;
          putAll(ElementType::U16, Scales, 1);
          putAll(ElementType::I8, Shifts, 1);
          expectConv(c, halfUp ? Halves(kUp) : Halves(kEven));
          bool is16 = elementBytes(in) == 2;
          int32_t bits = is16 ? 20 : 30;
          c.wideScale = true;
          setScale(c, 1 << bits);
          c.shift = int8_t(bits + 1);
          putAll(ElementType::I32, Scales, 1 << bits);
          putAll(ElementType::I8, Shifts, bits + 1);
          expectConv(c, halfUp ? Halves(kUp) : Halves(kEven));
        }
}

/// Sums that doubles do not hold times their multiplier.
TEST_P(EngineTies, SumsBeyondDoubles) {
  for (ElementType out : kOutTypes) {
    Conv c = conv(ElementType::I16, out);
    c.wideBias = true;
    putAll(ElementType::I8, Weights, 0);
    for (uint32_t i = 0; i < kChannels; ++i) {
      int64_t bias = kOdd[i % 8] * (int64_t(1) << 36);
      std::memcpy(memory->hostBase() + Memory::kSramBase + Bias + 8 * i, &bias,
                  8);
    }
    c.scale = 32768, c.shift = 36 + 15 + 1;
    expectConv(c, kEven);
  }
}

TEST_P(EngineTies, PartialSums) {
  for (ElementType in : {ElementType::I8, ElementType::I16}) {
    Conv c = conv(in, ElementType::I8);
    putAll(ElementType::I8, Weights, 0);
    for (uint32_t i = 0; i < kChannels * kPixels; ++i) {
      uint64_t bytes = sumBytes(in);
      std::memcpy(memory->hostBase() + Memory::kSramBase + Partials + bytes * i,
                  &kOdd[i % kChannels % 8], bytes);
    }
    c.accumulateIn = true;
    expectConv(c, kEven);
  }
}

TEST_P(EngineTies, Activations) {
  for (ElementType in : {ElementType::I8, ElementType::I16}) {
    // Slopes of 1/2 round on their own.
    Conv c = conv(in, ElementType::I8);
    c.activation = Activation::LeakyRelu;
    c.slope = 64, c.slopeShift = 7, c.shift = 0;
    expectConv(c, kLeaky);
    c.activation = Activation::PRelu;
    putAll(ElementType::I16, Slopes, 64);
    expectConv(c, kLeaky);
    // -3.5 is -4, whose half is -2; -1.5 is -2, and -1.
    constexpr int64_t kAgain[] = {-2, -1, -1, 0, 0, 2, 2, 4};
    c.shift = 1;
    expectConv(c, kAgain);
    constexpr int64_t kRelu[] = {0, 0, 0, 0, 0, 2, 2, 4};
    c = conv(in, ElementType::I8);
    c.activation = Activation::Relu;
    expectConv(c, kRelu);
    // CLIP rounds to 1/256 first: 767 / 2 is 384 of those, which are 1.5.
    c.activation = Activation::Clip;
    c.clipRoundBits = 8, c.clipMin = -32768, c.clipMax = 32767;
    putAll(ElementType::I8, Weights, 0);
    put(ElementType::I32, Bias, kOdd, 128);
    c.shift = 8;
    expectConv(c, kEven);
    constexpr int64_t kSums[] = {-767, -255, 255, 767};
    constexpr int64_t kTwice[] = {-2, 0, 0, 2};
    put(ElementType::I32, Bias, kSums);
    c.shift = 9;
    expectConv(c, kTwice);
  }
}

TEST_P(EngineTies, Residuals) {
  for (ElementType in : {ElementType::I8, ElementType::I16})
    for (ElementType residual : {ElementType::I8, ElementType::U8}) {
      SCOPED_TRACE(int(in) * 10 + int(residual));
      Conv c = conv(in, ElementType::I8);
      addResidual(c, residual);
      expectConv(c, kEven);
      c.sumZeroPoint = 3;
      c.sumScale = 16384, c.sumShift = 15;
      expectConv(c, kEven);
      c.sumHalfUp = true;
      expectConv(c, kUp);
      c.wideSum = true;
      setSumScales(c, {1 << 20, 1 << 20, 16});
      c.sumShift = 25;
      expectConv(c, kUp);
      c.sumHalfUp = false;
      expectConv(c, kEven);
      // The convolution's own half goes to even before the sum.
      constexpr int64_t kPlus2[] = {-2, 0, 0, 2, 2, 4, 4, 6};
      putAll(ElementType::I32, Bias, 0);
      c = conv(in, ElementType::I8);
      addResidual(c, residual);
      putAll(ElementType::I32, Bias, 0);
      c.shift = 1, c.sumShift = 0;
      expectConv(c, kPlus2);
    }
}

/// Between two entries rounds down: 1.5 and -1.5.
TEST_P(EngineTies, Tables) {
  for (ElementType in : {ElementType::I8, ElementType::I16})
    for (int64_t last : {3, -3}) {
      Conv c = conv(in, ElementType::I8);
      c.hasLut = true;
      c.lutType = ElementType::I8;
      c.lutInputBits = 8, c.lutLog2Items = 2, c.lutInputMin = -128;
      c.shift = 0;
      putAll(ElementType::I8, Weights, 32); // half of the way of 64
      const int64_t entries[] = {0, 0, 0, last};
      put(ElementType::I8, Lut, entries, 1, 4);
      const int64_t want[] = {last > 0 ? 1 : -2};
      expectConv(c, want);
    }
}

TEST_P(EngineTies, Matrices) {
  for (ElementType a : kInTypes)
    for (ElementType b : {ElementType::I8, ElementType::I16})
      for (bool isWide : {false, true})
        for (bool halfUp : {false, true}) {
          SCOPED_TRACE(int(a) * 10 + int(b));
          MatMul m;
          m.aType = a, m.bType = b, m.outType = ElementType::I8;
          m.batch = m.inner = 1, m.rows = kPixels, m.columns = kChannels;
          m.aInnerStride = m.aRowStride = elementBytes(a);
          m.bInnerStride = m.bColumnStride = elementBytes(b);
          m.outRowStride = kChannels;
          m.a = Input, m.b = Weights, m.output = Output;
          m.outMin = -128, m.outMax = 127;
          m.aZeroPoint = -4, m.bZeroPoint = 6, m.outZeroPoint = 3;
          int64_t less[8];
          for (int i = 0; i < 8; ++i)
            less[i] = kOdd[i] - 6;
          putAll(a, Input, 5);
          put(b, Weights, less);
          m.scale = 32768, m.shift = 16;
          if (isWide) {
            m.wideScale = true;
            setScale(m, 1 << 18);
            m.shift = 19;
          }
          m.halfUp = halfUp;
          Fault fault = engine.execute(m);
          ASSERT_FALSE(fault) << *fault;
          expectResults(ElementType::I8, halfUp ? Halves(kUp) : Halves(kEven),
                        3);
        }
}

/// Of two cells, with and without as many of padding, which counts or not.
TEST_P(EngineTies, Means) {
  for (ElementType type : kInTypes)
    for (uint32_t pad : {0u, 2u})
      for (bool countsPad : {false, true})
        for (bool isWide : {false, true}) {
          SCOPED_TRACE(int(type) * 10 + int(pad));
          Pool p;
          p.method = PoolMethod::Avg;
          p.inType = type, p.outType = ElementType::I8;
          p.inChannels = p.outChannels = kChannels;
          p.inHeight = p.outHeight = p.outWidth = p.tensorHeight = 1;
          p.inWidth = 2, p.kernelY = 1, p.kernelX = 2 + pad;
          p.strideY = p.strideX = p.dilationY = p.dilationX = 1;
          p.padLeft = int16_t(pad);
          p.countIncludePad = countsPad;
          p.inPixelStride = kChannels * elementBytes(type);
          p.inRowStride = 2 * p.inPixelStride;
          p.outPixelStride = p.outRowStride = kChannels;
          p.input = Input, p.output = Output, p.reciprocals = Lut;
          p.outMin = -128, p.outMax = 127;
          p.inZeroPoint = -9, p.outZeroPoint = 3;
          p.wideScale = isWide;
          // Cells of 9 + the odd number (twice, if 4 of them count), and 9.
          int64_t cells[8], factor = pad && countsPad ? 2 : 1;
          for (int i = 0; i < 8; ++i)
            cells[i] = kOdd[i] * factor + 9 + 6;
          put(type, Input, cells, 1, kChannels);
          const int64_t other[] = {9 - 6};
          put(type, Input + p.inPixelStride, other, 1, kChannels);
          for (uint32_t area : {2u, 4u}) {
            // 128 / 2^8, or 2^22 / 2^23.
            uint32_t at = Lut + (area - 1) * 4;
            naive::write(*memory, ElementType::U16, at, isWide ? 0 : 128);
            naive::write(*memory, ElementType::I8, at + 2,
                         (isWide ? 22 : 7) + (area == 2 ? 1 : 2));
            naive::write(*memory, ElementType::U8, at + 3, isWide ? 64 : 0);
          }
          Fault fault = engine.execute(p);
          ASSERT_FALSE(fault) << *fault;
          expectResults(ElementType::I8, kEven, 3, kChannels);
        }
}
