//===- PoolTest.cpp - Pooling against plain loops -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/TensorEngine.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;
using naive::Random;

namespace {
constexpr uint32_t kReciprocals = 1 << 19, kOutput = 1 << 18;

Pool randomPool(Random &r) {
  Pool p;
  p.inType = r.oneOf(
      {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16});
  p.outType = p.inType;
  p.method = r.oneOf({PoolMethod::Max, PoolMethod::Avg});
  p.countIncludePad = r.chance(50);
  p.inChannels = p.outChannels = uint32_t(r.oneOf({1, 3, 16, 33, 600}));
  p.inHeight = uint32_t(r.in(1, 8));
  p.inWidth = uint32_t(r.in(1, 8));
  p.kernelY = uint32_t(r.in(1, 4));
  p.kernelX = uint32_t(r.in(1, 4));
  p.strideY = uint32_t(r.in(1, 3));
  p.strideX = uint32_t(r.in(1, 3));
  p.dilationY = uint32_t(r.oneOf({1, 1, 2}));
  p.dilationX = uint32_t(r.oneOf({1, 1, 2}));
  p.padTop = int16_t(r.in(0, 2));
  p.padLeft = int16_t(r.in(0, 2));
  p.outHeight = uint32_t(r.in(1, 4));
  p.outWidth = uint32_t(r.in(1, 4));
  p.tensorHeight = p.inHeight;
  p.inPixelStride = p.inChannels * elementBytes(p.inType) + 2;
  p.inRowStride = p.inWidth * p.inPixelStride;
  p.outPixelStride = p.outChannels * elementBytes(p.outType);
  p.outRowStride = p.outWidth * p.outPixelStride + 3;
  p.output = kOutput;
  p.reciprocals = kReciprocals;
  int64_t lo, hi;
  naive::lowest(p.inType, lo, hi);
  p.padValue = int32_t(lo);
  p.inZeroPoint = int32_t(r.in(-100, 100));
  p.outZeroPoint = int32_t(r.in(-100, 100));
  p.outMin = int32_t(lo), p.outMax = int32_t(hi);
  return p;
}

int64_t expected(const Pool &p, Memory &m, uint32_t y, uint32_t x, uint32_t c) {
  int64_t sum = 0, largest = INT64_MIN;
  uint32_t inside = 0;
  for (uint32_t ky = 0; ky < p.kernelY; ++ky)
    for (uint32_t kx = 0; kx < p.kernelX; ++kx) {
      int64_t iy = int64_t(y) * p.strideY - p.padTop + ky * p.dilationY;
      int64_t ix = int64_t(x) * p.strideX - p.padLeft + kx * p.dilationX;
      int64_t row = iy + p.firstRow;
      if (row < 0 || row >= p.tensorHeight || ix < 0 || ix >= p.inWidth) {
        largest = std::max<int64_t>(largest, p.padValue);
        continue;
      }
      int64_t value =
          naive::read(m, p.inType,
                      p.input + iy * p.inRowStride + ix * p.inPixelStride +
                          c * elementBytes(p.inType));
      sum += value + p.inZeroPoint;
      largest = std::max(largest, value);
      ++inside;
    }
  if (p.method == PoolMethod::Max)
    return largest;
  uint32_t area = p.countIncludePad ? p.kernelY * p.kernelX : inside;
  uint32_t record = p.reciprocals + (std::max(area, 1u) - 1) * 4;
  int64_t scale = naive::read(m, ElementType::U16, record);
  if (p.wideScale)
    scale += naive::read(m, ElementType::U8, record + 3) << 16;
  return naive::requantize(sum, scale,
                           int(naive::read(m, ElementType::I8, record + 2)),
                           p.outZeroPoint, p.outMin, p.outMax);
}

void check(const Pool &p, Memory &m, TensorEngine &engine) {
  Fault fault = engine.execute(p);
  ASSERT_FALSE(fault) << *fault;
  for (uint32_t y = 0; y < p.outHeight; ++y)
    for (uint32_t x = 0; x < p.outWidth; ++x)
      for (uint32_t c = 0; c < p.outChannels; ++c)
        ASSERT_EQ(naive::read(m, p.outType,
                              p.output + y * p.outRowStride +
                                  x * p.outPixelStride +
                                  c * elementBytes(p.outType)),
                  expected(p, m, y, x, c))
            << y << ' ' << x << ' ' << c << '\n'
            << disassemble(p);
}
} // namespace

TEST(Pool, RandomDescriptorsMatchPlainLoops) {
  auto memory = Memory::create(1 << 20);
  TensorEngine engine(*memory);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed);
    Pool p = randomPool(r);
    r.fill(*memory, 0, kOutput);
    for (uint32_t area = 1; area <= 16; ++area) {
      naive::write(*memory, ElementType::U16, kReciprocals + (area - 1) * 4,
                   r.in(1, 255));
      naive::write(*memory, ElementType::I8, kReciprocals + (area - 1) * 4 + 2,
                   r.in(0, 12));
      // Of others the byte does not matter.
      naive::write(*memory, ElementType::U8, kReciprocals + (area - 1) * 4 + 3,
                   r.in(0, 255));
    }
    p.wideScale = r.chance(30);
    check(p, *memory, engine);
    if (HasFatalFailure())
      return;
  }
}

// Rows in the middle of a tensor: window cells above and below the held rows
// are inside the tensor unless the tensor ends there.
TEST(Pool, HeldRowsOfALargerTensor) {
  auto memory = Memory::create(1 << 20);
  TensorEngine engine(*memory);
  Random r(5);
  Pool p = randomPool(r);
  p.method = PoolMethod::Avg;
  p.countIncludePad = false;
  p.kernelY = 3, p.strideY = 1, p.dilationY = 1;
  p.tensorHeight = 10, p.inHeight = 5, p.firstRow = 0, p.padTop = 1;
  p.outHeight = 4;
  r.fill(*memory, 0, kOutput);
  check(p, *memory, engine);
  // The same rows in the middle: the first window would need row 3.
  p.firstRow = 4;
  EXPECT_TRUE(engine.execute(p));
  p.padTop = 0;
  p.outHeight = 3;
  check(p, *memory, engine);
}

TEST(Pool, IllegalDescriptorsFault) {
  auto memory = Memory::create(1 << 20);
  TensorEngine engine(*memory);
  Random r(2);
  Pool good = randomPool(r);
  EXPECT_FALSE(engine.execute(good));
  auto faults = [&](auto change) {
    Pool p = good;
    change(p);
    return bool(engine.execute(p));
  };
  EXPECT_TRUE(faults([](Pool &p) { p.kernelX = 0; }));
  EXPECT_TRUE(faults([](Pool &p) { p.outChannels++; }));
  EXPECT_TRUE(faults([](Pool &p) { p.inType = ElementType::I32; }));
  EXPECT_TRUE(faults([](Pool &p) { p.input = UINT32_MAX; }));
  EXPECT_TRUE(faults([](Pool &p) { p.output = 1 << 20; }));
}
