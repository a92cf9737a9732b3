//===- BusCalendarTest.cpp - The shared bus -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/BusCalendar.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::isa;

TEST(BusCalendar, GivesNoCycleTwice) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    BusCalendar bus;
    std::vector<unsigned> taken(4000);
    for (int request = 0; request < 60; ++request) {
      uint64_t from = random() % 1000, cycles = random() % 40;
      // The cycles that a request should get, one by one.
      uint64_t end = from;
      for (uint64_t at = from, left = cycles; left; ++at)
        if (!taken[at]) {
          taken[at] = 1;
          --left;
          end = at + 1;
        }
      ASSERT_EQ(bus.reserve(from, cycles), end);
    }
  }
}

TEST(BusCalendar, ForgetsThePast) {
  BusCalendar bus;
  EXPECT_EQ(bus.reserve(10, 5), 15u);
  EXPECT_EQ(bus.reserve(12, 5), 20u);
  bus.forgetBefore(100);
  EXPECT_EQ(bus.reserve(100, 3), 103u);
  EXPECT_EQ(bus.takenCycles(), 13u);
}
