//===- ThreadPoolTest.cpp - Each item once, same ranges always ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/ThreadPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

using namespace yarrow;

TEST(ThreadPool, CallsEveryItemOnce) {
  for (unsigned threads : {0u, 1u, 2u, 7u, 1000u})
    for (std::size_t count : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> calls(count);
      parallelFor(count, [&](std::size_t i) { ++calls[i]; }, threads);
      for (const std::atomic<int> &n : calls)
        ASSERT_EQ(n, 1);
    }
}

TEST(ThreadPool, RangesDoNotDependOnThreads) {
  // Float sums differ with the grouping, so equal bits mean equal ranges.
  std::vector<float> values(100003);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1.0f / float(i + 1);
  auto sum = [&](unsigned threads) {
    std::vector<float> parts(numRanges(values.size(), 1000));
    parallelForRanges(
        values.size(), 1000,
        [&](std::size_t range, std::size_t begin, std::size_t end) {
          parts[range] = std::accumulate(values.begin() + begin,
                                         values.begin() + end, 0.0f);
        },
        threads);
    return std::accumulate(parts.begin(), parts.end(), 0.0f);
  };
  float expected = sum(1);
  for (unsigned threads : {2u, 3u, 8u})
    for (int repeat = 0; repeat < 20; ++repeat)
      ASSERT_EQ(sum(threads), expected);
}

TEST(ThreadPool, LoopsNest) {
  std::atomic<int> calls{0};
  parallelFor(
      8,
      [&](std::size_t) {
        parallelFor(
            8,
            [&](std::size_t) {
              parallelFor(8, [&](std::size_t) { ++calls; }, 4);
            },
            4);
      },
      4);
  EXPECT_EQ(calls, 512);
}

TEST(ThreadPool, LoopsRunSideBySide) {
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 200; ++repeat)
        parallelFor(10, [&](std::size_t) { ++calls; }, 3);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(calls, 4 * 200 * 10);
}

TEST(ThreadPool, WhatABodyThrowsReachesTheCaller) {
  for (unsigned threads : {1u, 4u}) {
    std::atomic<int> calls{0};
    auto loop = [&] {
      parallelFor(
          1000,
          [&](std::size_t i) {
            ++calls;
            if (i == 3)
              throw std::bad_alloc();
          },
          threads);
    };
    EXPECT_THROW(loop(), std::bad_alloc);
    EXPECT_GE(calls, 4);
  }
  // The pool is none the worse.
  std::atomic<int> calls{0};
  parallelFor(100, [&](std::size_t) { ++calls; }, 4);
  EXPECT_EQ(calls, 100);
}

TEST(ThreadPool, GoesOnWithoutThreads) {
  // In a process of its own: the pool of this one has its threads already.
  auto loop = [] {
    rlimit memory = {};
    std::ifstream sizes("/proc/self/statm");
    sizes >> memory.rlim_cur; // pages
    memory.rlim_cur = memory.rlim_cur * rlim_t(getpagesize()) + (4 << 20);
    memory.rlim_max = memory.rlim_cur;
    setrlimit(RLIMIT_AS, &memory); // too little for one more stack
    std::atomic<int> calls{0};
    parallelFor(1000, [&](std::size_t) { ++calls; }, 200);
    _exit(calls == 1000 ? 42 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(loop(), ::testing::ExitedWithCode(42), "");
}

TEST(ThreadPool, DefaultCanBeSet) {
  EXPECT_GE(defaultThreadCount(), 1u);
  setDefaultThreadCount(3);
  EXPECT_EQ(defaultThreadCount(), 3u);
  setDefaultThreadCount(0);
}
