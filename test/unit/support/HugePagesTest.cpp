//===- HugePagesTest.cpp - Large buffers ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/HugePages.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace yarrow;

TEST(HugePages, GivesZeros) {
  for (size_t count :
       {size_t(0), size_t(1), (size_t(4) << 20) - 1, (size_t(9) << 20) + 3}) {
    std::vector<char> bytes = zeroed(count);
    EXPECT_EQ(bytes.size(), count);
    EXPECT_TRUE(std::ranges::all_of(bytes, [](char c) { return c == 0; }));
    // Memory that was used before is zero again.
    std::ranges::fill(bytes, 'x');
    bytes = {};
    std::vector<char> again = zeroed(count);
    EXPECT_TRUE(std::ranges::all_of(again, [](char c) { return c == 0; }));
  }
}
