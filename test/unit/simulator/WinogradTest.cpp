//===- WinogradTest.cpp - The engine's Winograd mode ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Against its definition in docs/isa.md as plain loops, and, since weights that
// are transformed exactly make it the same layer, against the direct mode.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator/ConvCases.h"
#include <cstdlib>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;
using naive::ConvCase;
using naive::Random;

namespace {
constexpr uint64_t kWinogradSramBytes = 8 << 20;
constexpr WinogradUnit kExactUnit{10, 12, 16384, 4};

/// The sums of a command, without bias.
class NaiveWinograd {
public:
  NaiveWinograd(const Conv &c, Memory &m) : c(c), m(m) {
    bool isSquare = c.winograd == WinogradMode::F2x2_3x3;
    rows = isSquare ? 4 : 3;
    step = isSquare ? 2 : 1;
    sums.resize(uint64_t(c.outHeight) * c.outWidth * c.outChannels);
    for (uint32_t y = 0; y < c.outHeight; y += step)
      for (uint32_t x = 0; x < c.outWidth; x += 2)
        tile(y, x);
  }
  int64_t at(uint32_t y, uint32_t x, uint32_t o) const {
    return sums[(uint64_t(y) * c.outWidth + x) * c.outChannels + o];
  }
  int64_t lowestInput = 0, highestInput = 0; ///< Transformed.

private:
  int64_t inputAt(int64_t y, int64_t x, uint32_t channel) const {
    int64_t value = c.padValue;
    if (y >= 0 && y < c.inHeight && x >= 0 && x < c.inWidth)
      value = naive::read(m, c.inType,
                          c.input + y * c.inRowStride + x * c.inPixelStride +
                              channel);
    return value - (c.inType == ElementType::U8 ? 128 : 0);
  }
  // Matrices along the height: those of F(2,3), or rows as they are and summed.
  int64_t bHeight(uint32_t i, uint32_t k) const {
    return step == 2 ? kB[i][k] : int64_t(i == k);
  }
  int64_t aHeight(uint32_t i, uint32_t k) const {
    return step == 2 ? kA[i][k] : 1;
  }

  void tile(uint32_t y, uint32_t x) {
    std::vector<int64_t> transformed(c.inChannels * rows * 4);
    for (uint32_t channel = 0; channel < c.inChannels; ++channel)
      for (uint32_t i = 0; i < rows; ++i)
        for (uint32_t j = 0; j < 4; ++j) {
          int64_t v = 0;
          for (uint32_t k = 0; k < rows; ++k)
            for (uint32_t l = 0; l < 4; ++l)
              v += bHeight(i, k) * kB[j][l] *
                   inputAt(int64_t(y) + k - c.padTop,
                           int64_t(x) + l - c.padLeft, channel);
          transformed[(i * 4 + j) * c.inChannels + channel] = v;
          lowestInput = std::min(lowestInput, v);
          highestInput = std::max(highestInput, v);
        }
    for (uint32_t o = 0; o < c.outChannels; ++o)
      results(y, x, o, transformed);
  }
  void results(uint32_t y, uint32_t x, uint32_t o,
               const std::vector<int64_t> &transformed) {
    uint32_t taps = rows * 4;
    uint64_t weightBytes = elementBytes(c.weightType);
    uint64_t shifts =
        (taps * c.inChannels * c.outChannels * weightBytes + 15) / 16 * 16;
    std::vector<int64_t> products(taps);
    for (uint32_t t = 0; t < taps; ++t) {
      for (uint32_t channel = 0; channel < c.inChannels; ++channel)
        products[t] +=
            transformed[t * c.inChannels + channel] *
            naive::read(m, c.weightType,
                        c.weights + ((uint64_t(o) * taps + t) * c.inChannels +
                                     channel) *
                                        weightBytes);
      if (c.hasTapShifts)
        products[t] *= 1 << naive::read(m, ElementType::U8,
                                        c.weights + shifts + o * taps + t);
    }
    for (uint32_t i = 0; i < step; ++i)
      for (uint32_t j = 0; j < 2; ++j) {
        if (y + i >= c.outHeight || x + j >= c.outWidth)
          continue;
        int64_t sum = 0;
        for (uint32_t k = 0; k < rows; ++k)
          for (uint32_t l = 0; l < 4; ++l)
            sum += aHeight(i, k) * kA[j][l] * products[k * 4 + l];
        sums[(uint64_t(y + i) * c.outWidth + x + j) * c.outChannels + o] =
            sum >> c.winogradShift;
      }
  }

  static constexpr int kB[4][4] = {
      {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
  static constexpr int kA[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
  const Conv &c;
  Memory &m;
  uint32_t rows, step;
  std::vector<int64_t> sums;
};

void setWindow(Conv &c) {
  c.kernelY = c.kernelX = 3;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
}

void winogradShape(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  setWindow(c);
  c.winograd = r.oneOf({WinogradMode::F2_3, WinogradMode::F2x2_3x3});
  c.inChannels = uint32_t(r.oneOf({1, 2, 3, 5, 8, 16, 17, 33, 70}));
  c.outChannels = uint32_t(r.oneOf({1, 2, 5, 15, 16, 31, 32, 48, 65}));
  c.inHeight = uint32_t(r.in(1, 11));
  c.inWidth = uint32_t(r.in(1, 20));
  c.outHeight = uint32_t(r.in(1, 9));
  // Wide ones are more than one block.
  c.outWidth = uint32_t(r.chance(5) ? r.in(130, 301) : r.in(1, 19));
  c.padTop = int16_t(r.in(-2, 4));
  c.padLeft = int16_t(r.in(-2, 4));
}

void winogradOperands(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  c.inType = r.oneOf({ElementType::I8, ElementType::U8});
  c.weightType = r.oneOf({ElementType::I8, ElementType::I16});
  c.outType = r.oneOf(
      {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::I32});
  int64_t lo, hi;
  naive::lowest(c.inType, lo, hi);
  c.padValue = int32_t(r.oneOf({lo, hi, r.in(lo, hi)}));
  c.inPixelStride = c.inChannels + uint32_t(r.oneOf({0, 0, 6}));
  c.inRowStride = c.inWidth * c.inPixelStride + uint32_t(r.oneOf({0, 10}));
  c.input = t.place(uint64_t(c.inHeight) * c.inRowStride);
  c.winogradShift = uint32_t(r.oneOf({0, 1, 2, 7}));
  c.hasTapShifts = r.chance(50);
  // At any address: what is aligned is the distance of the shifts.
  t.place(16);
  c.weights = t.place(weightBytesOf(c) + 3) + uint32_t(r.oneOf({0, 0, 3}));
  naive::channelOperands(t, r);
}

/// Results at every second row and column, as phases of another layer.
void spread(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  c.accumulateIn = c.accumulateOut = false;
  if (!r.chance(30))
    return;
  c.outPixelStride *= 2;
  c.outRowStride = 2 * c.outWidth * c.outPixelStride;
  c.output = t.place(uint64_t(c.outHeight) * c.outRowStride);
}

void setTapShifts(const Conv &c, Memory &m, Random &r, int64_t largest) {
  if (!c.hasTapShifts)
    return;
  uint64_t count = uint64_t(c.outChannels) * tileOf(c.winograd).taps();
  for (uint64_t i = 0; i < count; ++i)
    naive::write(m, ElementType::U8, c.weights + tapShiftOffset(c) + i,
                 r.in(0, largest));
}

void setWeights(const Conv &c, Memory &m, Random &r, int64_t lo, int64_t hi) {
  for (uint64_t i = 0; i < filterSize(c) * c.outChannels; ++i)
    naive::write(m, c.weightType, c.weights + i * elementBytes(c.weightType),
                 r.chance(10) ? r.oneOf({lo, hi}) : r.in(lo, hi));
}

void setTables(const Conv &c, Memory &m, Random &r) {
  for (uint32_t o = 0; o < c.outChannels; ++o) {
    naive::write(m, ElementType::I32, c.bias + o * 4, r.in(-100000, 100000));
    naive::write(m, ElementType::I8, c.shifts + o, r.in(0, 30));
  }
}

void checkCase(const ConvCase &t, Memory &m, TensorEngine &engine) {
  NaiveWinograd expected(t.conv, m);
  // Nine bits of F(2,3), ten of F(2x2,3x3).
  int64_t limit = t.conv.winograd == WinogradMode::F2_3 ? 256 : 512;
  EXPECT_GE(expected.lowestInput, -limit);
  EXPECT_LT(expected.highestInput, limit);
  naive::check(t, m, engine, [&](uint32_t y, uint32_t x, uint32_t o) {
    return expected.at(y, x, o);
  });
}
} // namespace

TEST(Winograd, RandomDescriptorsMatchTheDefinition) {
  auto memory = Memory::create(kWinogradSramBytes);
  TensorEngine engine(*memory, kExactUnit);
  unsigned done = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed);
    ConvCase t;
    winogradShape(t, r);
    winogradOperands(t, r);
    naive::outputStage(t, r);
    spread(t, r);
    if (seed % 3 == 0)
      naive::wideStage(t, r);
    const Conv &c = t.conv;
    if (!naive::isLegal(c) || t.top > kWinogradSramBytes)
      continue;
    r.fill(*memory, 0, t.top);
    bool is16 = c.weightType == ElementType::I16;
    // Shifts that keep all sums in 32 bits.
    setWeights(c, *memory, r, is16 ? -2048 : -128, is16 ? 2047 : 127);
    setTapShifts(c, *memory, r, is16 ? 1 : 5);
    setTables(c, *memory, r);
    naive::fillWide(c, *memory, r);
    checkCase(t, *memory, engine);
    ++done;
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(done, 300u);
}

// The weights' bound on the sums is beyond 32 bits: by shifts that leave int16,
// and by the number of channels.
TEST(Winograd, LargeWeightsAndShifts) {
  auto memory = Memory::create(kWinogradSramBytes);
  TensorEngine engine(*memory, {10, 16, 16384, 4});
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed);
    ConvCase t;
    winogradShape(t, r);
    winogradOperands(t, r);
    naive::outputStage(t, r);
    spread(t, r);
    Conv &c = t.conv;
    bool isShifted = r.chance(50);
    c.inChannels = isShifted ? c.inChannels : uint32_t(r.in(300, 700));
    c.outWidth = std::min(c.outWidth, 9u);
    c.outHeight = std::min(c.outHeight, 4u);
    c.hasTapShifts = isShifted;
    c.weightType = isShifted ? c.weightType : ElementType::I16;
    c.inPixelStride = c.inChannels;
    c.inRowStride = c.inWidth * c.inPixelStride;
    c.input = t.place(uint64_t(c.inHeight) * c.inRowStride);
    c.weights = t.place(weightBytesOf(c));
    // Sums here have up to 42 bits, which a slope would take past 62.
    c.activation = r.oneOf({Activation::None, Activation::Relu});
    c.sumActivation = r.oneOf({Activation::None, Activation::Relu});
    // Other ways to join a residual have accumulators that wrap.
    c.sumOp = yarrow::isa::SumOp::Add;
    c.residualPerPixel = false;
    c.shift = int8_t(r.in(0, 30));
    ASSERT_LE(t.top, kWinogradSramBytes);
    r.fill(*memory, 0, t.top);
    setWeights(c, *memory, r, c.weightType == ElementType::I16 ? -32768 : -128,
               c.weightType == ElementType::I16 ? 32767 : 127);
    setTapShifts(c, *memory, r, 15);
    // Inputs and weights of one sign: sums of 34 bits.
    if (!isShifted && r.chance(50)) {
      setWeights(c, *memory, r, 16384, 32767);
      for (uint64_t i = 0; i < uint64_t(c.inHeight) * c.inRowStride; ++i)
        naive::write(*memory, c.inType, c.input + i,
                     c.inType == ElementType::U8 ? 255 : 127);
    }
    setTables(c, *memory, r);
    checkCase(t, *memory, engine);
    if (HasFatalFailure())
      return;
  }
}

// All inputs and weights at their limits, so that the sums are, in both types.
TEST(Winograd, ExtremeValues) {
  auto memory = Memory::create(kWinogradSramBytes);
  TensorEngine engine(*memory, kExactUnit);
  for (WinogradMode mode : {WinogradMode::F2_3, WinogradMode::F2x2_3x3})
    for (ElementType type : {ElementType::I8, ElementType::U8})
      for (int pattern = 0; pattern < 16; ++pattern) {
        SCOPED_TRACE(pattern);
        Random r(uint64_t(pattern) + 1);
        ConvCase t;
        Conv &c = t.conv;
        setWindow(c);
        c.winograd = mode, c.inType = type;
        c.weightType = pattern & 1 ? ElementType::I16 : ElementType::I8;
        c.inChannels = 64, c.outChannels = 16;
        c.inHeight = c.inWidth = 7, c.outHeight = c.outWidth = 7;
        c.padTop = c.padLeft = 1;
        int64_t lo, hi;
        naive::lowest(type, lo, hi);
        c.padValue = int32_t(pattern & 2 ? lo : hi);
        c.inPixelStride = 64, c.inRowStride = 7 * 64;
        c.input = t.place(49 * 64);
        c.weights = t.place(weightBytesOf(c));
        c.bias = t.place(64), c.output = t.place(49 * 64);
        c.outType = ElementType::I32;
        c.scale = 1, c.outMin = INT32_MIN, c.outMax = INT32_MAX;
        c.outPixelStride = 64, c.outRowStride = 7 * 64;
        r.fill(*memory, 0, t.top);
        // One value, a chess board or any of both.
        for (uint32_t i = 0; i < 49 * 64; ++i)
          naive::write(*memory, type, c.input + i,
                       pattern & 4                     ? r.oneOf({lo, hi})
                       : (i / 64 * (pattern >> 3)) % 2 ? lo
                                                       : hi);
        bool is16 = pattern & 1;
        for (uint64_t i = 0; i < filterSize(c) * 16; ++i)
          naive::write(
              *memory, c.weightType, c.weights + i * elementBytes(c.weightType),
              r.chance(50) ? (is16 ? -2048 : -128) : (is16 ? 2047 : 127));
        for (uint32_t o = 0; o < 16; ++o)
          naive::write(*memory, ElementType::I32, c.bias + o * 4, 0);
        checkCase(t, *memory, engine);
        if (HasFatalFailure())
          return;
      }
}

namespace {
/// Weights of the same layer: twice G, by G's transpose of the other axis.
constexpr int kTwiceG[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};

/// A direct command and room for the transformed weights of its equal.
ConvCase exactCase(Random &r) {
  ConvCase t;
  winogradShape(t, r);
  winogradOperands(t, r);
  Conv &c = t.conv;
  c.winogradShift = 0;
  c.hasTapShifts = false;
  c.winograd = WinogradMode::None;
  c.weightType = ElementType::I8;
  c.weights = t.place(weightBytesOf(c));
  naive::outputStage(t, r);
  spread(t, r);
  return t;
}

/// Puts the transformed weights and bias in place. \p direct's inputs of uint8
/// lose 128, of which the transform leaves something in its middle taps only.
Conv transformed(const Conv &direct, WinogradMode mode, ConvCase &t,
                 Memory &m) {
  Conv c = direct;
  c.winograd = mode;
  c.weightType = ElementType::I16;
  bool isSquare = mode == WinogradMode::F2x2_3x3;
  c.winogradShift = isSquare ? 2 : 1;
  c.weights = t.place(weightBytesOf(c));
  c.bias = t.place(c.outChannels * 4);
  uint32_t rows = isSquare ? 4 : 3;
  uint64_t index = 0;
  for (uint32_t o = 0; o < c.outChannels; ++o) {
    int64_t bias = naive::read(m, ElementType::I32, direct.bias + o * 4);
    for (uint32_t i = 0; i < rows; ++i)
      for (uint32_t j = 0; j < 4; ++j)
        for (uint32_t channel = 0; channel < c.inChannels; ++channel) {
          int64_t sum = 0;
          for (uint32_t k = 0; k < 3; ++k)
            for (uint32_t l = 0; l < 3; ++l)
              sum +=
                  (isSquare ? kTwiceG[i][k] : int64_t(i == k)) * kTwiceG[j][l] *
                  naive::read(m, ElementType::I8,
                              direct.weights +
                                  (uint64_t(o * 3 + k) * 3 + l) * c.inChannels +
                                  channel);
          // The bounds for which the machine's 12 bits are chosen.
          EXPECT_LE(std::abs(sum), isSquare ? 9 * 128 : 3 * 128);
          naive::write(m, ElementType::I16, c.weights + index++ * 2, sum);
          if (c.inType == ElementType::U8 && j == 1 && (!isSquare || i == 1))
            bias += 128 * sum; // (4 * 128 * sum) >> 2, (2 * 128 * sum) >> 1
        }
    naive::write(m, ElementType::I32, c.bias + o * 4, bias);
  }
  return c;
}
} // namespace

TEST(Winograd, ExactWeightsGiveTheDirectLayerByteForByte) {
  auto memory = Memory::create(kWinogradSramBytes);
  TensorEngine engine(*memory, kExactUnit);
  unsigned done = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed + 1000);
    ConvCase t = exactCase(r);
    const Conv direct = t.conv;
    if (!naive::isLegal(direct))
      continue;
    uint64_t size = uint64_t(direct.outHeight) * direct.outRowStride;
    uint32_t otherOutput = t.place(size);
    r.fill(*memory, 0, t.top);
    setTables(direct, *memory, r);
    if (r.chance(20)) // all weights at their limits
      setWeights(direct, *memory, r, r.oneOf({-128, 127}), 127);
    Conv c = transformed(direct,
                         r.oneOf({WinogradMode::F2_3, WinogradMode::F2x2_3x3}),
                         t, *memory);
    c.output = otherOutput;
    ASSERT_LE(t.top, kWinogradSramBytes);
    uint8_t *base = memory->hostBase() + Memory::kSramBase;
    std::memset(base + direct.output, 0x55, size);
    std::memset(base + otherOutput, 0x55, size);
    Fault fault = engine.execute(direct);
    ASSERT_FALSE(fault) << *fault;
    fault = engine.execute(c);
    ASSERT_FALSE(fault) << *fault;
    ASSERT_EQ(std::memcmp(base + direct.output, base + otherOutput, size), 0)
        << disassemble(direct) << '\n'
        << disassemble(c);
    ++done;
  }
  EXPECT_GT(done, 200u);
}

// What a command leaves is its own: weights are kept from one to the next.
TEST(Winograd, CachedWeightsAreThoseOfTheCommand) {
  auto memory = Memory::create(kWinogradSramBytes);
  TensorEngine engine(*memory, kExactUnit);
  Random r(5);
  ConvCase t;
  winogradShape(t, r);
  winogradOperands(t, r);
  Conv &c = t.conv;
  c.winograd = WinogradMode::F2x2_3x3;
  c.inType = ElementType::I8, c.weightType = ElementType::I8;
  c.padValue = 0;
  c.hasTapShifts = true;
  c.weights = t.place(weightBytesOf(c));
  naive::outputStage(t, r);
  spread(t, r);
  r.fill(*memory, 0, t.top);
  for (int round = 0; round < 6; ++round) {
    setTapShifts(c, *memory, r, 3);
    setTables(c, *memory, r);
    checkCase(t, *memory, engine);
    c.hasTapShifts = round % 2;
    c.winograd = round % 3 ? WinogradMode::F2x2_3x3 : WinogradMode::F2_3;
  }
}
