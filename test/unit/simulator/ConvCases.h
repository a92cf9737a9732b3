//===- ConvCases.h - Convolution commands and their output stage ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What tests of all kinds of convolution share: a command with a place for each
// of its operands, random output stages, and the output stage as plain loops.
//
//   ConvCase t;
//   t.conv.weights = t.place(sizeBytes);
//   outputStage(t, random);
//   check(t, memory, engine, [&](uint32_t y, uint32_t x, uint32_t o) {
//     return sumWithoutBias;
//   });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_CONVCASES_H
#define YARROW_TEST_UNIT_SIMULATOR_CONVCASES_H

#include "simulator/engine/TensorEngine.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>

namespace naive {
using yarrow::isa::Activation;
using yarrow::isa::Conv;
using yarrow::isa::elementBytes;
using yarrow::isa::SumOp;
using yarrow::sim::Memory;
using yarrow::sim::TensorEngine;

struct ConvCase {
  Conv conv;
  uint64_t top = 0; ///< First free byte of SRAM.
  uint32_t place(uint64_t sizeBytes) {
    uint64_t at = top;
    top += (sizeBytes + 15) & ~uint64_t(15);
    return uint32_t(at);
  }
};

/// Places for bias, scales, shifts and slopes, and a requantization.
inline void channelOperands(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  c.bias = t.place(c.outChannels * (c.wideBias ? 8 : 4));
  c.perChannel = r.chance(50);
  c.scales = t.place(c.outChannels * 2);
  c.shifts = t.place(c.outChannels);
  c.slopes = t.place(c.outChannels * 2);
  c.scale = uint16_t(r.in(0, 65535));
  c.shift = int8_t(r.in(-3, 40));
}

inline void outputStage(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  c.activation =
      r.oneOf({Activation::None, Activation::Relu, Activation::LeakyRelu,
               Activation::PRelu, Activation::Clip});
  c.clipRoundBits = uint8_t(r.oneOf({0, 8}));
  c.clipMin = int32_t(r.in(-40000, 0));
  c.clipMax = int32_t(r.in(0, 40000));
  c.slope = int32_t(r.oneOf<int64_t>({26, 3000, -5, 1 << 24}));
  c.slopeShift = uint8_t(r.oneOf({8, 12, 16, 0}));
  c.hasResidual = r.chance(40);
  c.hasLut = r.chance(20);
  int64_t lo, hi;
  ElementType stage = c.outType;
  if (c.hasLut) {
    c.lutInputBits = uint8_t(r.oneOf({8, 16}));
    c.lutLog2Items = uint8_t(r.in(2, 8));
    c.lutType = r.oneOf(
        {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16});
    stage = c.lutInputBits == 8 ? r.oneOf({ElementType::I8, ElementType::U8})
                                : r.oneOf({ElementType::I16, ElementType::U16});
    c.lut = t.place(uint64_t(elementBytes(c.lutType)) << c.lutLog2Items);
  }
  lowest(stage, lo, hi);
  if (c.hasLut)
    c.lutInputMin = int32_t(lo);
  c.outMin = int32_t(lo), c.outMax = int32_t(hi);
  c.outZeroPoint = int32_t(r.in(-100, 100));
  if (c.hasResidual) {
    c.sumMin = int32_t(lo), c.sumMax = int32_t(hi);
    c.mainType = r.oneOf({ElementType::I8, ElementType::I16, ElementType::I32});
    lowest(c.mainType, lo, hi);
    c.outMin = int32_t(lo), c.outMax = int32_t(hi);
    c.residualType = r.oneOf(
        {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::I32});
    c.mainScale = uint16_t(r.in(0, 40000));
    c.residualScale = uint16_t(r.in(0, 40000));
    c.sumScale = uint16_t(r.in(0, 40000));
    c.sumShift = int8_t(r.in(-2, 40));
    c.mainZeroPoint = int32_t(r.in(-100, 100));
    c.residualZeroPoint = int32_t(r.in(-100, 100));
    c.sumZeroPoint = int32_t(r.in(-100, 100));
    c.sumOp = r.oneOf({SumOp::Add, SumOp::Add, SumOp::Sub, SumOp::ReverseSub,
                       SumOp::Mul, SumOp::Max, SumOp::Min});
    if (c.sumOp == SumOp::Mul && c.mainType == ElementType::I32) {
      c.mainType = ElementType::I16;
      lowest(c.mainType, lo, hi);
      c.outMin = int32_t(lo), c.outMax = int32_t(hi);
    }
    if (c.sumOp == SumOp::Mul && c.residualType == ElementType::I32)
      c.residualType = ElementType::U16;
    // The command has slopes for one of both activations.
    bool isLeaky = c.activation == Activation::LeakyRelu ||
                   c.activation == Activation::PRelu;
    c.sumActivation = isLeaky
                          ? r.oneOf({Activation::None, Activation::Relu})
                          : r.oneOf({Activation::None, Activation::Relu,
                                     Activation::LeakyRelu, Activation::PRelu});
    c.residualPerPixel = r.chance(20);
  }
  ElementType written = c.hasLut ? c.lutType : c.outType;
  c.outPixelStride =
      c.outChannels * elementBytes(written) + uint32_t(r.oneOf({0, 0, 3}));
  c.outRowStride = c.outWidth * c.outPixelStride + uint32_t(r.oneOf({0, 5}));
  c.output = t.place(uint64_t(c.outHeight) * c.outRowStride);
  c.residualPixelStride =
      (c.residualPerPixel ? 1 : c.outChannels) * elementBytes(c.residualType) +
      uint32_t(r.oneOf({0, 7}));
  c.residualRowStride =
      c.outWidth * c.residualPixelStride + uint32_t(r.oneOf({0, 1}));
  // Of broadcast operands a row or a pixel is repeated.
  if (r.chance(20))
    c.residualRowStride = 0;
  if (r.chance(20))
    c.residualPixelStride = 0;
  c.residual = t.place(uint64_t(c.outHeight) * (c.outWidth + 1) *
                       (c.outChannels * elementBytes(c.residualType) + 8));
  c.accumulateIn = r.chance(25);
  c.accumulateOut = r.chance(20);
  c.partials = t.place(uint64_t(c.outHeight) * c.outWidth * c.outChannels * 8);
}

/// A multiplier of up to 31 bits, often at an end.
inline int32_t wideScale(Random &r, int32_t most = INT32_MAX) {
  if (r.chance(30))
    return r.oneOf<int32_t>({0, 1, most / 2, most / 2 + 1, most});
  return int32_t(r.in(0, most));
}

/// Makes scales wide, or halves go up, of the convolution or of the residual
/// add. Sums of 48 bits take no wide scales, since a product has 62.
inline void wideStage(ConvCase &t, Random &r) {
  Conv &c = t.conv;
  bool has32 = elementBytes(c.inType) == 1;
  c.halfUp = c.activation == Activation::None && r.chance(30);
  if (r.chance(70)) {
    int32_t scale = wideScale(r, has32 ? INT32_MAX : 1 << 20);
    c.wideScale = true;
    c.scale = uint16_t(scale), c.scaleHigh = uint32_t(scale) >> 16;
    c.shift = int8_t(r.in(-3, 62));
    c.scales = t.place(c.outChannels * 4);
  }
  if (!c.hasResidual)
    return;
  c.sumHalfUp = r.chance(30);
  // 33 bits of an operand and 20 of its scale, of two of them, and 8.
  bool isNarrow =
      elementBytes(c.mainType) < 4 && elementBytes(c.residualType) < 4;
  int32_t most = isNarrow ? INT32_MAX : 1 << 20;
  setSumScales(c,
               {wideScale(r, most), wideScale(r, most), int32_t(r.in(0, 255))});
  c.sumShift = int8_t(r.in(0, 62));
  if (c.sumOp == SumOp::Mul && r.chance(50)) {
    // 18 bits of one, 32 of the other, and 8.
    setSumScales(c, {1, 1, int32_t(r.in(0, 255))});
    c.residualType = ElementType::I32;
    c.residualPixelStride = c.outChannels * elementBytes(c.residualType);
    c.residualRowStride = c.outWidth * c.residualPixelStride;
    c.residual = t.place(uint64_t(c.outHeight) * c.residualRowStride);
    c.wideSum = true;
  }
}

/// The scales and shifts in SRAM of such a stage.
inline void fillWide(const Conv &c, Memory &m, Random &r) {
  int32_t most = elementBytes(c.inType) == 1 ? INT32_MAX : 1 << 20;
  for (uint32_t o = 0; c.wideScale && o < c.outChannels; ++o) {
    // The highest bit is ignored.
    uint32_t ignored = r.chance(10) ? 1u << 31 : 0;
    write(m, ElementType::I32, c.scales + o * 4, wideScale(r, most) | ignored);
    write(m, ElementType::I8, c.shifts + o, r.in(0, 62));
  }
}

/// Wide ones have 48 bits; what lies above is not looked at.
inline int64_t biasAt(const Conv &c, Memory &m, uint32_t o) {
  if (!c.wideBias)
    return read(m, ElementType::I32, c.bias + o * 4);
  uint32_t low = c.bias + o * 8;
  return (read(m, ElementType::I16, low + 4) << 32) |
         (read(m, ElementType::I32, low) & 0xffffffff);
}

/// What sumOp gives.
inline Wide joined(const Conv &c, Wide main, Wide residual) {
  if (c.sumOp == SumOp::Mul)
    return main * residual;
  yarrow::isa::SumScales scales = sumScalesOf(c);
  main *= scales.main;
  residual *= scales.residual;
  switch (c.sumOp) {
  case SumOp::Sub:
    return main - residual;
  case SumOp::ReverseSub:
    return residual - main;
  case SumOp::Max:
    return std::max(main, residual);
  case SumOp::Min:
    return std::min(main, residual);
  default:
    return main + residual;
  }
}

inline int64_t finish(const Conv &c, Memory &m, Wide sum, uint32_t y,
                      uint32_t x, uint32_t o) {
  sum += biasAt(c, m, o);
  int64_t scale = scaleOf(c);
  if (c.perChannel && c.wideScale)
    scale = read(m, ElementType::I32, c.scales + o * 4) & INT32_MAX;
  else if (c.perChannel)
    scale = read(m, ElementType::U16, c.scales + o * 2);
  int shift =
      int(c.perChannel ? read(m, ElementType::I8, c.shifts + o) : c.shift);
  Wide negative = sum < 0 ? sum : 0, positive = sum - negative;
  int64_t value;
  if (c.activation == Activation::Clip) {
    int64_t part = requantize(sum, scale, shift - c.clipRoundBits, 0, c.clipMin,
                              c.clipMax);
    value = requantize(part, 1, c.clipRoundBits, c.outZeroPoint, c.outMin,
                       c.outMax);
  } else {
    if (c.activation == Activation::Relu)
      sum = positive;
    if (c.activation == Activation::LeakyRelu)
      sum = positive + roundShift(negative * c.slope, c.slopeShift);
    if (c.activation == Activation::PRelu)
      sum = positive +
            roundShift(negative * read(m, ElementType::I16, c.slopes + o * 2),
                       c.slopeShift);
    value = requantize(sum, scale, shift, c.outZeroPoint, c.outMin, c.outMax,
                       c.halfUp);
  }
  if (c.hasResidual) {
    int64_t other =
        read(m, c.residualType,
             c.residual + y * c.residualRowStride + x * c.residualPixelStride +
                 (c.residualPerPixel ? 0 : o) * elementBytes(c.residualType));
    Wide total =
        joined(c, value + c.mainZeroPoint, other + c.residualZeroPoint);
    Wide below = total < 0 ? total : 0;
    if (c.sumActivation != Activation::None)
      total -= below;
    if (c.sumActivation == Activation::LeakyRelu)
      total += roundShift(below * c.slope, c.slopeShift);
    if (c.sumActivation == Activation::PRelu)
      total += roundShift(below * read(m, ElementType::I16, c.slopes + o * 2),
                          c.slopeShift);
    yarrow::isa::SumScales scales = sumScalesOf(c);
    value = requantize(total, scales.sum, c.sumShift, c.sumZeroPoint, c.sumMin,
                       c.sumMax, c.sumHalfUp);
  }
  if (!c.hasLut)
    return value;
  auto entry = [&](int64_t i) {
    i = std::min<int64_t>(i, (1 << c.lutLog2Items) - 1);
    return read(m, c.lutType, c.lut + i * elementBytes(c.lutType));
  };
  int64_t index = value - c.lutInputMin;
  int rest = c.lutInputBits - c.lutLog2Items;
  int64_t h = index >> rest, f = index - (h << rest);
  return entry(h) + (((entry(h + 1) - entry(h)) * f) >> rest);
}

/// If the exact products (docs/isa.md) exceed 62 bits, the compiler gives no
/// such parameters.
inline bool isLegal(const Conv &c) {
  bool isWide = elementBytes(c.inType) == 2 ||
                elementBytes(c.weightType) == 2 || c.wideScale ||
                c.winograd != yarrow::isa::WinogradMode::None;
  bool enlarges =
      c.activation == Activation::LeakyRelu && (c.slope >> c.slopeShift) > 1;
  bool slopes = c.activation == Activation::PRelu && c.slopeShift < 12;
  if (isWide && (enlarges || slopes || c.shift < 0))
    return false;
  // A sum of 17 and 16 bits times a slope of 25, kept by a shift of 0, times a
  // scale has no room.
  if (c.hasResidual &&
      (c.sumActivation == Activation::LeakyRelu ||
       c.sumActivation == Activation::PRelu) &&
      (c.wideSum || c.slopeShift < 12 || c.slope > 4096 ||
       c.mainType == ElementType::I32 || c.residualType == ElementType::I32))
    return false;
  // Products of 33 bits times a scale of 31 have 64.
  if (c.hasResidual && c.sumOp == SumOp::Mul &&
      (c.wideSum != (c.residualType == ElementType::I32) ||
       sumScalesOf(c).sum > 255 * (c.wideSum ? 1 : 256)))
    return false;
  return !(
      c.hasResidual &&
      (c.mainType == ElementType::I32 || c.residualType == ElementType::I32) &&
      c.sumShift < 0);
}

/// Executes the command and compares all it writes, and that it writes nothing
/// else. \p sumAt gives sums without the bias.
template <typename SumAt>
void check(const ConvCase &t, Memory &m, TensorEngine &engine, SumAt sumAt) {
  const Conv &c = t.conv;
  uint64_t sumBytes = elementBytes(c.inType) == 2 ? 8 : 4;
  std::vector<int64_t> expected;
  for (uint32_t y = 0; y < c.outHeight; ++y)
    for (uint32_t x = 0; x < c.outWidth; ++x)
      for (uint32_t o = 0; o < c.outChannels; ++o) {
        int64_t sum = sumAt(y, x, o), partial = 0;
        uint64_t index =
            ((uint64_t(y) * c.outWidth + x) * c.outChannels + o) * sumBytes;
        std::memcpy(
            &partial,
            m.at(Memory::kSramBase + c.partials + uint32_t(index), sumBytes),
            sumBytes);
        if (sumBytes == 4)
          partial = int32_t(partial);
        if (c.accumulateIn)
          sum += partial;
        expected.push_back(c.accumulateOut ? sum : finish(c, m, sum, y, x, o));
      }
  // What the operands end with, and some room for a row too many.
  const uint8_t *sram = m.hostBase() + Memory::kSramBase;
  uint64_t watched = std::min<uint64_t>(t.top + (64 << 10), m.sramBytes());
  std::vector<uint8_t> after(sram, sram + watched);
  yarrow::sim::Fault fault = engine.execute(c);
  ASSERT_FALSE(fault) << *fault;
  size_t i = 0;
  ElementType written = c.hasLut ? c.lutType : c.outType;
  for (uint32_t y = 0; y < c.outHeight; ++y)
    for (uint32_t x = 0; x < c.outWidth; ++x)
      for (uint32_t o = 0; o < c.outChannels; ++o, ++i) {
        int64_t found = 0;
        uint64_t at = c.output + uint64_t(y) * c.outRowStride +
                      uint64_t(x) * c.outPixelStride +
                      o * elementBytes(written);
        if (c.accumulateOut) {
          at = c.partials + i * sumBytes;
          std::memcpy(&found, sram + at, sumBytes);
          if (sumBytes == 4)
            found = int32_t(found), expected[i] = int32_t(expected[i]);
        } else {
          found = read(m, written, at);
        }
        std::memcpy(&after[at], sram + at,
                    c.accumulateOut ? sumBytes : elementBytes(written));
        ASSERT_EQ(found, expected[i]) << y << ' ' << x << ' ' << o << '\n'
                                      << disassemble(c);
      }
  ASSERT_EQ(std::memcmp(after.data(), sram, watched), 0)
      << "bytes that are not results have changed\n"
      << disassemble(c);
}

} // namespace naive

#endif // YARROW_TEST_UNIT_SIMULATOR_CONVCASES_H
