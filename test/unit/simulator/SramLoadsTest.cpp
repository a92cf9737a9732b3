//===- SramLoadsTest.cpp - Constants on their way into SRAM ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/SramLoads.h"
#include "simulator/engine/TensorEngine.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>

using namespace yarrow::sim;
using naive::Random;

namespace {
constexpr uint64_t kSramLoadsSramBytes = 64 << 10,
                   kSramLoadsDdrBytes = 256 << 10;

/// A memory, and what its SRAM should hold.
struct Loads : ::testing::Test {
  std::unique_ptr<Memory> memory = Memory::create(kSramLoadsSramBytes);
  SramLoads loads{*memory};
  std::vector<uint8_t> expected = std::vector<uint8_t>(kSramLoadsSramBytes);
  uint8_t *sram = memory->hostBase() + Memory::kSramBase;

  void SetUp() override {
    ASSERT_TRUE(memory->growDdr(kSramLoadsDdrBytes));
    Random r(1);
    for (uint64_t i = 0; i < kSramLoadsDdrBytes; ++i)
      memory->hostBase()[i] = uint8_t(r.in(0, 255));
  }
  void load(uint64_t begin, uint64_t size, uint32_t source) {
    loads.load(begin, size, source);
    std::copy_n(memory->hostBase() + source, size, &expected[begin]);
  }
};
} // namespace

TEST_F(Loads, AnyOrderLeavesTheSameBytes) {
  Random r(2);
  for (int step = 0; step < 20000; ++step) {
    uint64_t begin = uint64_t(r.in(0, kSramLoadsSramBytes - 1));
    uint64_t size = uint64_t(r.in(1, int64_t(kSramLoadsSramBytes - begin)));
    uint64_t end = begin + size;
    switch (r.in(0, 4)) {
    case 0:
    case 1:
      load(begin, size, uint32_t(r.in(0, int64_t(kSramLoadsDdrBytes - size))));
      break;
    case 2:
      loads.read(int64_t(begin), int64_t(end));
      ASSERT_TRUE(std::equal(sram + begin, sram + end, &expected[begin]));
      break;
    case 3: { // Some bytes, or all.
      bool isWhole = r.chance(50);
      loads.write(int64_t(begin), int64_t(end), isWhole);
      for (uint64_t i = begin; i < end; i += isWhole ? 1 : 3)
        sram[i] = expected[i] = uint8_t(step);
      break;
    }
    default:
      if (auto source = loads.sourceOf(begin, size))
        ASSERT_TRUE(std::equal(&expected[begin], &expected[begin] + size,
                               memory->hostBase() + *source));
      if (r.chance(1))
        loads.readAll();
    }
  }
  loads.forgetAll();
  EXPECT_TRUE(std::equal(sram, sram + kSramLoadsSramBytes, expected.begin()));
  EXPECT_TRUE(loads.isEmpty());
}

TEST_F(Loads, Sources) {
  load(1000, 8000, 500);
  EXPECT_EQ(loads.sourceOf(1000, 8000), 500u);
  EXPECT_EQ(loads.sourceOf(3000, 100), 2500u);
  EXPECT_FALSE(loads.sourceOf(999, 2));
  EXPECT_FALSE(loads.sourceOf(8999, 2));
  EXPECT_NE(sram[1000], expected[1000]) << "copied though nobody asked";
  loads.read(0, kSramLoadsSramBytes);
  EXPECT_EQ(sram[1000], expected[1000]);
  EXPECT_TRUE(loads.sourceOf(1000, 8000));
  loads.write(2000, 2001, false);
  EXPECT_FALSE(loads.sourceOf(1000, 8000));
  EXPECT_EQ(loads.sourceOf(2001, 6000), 1501u);
}

TEST_F(Loads, BeyondTheLimitNothingIsRemembered) {
  loads.setLimit(4096);
  load(0, 4097, 0);
  EXPECT_FALSE(loads.sourceOf(0, 1));
  EXPECT_TRUE(std::equal(sram, sram + 4097, expected.begin()));
}

// Weights that the host wrote over between two programs are not those that the
// engine has packed.
TEST(UseConstants, WeightsThatWereWrittenAreReadAgain) {
  constexpr uint32_t kConstants = 0x1000;
  auto memory = Memory::create(kSramLoadsSramBytes);
  ASSERT_TRUE(memory->growDdr(kSramLoadsDdrBytes));
  TensorEngine engine(*memory);
  yarrow::isa::Conv conv;
  conv.inType = conv.outType = yarrow::isa::ElementType::I8;
  conv.inHeight = conv.inWidth = conv.outHeight = conv.outWidth = 1;
  conv.inChannels = conv.outChannels = conv.groups = 1;
  conv.kernelY = conv.kernelX = conv.strideY = conv.strideX = 1;
  conv.dilationY = conv.dilationX = 1;
  conv.inPixelStride = conv.inRowStride = 1;
  conv.outPixelStride = conv.outRowStride = 1;
  conv.input = 0, conv.weights = 0x100, conv.bias = 0x200, conv.output = 0x300;
  conv.scale = 1, conv.outMin = -128, conv.outMax = 127;
  naive::write(*memory, yarrow::isa::ElementType::I8, conv.input, 1);
  auto resultOf = [&](int8_t weight) {
    EXPECT_TRUE(memory->write(kConstants + 16, &weight, 1));
    engine.useConstants(kConstants, kConstants + 64);
    engine.loads().load(conv.weights, 1, kConstants + 16);
    EXPECT_EQ(engine.execute(conv).value_or(""), "");
    return naive::read(*memory, yarrow::isa::ElementType::I8, conv.output);
  };
  EXPECT_EQ(resultOf(3), 3);
  EXPECT_EQ(resultOf(5), 5);
}

// What is written whole needs no load before.
TEST(WritesDensely, WithoutGapsBetweenPixelsAndRows) {
  yarrow::isa::Conv conv;
  conv.outType = yarrow::isa::ElementType::I8;
  conv.outChannels = conv.outPixelStride = 16;
  conv.outWidth = 4, conv.outHeight = 2, conv.outRowStride = 64;
  EXPECT_TRUE(writesDensely(conv));
  conv.outRowStride = 80;
  EXPECT_FALSE(writesDensely(conv));
  conv.accumulateOut = true;
  EXPECT_TRUE(writesDensely(conv));
  conv.accumulateOut = false;
  conv.outHeight = 1;
  EXPECT_TRUE(writesDensely(conv)) << "of one row";
  conv.outPixelStride = 20;
  EXPECT_FALSE(writesDensely(conv));
  conv.outWidth = 1;
  EXPECT_TRUE(writesDensely(conv)) << "of one pixel";
}
