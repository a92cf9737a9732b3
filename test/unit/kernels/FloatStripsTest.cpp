//===- FloatStripsTest.cpp - Strips of floats against single ones ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatStrips.h"
#include "kernels/FloatEpilogue.h"
#include "kernels/activation/UnaryFn.h"
#include "kernels/activation/UnaryStrips.h"
#include "test/Random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace yarrow::kernels;

namespace {

constexpr DType kHalves[] = {DType::F16, DType::BF16};

/// By halfToFloat and bfloatToFloat, which ElementsTest.cpp checks.
float single(DType type, uint16_t half) {
  return type == DType::F16 ? halfToFloat(half) : bfloatToFloat(half);
}

TEST(FloatStrips, loadEveryHalf) {
  for (DType type : kHalves)
    for (uint32_t first = 0; first < 65536; first += kStrip) {
      uint16_t halves[kStrip];
      for (uint32_t i = 0; i < kStrip; ++i)
        halves[i] = uint16_t(first + i);
      Strip<float> x;
      loadFloats(type, halves, 0, WholeStrip(), x);
      for (uint32_t i = 0; i < kStrip; ++i)
        ASSERT_EQ(__builtin_bit_cast(uint32_t, float(x[i])),
                  __builtin_bit_cast(uint32_t, single(type, halves[i])))
            << halves[i];
    }
}

TEST(FloatStrips, storeAsSingleFloatsAre) {
  for (DType type : kHalves)
    for (uint32_t first = 0; first < 1u << 16; first += kStrip) {
      Strip<float> x;
      // All signs and exponents; below, ties and their neighbours.
      for (uint32_t i = 0; i < kStrip; ++i) {
        uint32_t rest = (first + i) * 2654435761u >> 16;
        x[i] = __builtin_bit_cast(float, (first + i) << 16 |
                                             (i % 4 ? 0x7fffu + i % 4 : rest));
      }
      uint16_t halves[kStrip];
      storeFloats(type, x, WholeStrip(), halves, 0);
      for (uint32_t i = 0; i < kStrip; ++i)
        ASSERT_EQ(halves[i],
                  type == DType::F16 ? floatToHalf(x[i]) : floatToBfloat(x[i]))
            << first + i;
    }
}

TEST(FloatStrips, touchNothingBeyondTheEnd) {
  for (DType type : {DType::F32, DType::F16, DType::BF16}) {
    std::vector<uint8_t> from(20 * dtypeBytes(type)), to(40 * 4, 0xab);
    Strip<float> x;
    loadFloats(type, from.data(), 3, PartOfStrip{17}, x);
    storeFloats(type, x, PartOfStrip{17}, to.data(), 2);
    for (size_t i = 0; i < to.size(); ++i)
      ASSERT_EQ(to[i], i / dtypeBytes(type) - 2 < 17 ? 0 : 0xab) << i;
  }
}

TEST(FloatStrips, keepTheSignOfZeroEverywhere) {
  Strip<float> x;
  fillFloats(-0.0f, x);
  EXPECT_TRUE(std::signbit(float(x[5])));
  uint16_t zero = 0x8000;
  loadFloats(DType::F16, &zero, 0, /*stride=*/0, WholeStrip(), x);
  EXPECT_TRUE(std::signbit(float(x[31])));
}

TEST(FloatStrips, slopesOfChannelsGoOnAtTheFirst) {
  FloatAct act{.act = Act::PRelu, .slopeCount = 5};
  std::vector<float> slopes = {2, 3, 4, 5, 6}, y(32), values(32, -1.0f);
  FloatEpilogue epilogue(act, DType::F32, slopes.data());
  epilogue.storeValues(values.data(), 30, /*element=*/3, y.data() - 3);
  for (uint32_t i = 0; i < 30; ++i)
    ASSERT_EQ(y[i], -slopes[(i + 3) % 5]) << i;
}

/// UnaryFn.def has them in double.
TEST(FloatStrips, functionsInFloatAreThoseInDouble) {
  yarrow::testing::Random random(7);
  const float special[] = {0.0f,   -0.0f, 0.5f,     -0.5f,      1.5f,
                           -2.5f,  6.0f,  1e30f,    8388607.5f, -8388608.0f,
                           1e-40f, NAN,   INFINITY, -INFINITY,  4194304.5f};
  for (uint32_t fn = 0; fn <= uint32_t(UnaryFn::Pow); ++fn) {
    if (!isExactInFloat(UnaryFn(fn)))
      continue;
    for (int round = 0; round < 2000; ++round) {
      UnaryArgs args{.alpha = random.real(-2, 2), .beta = random.real(-2, 2)};
      float x[kStrip], y[kStrip];
      for (float &value : x)
        value = random.oneIn(4) ? special[random.below(15)]
                : random.oneIn(2)
                    ? random.real(-9, 9)
                    : __builtin_bit_cast(float, uint32_t(random.next()));
      Strip<float> strip;
      loadStrip<float>(x, 0, WholeStrip(), strip);
      exactValue(UnaryFn(fn), args, strip);
      storeFloats(DType::F32, strip, WholeStrip(), y, 0);
      for (uint32_t i = 0; i < kStrip; ++i) {
        float expected =
            canonicalNaN(float(unaryValue(UnaryFn(fn), double(x[i]), args)));
        ASSERT_EQ(__builtin_bit_cast(uint32_t, y[i]),
                  __builtin_bit_cast(uint32_t, expected))
            << "function " << fn << " of " << x[i];
      }
    }
  }
}

} // namespace
