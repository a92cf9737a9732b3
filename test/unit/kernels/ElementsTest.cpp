//===- ElementsTest.cpp - Element types -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace yarrow::kernels;

namespace {

/// The value of a half by definition.
double halfValue(uint16_t h) {
  int exponent = h >> 10 & 31, fraction = h & 0x3ff;
  double magnitude = exponent == 0 ? std::ldexp(fraction, -24)
                     : exponent == 31
                         ? (fraction ? NAN : INFINITY)
                         : std::ldexp(1024 + fraction, exponent - 25);
  return h >> 15 ? -magnitude : magnitude;
}

TEST(Elements, halfToFloatExhaustively) {
  for (uint32_t h = 0; h < 65536; ++h) {
    float got = halfToFloat(uint16_t(h));
    double want = halfValue(uint16_t(h));
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got)) << h;
    else
      ASSERT_EQ(got, want) << h;
    ASSERT_EQ(std::signbit(got), bool(h >> 15)) << h;
  }
}

TEST(Elements, floatToHalfRoundsToEven) {
  for (uint32_t h = 0; h < 0x7c00; ++h) {
    double low = halfValue(uint16_t(h));
    double high = h + 1 == 0x7c00 ? 65536.0 : halfValue(uint16_t(h + 1));
    float middle = float((low + high) / 2); // exact: one bit more than a half
    uint16_t even = uint16_t(h & 1 ? h + 1 : h);
    ASSERT_EQ(floatToHalf(float(low)), h);
    ASSERT_EQ(floatToHalf(middle), even) << h;
    ASSERT_EQ(floatToHalf(std::nextafterf(middle, 0.0f)), h) << h;
    ASSERT_EQ(floatToHalf(std::nextafterf(middle, 1e9f)), h + 1) << h;
    ASSERT_EQ(floatToHalf(-float(low)), h | 0x8000);
  }
  EXPECT_EQ(floatToHalf(1e30f), 0x7c00);
  EXPECT_EQ(floatToHalf(-INFINITY), 0xfc00);
  EXPECT_EQ(floatToHalf(-NAN), 0x7e00);
}

TEST(Elements, bfloat) {
  EXPECT_EQ(floatToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.00390625f), 0x3f80); // tie, down to even
  EXPECT_EQ(floatToBfloat(1.01171875f), 0x3f82); // tie, up to even
  EXPECT_EQ(floatToBfloat(NAN), 0x7fc0);
  EXPECT_EQ(bfloatToFloat(0xc000), -2.0f);
}

TEST(Elements, loadsEveryIntegerType) {
  const uint8_t bytes[] = {0xff, 0x80, 0x01, 0x7f, 0xfe, 0xff, 0x00, 0x80};
  int32_t x[4];
  loadI32(DType::I8, bytes, 0, 4, x);
  EXPECT_EQ(x[1], -128);
  loadI32(DType::U8, bytes, 0, 4, x);
  EXPECT_EQ(x[1], 128);
  loadI32(DType::I16, bytes, 2, 2, x);
  EXPECT_EQ(x[0], -2);
  EXPECT_EQ(x[1], -32768);
  loadI32(DType::U16, bytes, 3, 2, x, 0);
  EXPECT_EQ(x[0], 32768);
  EXPECT_EQ(x[1], 32768);
  loadI32(DType::I32, bytes, 1, 1, x);
  EXPECT_EQ(uint32_t(x[0]), 0x8000fffe);
}

TEST(Elements, storesOneNaN) {
  float nan = -NAN, stored;
  storeF32(DType::F32, &stored, 0, 1, &nan);
  uint32_t bits;
  std::memcpy(&bits, &stored, 4);
  EXPECT_EQ(bits, 0x7fc00000u);
}

TEST(Elements, sharesCoverEverythingOnce) {
  for (uint32_t total : {0u, 1u, 7u, 100u})
    for (uint32_t count : {1u, 3u, 8u}) {
      uint32_t next = 0;
      for (uint32_t task = 0; task < count; ++task) {
        Share share = shareOf(total, task, count);
        EXPECT_EQ(share.begin, next);
        next = share.end;
      }
      EXPECT_EQ(next, total);
    }
}

} // namespace
