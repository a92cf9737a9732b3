//===- ReciprocalsTest.cpp - Multipliers of the engine's averages ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/Reciprocals.h"
#include "isa/Types.h"
#include "support/Numeric.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;

static int64_t halfAway(int64_t sum, int64_t area) {
  return (sum + (sum < 0 ? -(area / 2) : area / 2)) / area;
}

/// All sums that windows can have, with the engine's rounding.
static void checkAllSums(uint32_t area, int64_t most) {
  auto r = halfAwayReciprocal(area, most);
  ASSERT_TRUE(r) << area;
  RoundShift shift = makeRoundShift(r->shift);
  int64_t wrong = 0;
  for (int64_t sum = -most * area; sum <= most * area; ++sum)
    wrong += roundShiftHalfEven(sum * r->scale, shift) != halfAway(sum, area);
  EXPECT_EQ(wrong, 0) << area << ": " << r->scale << " >> " << r->shift;
}

TEST(Reciprocals, AreExactForAllSumsOfBytes) {
  for (uint32_t area = 1; area <= 300; ++area)
    for (int64_t most : {128, 255})
      checkAllSums(area, most);
  for (uint32_t area : {1024, 1025, 3136, 4095})
    checkAllSums(area, 255);
}

TEST(Reciprocals, AreExactForAllSumsOf16Bits) {
  for (uint32_t area : {2, 3, 4, 9, 49, 64, 81, 100, 127, 128})
    checkAllSums(area, 32768);
}

TEST(Reciprocals, HaveSixteenBitsForUsualWindowsOfBytes) {
  for (uint32_t area : {4, 9, 16, 25, 36, 49, 64})
    EXPECT_LE(halfAwayReciprocal(area, 128)->scale, isa::kMaxNarrowScale);
  EXPECT_EQ(halfAwayReciprocal(1, 255)->scale, 1);
  // A power of two is no exception: its own reciprocal leaves ties to even.
  int32_t ofFour = halfAwayReciprocal(4, 128)->scale;
  EXPECT_NE(ofFour & (ofFour - 1), 0);
}

TEST(Reciprocals, EndWhereTheBitsDo) {
  EXPECT_FALSE(halfAwayReciprocal(199, 32768));
  EXPECT_FALSE(halfAwayReciprocal(46419, 128));
  EXPECT_TRUE(halfAwayReciprocal(20000, 255));
}

TEST(Reciprocals, TableHasTheEnginesRecords) {
  ReciprocalTable table;
  table.add({0x1234, 7});
  EXPECT_FALSE(table.isWide);
  table.add({0x56789a, 30});
  EXPECT_TRUE(table.isWide);
  EXPECT_EQ(table.records,
            (std::vector<char>{0x34, 0x12, 7, 0, char(0x9a), 0x78, 30, 0x56}));
}
