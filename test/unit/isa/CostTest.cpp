//===- CostTest.cpp - Costs of commands -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Cost.h"
#include "test/unit/isa/X2.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::isa;

namespace {
Conv conv(uint32_t size, uint32_t channelsIn, uint32_t channelsOut,
          uint32_t kernel) {
  Conv c;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = size;
  c.inChannels = channelsIn, c.outChannels = channelsOut;
  c.kernelY = c.kernelX = kernel;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  return c;
}
} // namespace

TEST(Cost, AFullArrayWorksAtItsPeak) {
  Machine machine = x2();
  CommandCost cost = costOf(conv(32, 64, 64, 3), machine);
  EXPECT_EQ(cost.macs, 32ull * 32 * 64 * 64 * 9);
  EXPECT_EQ(cost.computeCycles, cost.macs / machine.macsPerCycle());
  EXPECT_EQ(cost.busyCycles(), cost.computeCycles + cost.exposedCycles);
  EXPECT_LT(cost.exposedCycles, cost.computeCycles / 10);
}

TEST(Cost, PackedWeightsAreHalfTheTraffic) {
  Machine machine = x2();
  for (bool depthwise : {false, true}) {
    Conv bytes = conv(4, 64, 64, 3);
    bytes.depthwise = depthwise;
    Conv packed = bytes;
    packed.packedWeights = true;
    uint64_t weights = 9ull * 64 * (depthwise ? 1 : 64);
    EXPECT_EQ(weightBytesOf(bytes), weights);
    EXPECT_EQ(weightBytesOf(packed), weights / 2);
    CommandCost wide = costOf(bytes, machine), narrow = costOf(packed, machine);
    EXPECT_EQ(wide.sramReadBytes - narrow.sramReadBytes, weights / 2);
    EXPECT_EQ(wide.computeCycles, narrow.computeCycles);
    EXPECT_EQ(wide.macs, narrow.macs);
    EXPECT_GE(wide.exposedCycles, narrow.exposedCycles);
  }
  // An odd number of weights in all.
  Conv odd = conv(4, 3, 1, 3);
  odd.packedWeights = true;
  EXPECT_EQ(weightBytesOf(odd), 14u);
  // The buffers hold filters that are twice as long.
  uint32_t channels = machine.weightBytesPerLane() / 9 * 2;
  Conv deep = conv(64, channels, 16, 3);
  uint64_t reads = costOf(deep, machine).sramReadBytes;
  deep.packedWeights = true;
  uint64_t halved = costOf(deep, machine).sramReadBytes;
  EXPECT_GT(reads - halved, 9ull * channels * 16);
}

TEST(Cost, WideBiasesCostEightBytes) {
  Conv c = conv(4, 64, 64, 3);
  c.inType = ElementType::I16;
  Conv wide = c;
  wide.wideBias = true;
  EXPECT_EQ(costOf(wide, x2()).sramReadBytes - costOf(c, x2()).sramReadBytes,
            4u * 64);
}

// Two cycles a vector of 16 channels of 16 pixels, where the array makes one in
// fewer; four bytes instead of two for each channel's scale.
TEST(Cost, WideScalesTakeTheOutputStageTwice) {
  Machine machine = x2();
  for (uint32_t kernel : {1u, 3u}) {
    Conv narrow = conv(32, 16, 64, kernel);
    narrow.perChannel = true;
    Conv wide = narrow;
    wide.wideScale = true;
    CommandCost before = costOf(narrow, machine), now = costOf(wide, machine);
    EXPECT_EQ(now.sramReadBytes - before.sramReadBytes, 2u * 64);
    EXPECT_EQ(before.computeCycles, 4u * 64 * kernel * kernel);
    EXPECT_EQ(now.computeCycles, 4u * 64 * std::max(2u, kernel * kernel));
    // The accumulators hold 256 pixels of 16 channels, which go last.
    EXPECT_EQ(now.exposedCycles - before.exposedCycles, 16u);
    machine.outputStage.widePasses = 1;
    now = costOf(wide, machine);
    EXPECT_EQ(now.computeCycles, before.computeCycles);
    EXPECT_EQ(now.exposedCycles, before.exposedCycles);
    machine.outputStage.widePasses = 2;
  }
  // A sum of two tensors, behind a convolution that changes nothing.
  Conv sum = conv(32, 64, 64, 1);
  sum.depthwise = sum.hasResidual = true;
  uint64_t once = costOf(sum, machine).computeCycles;
  sum.wideSum = true;
  EXPECT_EQ(costOf(sum, machine).computeCycles, 2 * once);
  MatMul product;
  product.batch = 2, product.rows = product.columns = 64, product.inner = 16;
  once = costOf(product, machine).computeCycles;
  product.wideScale = true;
  EXPECT_EQ(costOf(product, machine).computeCycles, 2 * once);
}

TEST(Cost, WhatDoesNotFillTheArrayIsLost) {
  Machine machine = x2();
  EXPECT_EQ(costOf(conv(32, 3, 16, 3), machine).computeCycles, 9u * 64);
  EXPECT_EQ(costOf(conv(32, 16, 16, 3), machine).computeCycles, 9u * 64);
  EXPECT_EQ(costOf(conv(32, 17, 17, 3), machine).computeCycles, 9u * 64 * 4);
  EXPECT_EQ(costOf(conv(1, 512, 1000, 1), machine).computeCycles, 32u * 63);
}

TEST(Cost, SixteenBitInputsTakeTwoPasses) {
  Machine machine = x2();
  Conv c = conv(32, 64, 64, 3);
  uint64_t once = costOf(c, machine).computeCycles;
  c.inType = ElementType::I16;
  EXPECT_EQ(costOf(c, machine).computeCycles, 2 * once);
}

TEST(Cost, DepthwiseUsesOneOutputLane) {
  Machine machine = x2();
  machine.depthwise.rowBufferBytes = 0;
  Conv c = conv(16, 64, 64, 3);
  c.depthwise = true;
  CommandCost cost = costOf(c, machine);
  EXPECT_EQ(cost.computeCycles, 9u * 4 * 16);
  EXPECT_EQ(cost.macs, 16u * 16 * 64 * 9);
}

// Each row of 3 kernel rows: 18 columns, 16 a step, for all three taps.
TEST(Cost, DepthwiseRowsFeedAllTapsAtOnce) {
  Machine machine = x2();
  Conv c = conv(16, 64, 64, 3);
  c.depthwise = true;
  CommandCost cost = costOf(c, machine);
  EXPECT_EQ(cost.computeCycles, 16u * 3 * 4 * 2);
  EXPECT_EQ(cost.macs, 16u * 16 * 64 * 9);
  // 14 columns with their borders are one step.
  c = conv(14, 64, 64, 3);
  c.depthwise = true;
  EXPECT_EQ(costOf(c, machine).computeCycles, 14u * 3 * 4);
  // Every second column is an output, all come into the buffer: 3 steps.
  c = conv(16, 64, 64, 3);
  c.depthwise = true;
  c.strideX = 2;
  EXPECT_EQ(costOf(c, machine).computeCycles, 16u * 3 * 4 * 3);
  // Rows of one pixel would leave the array empty: windows, as without rows.
  c = conv(1, 64, 64, 3);
  c.depthwise = true;
  c.outHeight = 64;
  EXPECT_EQ(costOf(c, machine).computeCycles, 9u * 4 * 4);
}

TEST(Cost, RowsThatDoNotFitTheBufferAreWindows) {
  Machine machine = x2();
  Conv c = conv(64, 16, 16, 3);
  c.depthwise = true;
  uint64_t rows = costOf(c, machine).computeCycles;
  machine.depthwise.rowBufferBytes = (16 + 2) * 16 - 1;
  EXPECT_GT(costOf(c, machine).computeCycles, 2 * rows);
  // Values of 16 bits need twice the room.
  machine.depthwise.rowBufferBytes = (16 + 2) * 16;
  EXPECT_EQ(costOf(c, machine).computeCycles, rows);
  c.inType = ElementType::I16;
  EXPECT_GT(costOf(c, machine).computeCycles, 4 * rows);
}

TEST(Cost, NeverBelowTheBounds) {
  Machine machine = x2();
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    Conv c = conv(1 + random() % 60, 1 + random() % 300, 1 + random() % 300,
                  1 + random() % 5);
    c.depthwise = random() % 4 == 0;
    if (c.depthwise)
      c.outChannels = c.inChannels;
    CommandCost cost = costOf(c, machine);
    EXPECT_GE(cost.computeCycles * machine.macsPerCycle(), cost.macs);
    EXPECT_GE(cost.sramCycles * machine.sramBytesPerCycle,
              cost.sramReadBytes + cost.sramWrittenBytes);
    EXPECT_GE(cost.aloneCycles(), cost.computeCycles);
  }
}

TEST(Cost, ShortRunsCostWholeBursts) {
  Machine machine = x2();
  Copy c;
  c.elementBytes = 1;
  c.srcRegion = 3;
  c.size0 = 8, c.size1 = 100, c.size2 = c.size3 = c.size4 = 1;
  c.srcStride0 = c.dstStride0 = 1;
  c.srcStride1 = c.dstStride1 = 8;
  CommandCost dense = costOf(c, machine);
  EXPECT_EQ(dense.ddrReadBytes, 832u);
  EXPECT_EQ(dense.ddrCycles, 26u);
  c.srcStride1 = 1000;
  CommandCost sparse = costOf(c, machine);
  EXPECT_EQ(sparse.ddrReadBytes, 6400u);
  EXPECT_EQ(sparse.sramWrittenBytes, 800u);
  c.fill = true;
  EXPECT_EQ(costOf(c, machine).ddrReadBytes, 0u);
}

TEST(Cost, StreamsTakeTheBusOrTheDecoder) {
  Machine machine = x2();
  machine.weightDecoder = {.bytesPerCycle = 64, .startCycles = 8};
  Copy c;
  c.elementBytes = 1;
  c.srcRegion = 1;
  c.size0 = 6400, c.size1 = c.size2 = c.size3 = c.size4 = 1;
  c.dstStride0 = 1;
  c.streamBytes = 5000;
  CommandCost cost = costOf(c, machine);
  EXPECT_EQ(cost.ddrReadBytes, 5056u); // whole bursts
  EXPECT_EQ(cost.ddrSparedBytes, 6400u - 5056u);
  EXPECT_EQ(cost.ddrCycles, 158u);
  EXPECT_EQ(cost.sramWrittenBytes, 6400u);
  EXPECT_EQ(cost.busyCycles(), 100u + 8u);
  EXPECT_EQ(cost.aloneCycles(), cost.startCycles + 158u);
  c.streamBytes = 1000;
  cost = costOf(c, machine);
  EXPECT_EQ(cost.ddrCycles, 32u);
  EXPECT_EQ(cost.aloneCycles(), cost.startCycles + 108u);
}

TEST(Cost, OfSeveralCommandsIsThatOfTheBusiestQueueOrTheBus) {
  Machine machine = x2();
  CommandCost load, compute;
  load.startCycles = 116, load.ddrCycles = 200, load.ddrReadBytes = 6400;
  compute.startCycles = 20, compute.computeCycles = 300;
  WorkCost work;
  for (int i = 0; i < 3; ++i)
    work.add(Unit::DmaLoad, load);
  EXPECT_EQ(work.ddrBytes, 3 * 6400u);
  // Two channels hide a part of the latencies; the bus carries one at a time.
  EXPECT_EQ(work.queueCycles[unsigned(Unit::DmaLoad)], 3 * 316u);
  EXPECT_EQ(work.leastCycles(machine), 600u);
  machine.dma.loadChannels = 1;
  EXPECT_EQ(work.leastCycles(machine), 3 * 316u);
  for (int i = 0; i < 3; ++i)
    work.add(Unit::TensorEngine, compute);
  EXPECT_EQ(work.leastCycles(machine), 3 * 320u);
}

TEST(Cost, TheRooflineIsTheArrayOrTheBus) {
  Machine machine = x2();
  EXPECT_EQ(rooflineCycles(4096 * 10 + 1, 0, machine), 11u);
  EXPECT_EQ(rooflineCycles(4096 * 10, 32 * 20 + 1, machine), 21u);
}
