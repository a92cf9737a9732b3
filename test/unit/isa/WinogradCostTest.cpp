//===- WinogradCostTest.cpp - What a Winograd command costs ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Cost.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::isa;

namespace {
Machine target(const char *name) {
  DiagnosticEngine diags;
  return *findTarget(name, diags);
}

Conv layer(uint32_t size, uint32_t channelsIn, uint32_t channelsOut,
           WinogradMode mode) {
  Conv c;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = size;
  c.inChannels = channelsIn, c.outChannels = channelsOut;
  c.kernelY = c.kernelX = 3;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  c.winograd = mode;
  return c;
}
} // namespace

// The example of docs/machine.md.
TEST(WinogradCost, OfTheDocumentedLayer) {
  Machine machine = target("X2_1204");
  CommandCost direct = costOf(layer(56, 64, 64, WinogradMode::None), machine);
  EXPECT_EQ(direct.computeCycles, 4u * 9 * 4 * 196);
  EXPECT_EQ(direct.macs, 115605504u);
  EXPECT_EQ(direct.sramCycles, 14577u);

  Conv c = layer(56, 64, 64, WinogradMode::F2x2_3x3);
  CommandCost cost = costOf(c, machine);
  EXPECT_EQ(cost.computeCycles, 4u * 16 * 4 * 49);
  EXPECT_EQ(cost.macs, 28u * 28 * 16 * 64 * 64);
  // Four blocks of filters read 784 tiles of 16 cells; 64 filters of 16 taps;
  // the bias.
  EXPECT_EQ(cost.sramReadBytes, 4u * 784 * 16 * 64 + 64 * 16 * 64 + 64 * 4);
  EXPECT_EQ(cost.sramWrittenBytes, 56u * 56 * 64);
  EXPECT_EQ(cost.sramCycles, 6793u);
  // 16 filters of 1,024 bytes; 16 tiles of 16 cells of 16 channels; 4 cycles of
  // transforms; 64 pixels of 16 channels drain.
  EXPECT_EQ(cost.exposedCycles, 32u + 8 + 4 + 2);
  EXPECT_EQ(cost.aloneCycles(), 20u + 12544 + 46);
  EXPECT_EQ(direct.aloneCycles(), 28270u);

  // Exact weights of two bytes.
  c.weightType = ElementType::I16;
  EXPECT_EQ(costOf(c, machine).aloneCycles(), 20u + 12544 + 46 + 32);
  c.weightType = ElementType::I8;

  // One dimension: 12 taps for 2 results.
  c.winograd = WinogradMode::F2_3;
  cost = costOf(c, machine);
  EXPECT_EQ(cost.computeCycles, 4u * 12 * 4 * 98);
  EXPECT_EQ(cost.macs, 56u * 28 * 12 * 64 * 64);
}

TEST(WinogradCost, WhatDoesNotFillTheArrayIsLost) {
  Machine machine = target("X2_1204");
  auto compute = [&](uint32_t size, uint32_t in, uint32_t out) {
    return costOf(layer(size, in, out, WinogradMode::F2x2_3x3), machine)
        .computeCycles;
  };
  EXPECT_EQ(compute(32, 16, 16), 16u * 16);
  EXPECT_EQ(compute(32, 3, 16), 16u * 16);
  EXPECT_EQ(compute(32, 17, 17), 16u * 16 * 4);
  EXPECT_EQ(compute(8, 16, 16), 16u); // 16 tiles
  EXPECT_EQ(compute(7, 16, 16), 16u); // of which 7 are cut
  EXPECT_EQ(compute(9, 16, 16), 2u * 16);
}

TEST(WinogradCost, SixteenBitWeightsTakeOnePassAndTwiceTheBytes) {
  Machine machine = target("X2_1204");
  Conv c = layer(32, 64, 64, WinogradMode::F2x2_3x3);
  CommandCost narrow = costOf(c, machine);
  c.weightType = ElementType::I16;
  CommandCost wide = costOf(c, machine);
  EXPECT_EQ(wide.computeCycles, narrow.computeCycles);
  EXPECT_EQ(wide.sramReadBytes, narrow.sramReadBytes + 64 * 16 * 64);
  c.hasTapShifts = true;
  EXPECT_EQ(costOf(c, machine).sramReadBytes, wide.sramReadBytes + 64 * 16);
}

// The weight buffer holds 4,096 bytes of a filter; the accumulators 16 tiles.
TEST(WinogradCost, LongFiltersAreLoadedForEachSetOfTiles) {
  Machine machine = target("X2_1204");
  auto weightBytes = [&](uint32_t channels, ElementType type) {
    Conv c = layer(16, channels, 16, WinogradMode::F2x2_3x3);
    c.weightType = type;
    return costOf(c, machine).sramReadBytes - 64 * 16 * channels - 16 * 4;
  };
  EXPECT_EQ(weightBytes(256, ElementType::I8), 16u * 16 * 256);
  EXPECT_EQ(weightBytes(257, ElementType::I8), 4u * 16 * 16 * 257);
  EXPECT_EQ(weightBytes(128, ElementType::I16), 16u * 16 * 128 * 2);
  EXPECT_EQ(weightBytes(129, ElementType::I16), 4u * 16 * 16 * 129 * 2);
}

// A machine that draws all it can: input and weights of each cycle together are
// what its SRAM delivers.
TEST(WinogradCost, LongFiltersOfOneByteJustStream) {
  Machine machine = target("X2_1204");
  Conv c = layer(32, 512, 512, WinogradMode::F2x2_3x3);
  CommandCost cost = costOf(c, machine);
  EXPECT_LT(cost.sramCycles, cost.computeCycles * 21 / 20);
  c.weightType = ElementType::I16;
  cost = costOf(c, machine);
  EXPECT_GT(cost.sramCycles, cost.computeCycles * 7 / 5);
}

TEST(WinogradCost, NeverBelowTheBoundsAndNeverLessForMore) {
  std::mt19937 random(1);
  for (const std::string &name : builtinTargetNames()) {
    SCOPED_TRACE(name);
    Machine machine = target(name.c_str());
    for (int round = 0; round < 500; ++round) {
      Conv c =
          layer(1 + random() % 60, 1 + random() % 600, 1 + random() % 600,
                random() % 2 ? WinogradMode::F2_3 : WinogradMode::F2x2_3x3);
      c.outHeight = 1 + random() % 60;
      c.weightType = random() % 2 ? ElementType::I8 : ElementType::I16;
      c.hasTapShifts = random() % 2;
      CommandCost cost = costOf(c, machine);
      EXPECT_GE(cost.computeCycles * machine.macsPerCycle(), cost.macs);
      EXPECT_GE(cost.sramCycles * machine.sramBytesPerCycle,
                cost.sramReadBytes + cost.sramWrittenBytes);
      EXPECT_GE(cost.aloneCycles(), cost.computeCycles);
      // No fewer multiplications than the algorithm needs: 4 of 9, 2 of 3.
      uint64_t layerMacs =
          9ull * c.outHeight * c.outWidth * c.inChannels * c.outChannels;
      EXPECT_GE(cost.macs * (c.winograd == WinogradMode::F2_3 ? 3 : 9),
                layerMacs * (c.winograd == WinogradMode::F2_3 ? 2 : 4));
      for (uint32_t Conv::*field : {&Conv::outHeight, &Conv::outWidth,
                                    &Conv::inChannels, &Conv::outChannels}) {
        Conv more = c;
        more.*field += 1 + random() % 3;
        CommandCost moreCost = costOf(more, machine);
        EXPECT_GE(moreCost.computeCycles, cost.computeCycles);
        EXPECT_GE(moreCost.sramReadBytes, cost.sramReadBytes);
        EXPECT_GE(moreCost.aloneCycles(), cost.aloneCycles());
      }
    }
  }
}
