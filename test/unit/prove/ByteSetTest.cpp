//===- ByteSetTest.cpp - The bytes that a command touches -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/CommandBytes.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace yarrow;
using namespace yarrow::prove;

static std::set<int64_t> bytesIn(const ByteSet &set) {
  std::set<int64_t> bytes;
  set.forEachRun([&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at)
      bytes.insert(at);
  });
  return bytes;
}

TEST(ByteSet, NormalFormHasTheSameBytes) {
  std::mt19937 random(1);
  auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int round = 0; round < 500; ++round) {
    ByteSet set{.first = 500, .runBytes = draw(1, 5)};
    for (int axis = draw(0, 4); axis > 0; --axis)
      set.addAxis(draw(1, 4), draw(-12, 12));
    ByteSet normal = set;
    normal.normalise();
    std::set<int64_t> bytes = bytesIn(set);
    EXPECT_EQ(bytesIn(normal), bytes);
    EXPECT_EQ(normal.begin(), *bytes.begin());
    EXPECT_EQ(normal.end(), *bytes.rbegin() + 1);
    EXPECT_LE(normal.numRuns(), set.numRuns());
  }
}

TEST(ByteSet, WholeTransposeIsOneRun) {
  ByteSet set{.runBytes = 1};
  set.addAxis(64, 16);
  set.addAxis(16, 1);
  set.normalise();
  EXPECT_EQ(set.numRuns(), 1);
  EXPECT_EQ(set.runBytes, 1024);
}

/// Only the cells under a window.
TEST(CommandBytes, StridesSkipRowsAndColumns) {
  isa::Pool pool;
  pool.inHeight = 5, pool.inWidth = 5, pool.inChannels = pool.outChannels = 2;
  pool.inRowStride = 10, pool.inPixelStride = 2;
  pool.kernelY = pool.kernelX = pool.dilationY = pool.dilationX = 1;
  pool.strideY = pool.strideX = 2, pool.outHeight = pool.outWidth = 3;
  pool.outRowStride = 6, pool.outPixelStride = 2, pool.output = 100;
  std::vector<ByteAccess> accesses = bytesOf(pool);
  ASSERT_EQ(accesses.size(), 2u);
  std::set<int64_t> expected;
  for (int64_t y : {0, 2, 4})
    for (int64_t x : {0, 2, 4})
      for (int64_t c : {0, 1})
        expected.insert(y * 10 + x * 2 + c);
  EXPECT_FALSE(accesses[0].isWrite);
  EXPECT_EQ(bytesIn(accesses[0].bytes), expected);
  EXPECT_TRUE(accesses[1].isWrite);
  EXPECT_EQ(accesses[1].bytes.begin(), 100);
  EXPECT_EQ(accesses[1].bytes.end(), 118);
}
