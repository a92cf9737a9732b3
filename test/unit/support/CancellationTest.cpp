//===- CancellationTest.cpp - Loops that are given up ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Cancellation.h"
#include "support/OrderedLoop.h"
#include "support/ThreadPool.h"
#include "gtest/gtest.h"

#include <atomic>

using namespace yarrow;

namespace {

TEST(Cancellation, LoopsLeave) {
  for (unsigned threads : {1u, 4u}) {
    Cancellation cancellation;
    CancellationScope scope(cancellation);
    std::atomic<std::size_t> done = 0;
    auto body = [&](std::size_t) {
      if (++done == 10)
        cancellation.request();
    };
    EXPECT_THROW(parallelFor(100000, body, threads), Cancelled);
    EXPECT_GE(done, 10u);
    EXPECT_LE(done, 10u + threads);
    EXPECT_THROW(parallelFor(1, body, threads), Cancelled);
  }
}

TEST(Cancellation, OrderedLoopsLeave) {
  Cancellation cancellation;
  CancellationScope scope(cancellation);
  std::size_t taken = 0;
  EXPECT_THROW(orderedLoop(
                   100000, 4, [](std::size_t) { return true; },
                   [&](std::size_t) {
                     if (++taken == 10)
                       cancellation.request();
                     return true;
                   }),
               Cancelled);
  EXPECT_LE(taken, 20u);
}

/// Also in threads that help.
TEST(Cancellation, OfOneWorkAlone) {
  Cancellation cancellation;
  cancellation.request();
  std::atomic<std::size_t> done = 0;
  auto count = [&](std::size_t) { ++done; };
  parallelFor(50, count, 4);
  EXPECT_EQ(done, 50u);
  CancellationScope scope(cancellation);
  EXPECT_THROW(leaveIfCancelled(), Cancelled);
  {
    CancellationPause library;
    leaveIfCancelled();
    parallelFor(50, count, 4);
    EXPECT_FALSE(runWithinPause([&] { parallelFor(50, count, 4); }));
    EXPECT_FALSE(runWithinPause([&] {
      CancellationPause inner;
      leaveIfCancelled();
      EXPECT_FALSE(runWithinPause(leaveIfCancelled));
      EXPECT_EQ(Cancellation::current(), nullptr);
      throw Cancelled();
    }));
    EXPECT_EQ(Cancellation::current(), nullptr);
  }
  EXPECT_EQ(done, 100u);
  EXPECT_EQ(Cancellation::current(), &cancellation);
}

/// Of work that nobody can cancel.
TEST(Cancellation, WithoutOne) {
  CancellationPause library;
  bool isDone = false;
  EXPECT_TRUE(runWithinPause([&] { isDone = true; }));
  EXPECT_TRUE(isDone);
}

} // namespace
