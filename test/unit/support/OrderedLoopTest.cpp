//===- OrderedLoopTest.cpp - Results come in order, and few at a time -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/OrderedLoop.h"
#include "support/ThreadPool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace yarrow;

namespace {
class Threads {
public:
  explicit Threads(unsigned count) { setDefaultThreadCount(count); }
  ~Threads() { setDefaultThreadCount(0); }
};
} // namespace

TEST(OrderedLoop, TakesInOrderWithinTheWindow) {
  for (unsigned threads : {1u, 2u, 7u}) {
    Threads setting(threads);
    constexpr std::size_t count = 2000, window = 5;
    std::vector<std::size_t> slots(window), taken;
    std::atomic<std::size_t> numTaken = 0, farthest = 0;
    bool isDone = orderedLoop(
        count, window,
        [&](std::size_t i) {
          std::size_t ahead = i - numTaken;
          if (ahead > farthest)
            farthest = ahead;
          if (i % 17 == 0)
            std::this_thread::yield();
          slots[i % window] = i * i;
          return true;
        },
        [&](std::size_t i) {
          taken.push_back(slots[i % window]);
          ++numTaken;
          return true;
        });
    EXPECT_TRUE(isDone);
    EXPECT_LT(farthest, window);
    ASSERT_EQ(taken.size(), count);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(taken[i], i * i);
  }
}

TEST(OrderedLoop, EndsAfterAFailure) {
  for (unsigned threads : {1u, 4u}) {
    Threads setting(threads);
    std::size_t taken = 0;
    auto take = [&](std::size_t) {
      ++taken;
      return true;
    };
    EXPECT_FALSE(
        orderedLoop(1000, 4, [](std::size_t i) { return i != 10; }, take));
    EXPECT_LE(taken, 10u);
    auto make = [](std::size_t) { return true; };
    EXPECT_FALSE(
        orderedLoop(1000, 4, make, [](std::size_t i) { return i != 10; }));
    EXPECT_TRUE(orderedLoop(0, 4, make, take));
  }
}
