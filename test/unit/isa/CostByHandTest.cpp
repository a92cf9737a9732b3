//===- CostByHandTest.cpp - One command of each kind, cycle by cycle ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Computed by hand with the formulas of docs/machine.md for X2_1204: an array
// of 16 by 16 by 16, SRAM of 512 bytes a cycle, a bus of 32 in bursts of 64.
// Bounds alone let a pool pass that was 10 % too cheap.
//
//===----------------------------------------------------------------------===//
#include "isa/Cost.h"
#include "test/unit/isa/X2.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::isa;

namespace {
Pool pool(PoolMethod method, uint32_t size, uint32_t channels, uint32_t kernel,
          uint32_t stride) {
  Pool p;
  p.method = method;
  p.inHeight = p.inWidth = size;
  p.outHeight = p.outWidth = size / stride;
  p.inChannels = p.outChannels = channels;
  p.kernelY = p.kernelX = kernel;
  p.strideY = p.strideX = stride;
  return p;
}

Copy copy(uint32_t rows, uint32_t rowBytes, uint32_t sourceRowBytes,
          uint32_t fromRegion, uint32_t toRegion) {
  Copy c;
  c.elementBytes = 1;
  c.srcRegion = fromRegion, c.dstRegion = toRegion;
  c.size0 = rowBytes, c.size1 = rows, c.size2 = c.size3 = c.size4 = 1;
  c.srcStride0 = c.dstStride0 = 1;
  c.srcStride1 = sourceRowBytes, c.dstStride1 = rowBytes;
  return c;
}
} // namespace

// The example of the document: start 20, compute 36, 7 that nothing overlaps.
TEST(CostByHand, Conv) {
  Conv c;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = 8;
  c.inChannels = c.outChannels = 16;
  c.kernelY = c.kernelX = 3;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  CommandCost cost = costOf(c, x2());
  EXPECT_EQ(cost.computeCycles, 36u);
  EXPECT_EQ(cost.sramReadBytes, 64u * 9 * 16 + 9 * 16 * 16 + 16 * 4);
  EXPECT_EQ(cost.sramWrittenBytes, 1024u);
  EXPECT_EQ(cost.exposedCycles, 5u + 2);
  EXPECT_EQ(cost.aloneCycles(), 20u + 36 + 7);
  // Two passes; twice the input, and results of a byte.
  c.inType = ElementType::I16;
  EXPECT_EQ(costOf(c, x2()).computeCycles, 72u);
}

TEST(CostByHand, Pool) {
  for (PoolMethod method : {PoolMethod::Max, PoolMethod::Avg}) {
    // 4 cells of one block of channels and pixels.
    CommandCost small = costOf(pool(method, 8, 16, 2, 2), x2());
    EXPECT_EQ(small.computeCycles, 4u);
    EXPECT_EQ(small.sramReadBytes, 16u * 4 * 16);
    EXPECT_EQ(small.sramWrittenBytes, 256u);
    EXPECT_EQ(small.aloneCycles(), 20u + 4 + 1);
    // 9 cells, 4 blocks of channels, 64 of pixels; the last 256 sums of 16
    // channels drain.
    CommandCost large = costOf(pool(method, 32, 64, 3, 1), x2());
    EXPECT_EQ(large.computeCycles, 9u * 4 * 64);
    EXPECT_EQ(large.sramCycles, (1024u * 9 * 64 + 1024 * 64) / 512);
    EXPECT_EQ(large.aloneCycles(), 20u + 2304 + 8);
    // What does not fill a block takes as long as what does.
    EXPECT_EQ(costOf(pool(method, 32, 49, 3, 1), x2()).computeCycles, 2304u);
    Pool wide = pool(method, 32, 64, 3, 1);
    wide.inType = wide.outType = ElementType::I16;
    EXPECT_EQ(costOf(wide, x2()).computeCycles, 2u * 2304);
  }
}

// The SRAM is what it waits for: 7,168 bytes.
TEST(CostByHand, MatMul) {
  MatMul m;
  m.batch = 2, m.rows = 16, m.inner = 48, m.columns = 32;
  CommandCost cost = costOf(m, x2());
  EXPECT_EQ(cost.computeCycles, 2u * 2 * 3);
  EXPECT_EQ(cost.sramReadBytes, 2u * (16 * 48 * 2 + 48 * 32));
  EXPECT_EQ(cost.sramWrittenBytes, 2u * 16 * 32);
  EXPECT_EQ(cost.sramCycles, 14u);
  EXPECT_EQ(cost.exposedCycles, 2u + 1);
  EXPECT_EQ(cost.aloneCycles(), 20u + 14 + 3);
}

TEST(CostByHand, Copies) {
  constexpr uint32_t sram = kSramRegion, ddr = 3;
  // Whole rows from DDR: 4,096 bytes of 32 a cycle, behind its latency.
  EXPECT_EQ(costOf(copy(4, 1024, 1024, ddr, sram), x2()).aloneCycles(),
            16u + 100 + 128);
  EXPECT_EQ(costOf(copy(4, 1024, 1024, sram, ddr), x2()).aloneCycles(),
            16u + 100 + 128);
  // Inside the SRAM no latency.
  EXPECT_EQ(costOf(copy(4, 1024, 1024, sram, sram), x2()).aloneCycles(),
            16u + 128);
  // Rows of 8 bytes are a burst of 64 each.
  EXPECT_EQ(costOf(copy(100, 8, 1024, ddr, sram), x2()).aloneCycles(),
            16u + 100 + 200);
}
