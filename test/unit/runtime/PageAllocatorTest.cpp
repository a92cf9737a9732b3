//===- PageAllocatorTest.cpp - Places of a driver, to the last page -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/PageAllocator.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::runtime;

TEST(PageAllocator, PlacesBeginPages) {
  PageAllocator pages;
  EXPECT_EQ(pages.allocate(0), 0u);
  EXPECT_EQ(pages.allocate(1), isa::kPageBytes);
  EXPECT_EQ(pages.allocate(isa::kPageBytes), 2 * isa::kPageBytes);
  EXPECT_EQ(pages.allocate(isa::kPageBytes + 1), 3 * isa::kPageBytes);
  EXPECT_EQ(pages.topBytes(), 5 * uint64_t(isa::kPageBytes));
}

TEST(PageAllocator, TheLastPageIsTheLast) {
  PageAllocator pages;
  EXPECT_FALSE(pages.allocate(isa::kDriverDdrBytes + 1));
  EXPECT_FALSE(pages.allocate(UINT64_MAX));
  EXPECT_EQ(pages.topBytes(), 0u);
  ASSERT_TRUE(pages.allocate(isa::kDriverDdrBytes - isa::kPageBytes));
  uint64_t top = pages.topBytes();
  EXPECT_FALSE(pages.allocate(isa::kPageBytes + 1));
  EXPECT_EQ(pages.topBytes(), top) << "nothing changes";
  EXPECT_EQ(pages.allocate(isa::kPageBytes), top);
  EXPECT_FALSE(pages.allocate(0));
  EXPECT_EQ(pages.topBytes(), isa::kDriverDdrBytes);
}
