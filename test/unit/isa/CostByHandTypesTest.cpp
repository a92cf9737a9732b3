//===- CostByHandTypesTest.cpp - One command of each type, by hand --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// As CostByHandTest, of every width and every form that a command has: equality
// of all of CommandCost's cycles. X2_1204 has an array of 16 by 16 by 16, a
// weight buffer of 4,096 bytes a lane, accumulators of 256 pixels (of 16-bit
// inputs 128) of 16 channels; SRAM of 512 bytes a cycle in banks of 32, a bus
// of 32 in bursts of 64.
//
//===----------------------------------------------------------------------===//
#include "isa/Cost.h"
#include "test/unit/isa/X2.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::isa;

namespace {
/// 16 by 16 pixels of 32 channels in and 48 out, 3 by 3 cells: 3 blocks of
/// filters, 2 of channels, 16 of pixels.
Conv convByHand() {
  Conv c;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = 16;
  c.inChannels = 32, c.outChannels = 48;
  c.kernelY = c.kernelX = 3;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  return c;
}

/// What each term must be; `exposed` of weights and of the last results.
struct Terms {
  uint64_t compute, readBytes, writtenBytes, sram, exposed;
};
template <typename Command>
void expectCost(const Command &command, const Terms &t) {
  CommandCost cost = costOf(command, x2());
  EXPECT_EQ(cost.computeCycles, t.compute);
  EXPECT_EQ(cost.sramReadBytes, t.readBytes);
  EXPECT_EQ(cost.sramWrittenBytes, t.writtenBytes);
  EXPECT_EQ(cost.sramCycles, t.sram); // (read + written) / 512, up
  EXPECT_EQ(cost.exposedCycles, t.exposed);
  EXPECT_EQ(cost.startCycles, 20u);
  EXPECT_EQ(cost.ddrCycles, 0u);
  EXPECT_EQ(cost.aloneCycles(), 20 + std::max(t.compute, t.sram) + t.exposed);
}

/// One axis of a copy: its length and both strides in bytes.
struct CopyAxis {
  uint32_t size;
  int64_t from, to;
};
Copy copyByHand(uint32_t elementBytes, uint32_t fromRegion, uint32_t toRegion,
                std::array<CopyAxis, 3> axes) {
  Copy c;
  c.elementBytes = uint8_t(elementBytes);
  c.srcRegion = uint8_t(fromRegion), c.dstRegion = uint8_t(toRegion);
  c.size0 = axes[0].size, c.size1 = axes[1].size, c.size2 = axes[2].size;
  c.size3 = c.size4 = 1;
  c.srcStride0 = int32_t(axes[0].from), c.dstStride0 = int32_t(axes[0].to);
  c.srcStride1 = int32_t(axes[1].from), c.dstStride1 = int32_t(axes[1].to);
  c.srcStride2 = int32_t(axes[2].from), c.dstStride2 = int32_t(axes[2].to);
  return c;
}
/// Cycles of the bus and of the SRAM's port, and all of them alone.
void expectCopy(const Copy &copy, uint64_t ddr, uint64_t port, uint64_t alone) {
  CommandCost cost = costOf(copy, x2());
  EXPECT_EQ(cost.ddrCycles, ddr);
  EXPECT_EQ(cost.sramCycles, port);
  EXPECT_EQ(cost.computeCycles + cost.exposedCycles, 0u);
  EXPECT_EQ(cost.startCycles, ddr ? 116u : 16u);
  EXPECT_EQ(cost.aloneCycles(), alone);
}
constexpr uint32_t kSram = kSramRegion, kDdr = 3;
} // namespace

TEST(CostByHand, ConvOfEachType) {
  // 3 * 9 * 2 * 16 cycles. Each block of filters reads 256 pixels of 9 cells of
  // 32 channels; 48 filters of 288 bytes; 48 biases. 16 filters come first, 256
  // pixels of 16 channels go last.
  Conv c = convByHand();
  expectCost(c, {864, 221184 + 13824 + 192, 12288, 484, 9 + 8});
  Conv packed = c;
  packed.packedWeights = true; // 4 bits: half the weights, the same cycles
  expectCost(packed, {864, 221184 + 6912 + 192, 12288, 470, 5 + 8});
  c.inType = c.outType = ElementType::I16; // twice the input, 128 pixels last
  expectCost(c, {1728, 442368 + 13824 + 192, 24576, 940, 9 + 8});
  c.weightType = ElementType::I16;
  expectCost(c, {3456, 442368 + 27648 + 192, 24576, 967, 18 + 8});
  c.wideBias = true;
  expectCost(c, {3456, 442368 + 27648 + 384, 24576, 967, 18 + 8});
  // Unsigned bytes, results of 32 bits.
  c = convByHand();
  c.inType = ElementType::U8, c.outType = ElementType::I32;
  expectCost(c, {864, 235200, 49152, 556, 9 + 32});
}

TEST(CostByHand, ConvOfEachForm) {
  // Multipliers, shifts and slopes: 2 + 1 + 2 bytes a channel.
  Conv c = convByHand();
  c.perChannel = true;
  c.activation = Activation::PRelu;
  expectCost(c, {864, 235200 + 240, 12288, 484, 17});
  // Four groups of 8 and 12 channels: 4 * 9 * 16 cycles.
  c = convByHand();
  c.groups = 4;
  expectCost(c, {576, 73728 + 3456 + 192, 12288, 176, 2 + 8});
  // A second tensor, and a table of 256 bytes.
  c = convByHand();
  c.hasResidual = c.hasLut = true;
  c.lutLog2Items = 8;
  expectCost(c, {864, 235200 + 256 + 12288, 12288, 508, 17});
  // Partial sums of 4 bytes, of which 256 * 16 go last.
  c = convByHand();
  c.accumulateOut = true;
  expectCost(c, {864, 221184 + 13824, 49152, 555, 9 + 32});
  c.accumulateIn = true;
  expectCost(c, {864, 221184 + 13824 + 49152, 49152, 651, 9 + 32});
  // Filters of 4,608 bytes: again for each of 4 sets of 256 pixels.
  c = convByHand();
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = 32;
  c.inChannels = 512, c.outChannels = 16;
  expectCost(c, {18432, 4718592 + 4 * 73728 + 64, 16384, 9825, 128 + 8});
}

TEST(CostByHand, Depthwise) {
  // 16 rows of 3 kernel rows, of 4 blocks of channels, of 18 columns in 2
  // steps; every column is read once for a kernel row.
  Conv c = convByHand();
  c.depthwise = true;
  c.inChannels = c.outChannels = 64;
  expectCost(c, {384, 48 * 18 * 64 + 576 + 256, 16384, 142, 8});
  c.inType = c.outType = ElementType::I16;
  expectCost(c, {768, 2 * 48 * 18 * 64 + 576 + 256, 32768, 282, 8});
  // 15 pixels of 5 columns: windows, of 9 cells, 4 blocks of channels and 1 of
  // pixels. Each reads all of its cells.
  c = convByHand();
  c.depthwise = true;
  c.inChannels = c.outChannels = 64;
  c.outHeight = 3, c.outWidth = 5;
  expectCost(c, {36, 15 * 9 * 64 + 576 + 256, 960, 21, 1});
}

TEST(CostByHand, WinogradOfOneAxis) {
  // 56 by 56 of 64 channels, 2 columns a tile: 1,568 tiles of 12 taps. 16
  // filters of 768 bytes come first, then 12 cells of 16 channels of 16 tiles,
  // and 4 cycles of transforms; the accumulators hold 21 tiles.
  Conv c = convByHand();
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = 56;
  c.inChannels = c.outChannels = 64;
  c.winograd = WinogradMode::F2_3;
  expectCost(c, {4 * 12 * 4 * 98, 4ull * 1568 * 12 * 64 + 64 * 768 + 256,
                 200704, 9897, 24 + 6 + 4 + 2});
}

TEST(CostByHand, MatMulOfEachType) {
  MatMul m;
  m.batch = 2, m.rows = 16, m.inner = 48, m.columns = 32;
  m.aType = m.outType = ElementType::I16;
  expectCost(m, {24, 2 * (16 * 48 * 2 * 2 + 48 * 32), 2048, 22, 2 + 1});
  m.bType = ElementType::I16;
  expectCost(m, {48, 2 * (16 * 48 * 2 * 2 + 48 * 32 * 2), 2048, 28, 3 + 1});
  m.aType = m.outType = ElementType::I8;
  expectCost(m, {24, 2 * (16 * 48 * 2 + 48 * 32 * 2), 1024, 20, 3 + 1});
  // Columns of 8,192 bytes: again for each of 2 sets of 256 rows.
  MatMul large;
  large.batch = 1, large.rows = 512, large.inner = 8192, large.columns = 16;
  expectCost(large, {16384, 512 * 8192 + 2 * 131072, 8192, 8720, 128 + 8});
}

TEST(CostByHand, PoolOfEachType) {
  Pool p;
  p.inHeight = p.inWidth = p.outHeight = p.outWidth = 32;
  p.inChannels = p.outChannels = 64;
  p.kernelY = p.kernelX = 3;
  p.strideY = p.strideX = 1;
  for (PoolMethod method : {PoolMethod::Max, PoolMethod::Avg}) {
    p.method = method;
    p.inType = p.outType = ElementType::U8;
    expectCost(p, {2304, 1024 * 9 * 64, 65536, 1280, 8});
    p.inType = p.outType = ElementType::U16;
    expectCost(p, {4608, 2 * 1024 * 9 * 64, 131072, 2560, 8});
    p.outType = ElementType::I8;
    expectCost(p, {4608, 2 * 1024 * 9 * 64, 65536, 2432, 4});
  }
  // Wide reciprocals: 2 cycles for each of 256 vectors, and for each of the
  // last 16 one more.
  p.kernelY = p.kernelX = 1;
  p.inType = ElementType::I8;
  p.wideScale = true;
  expectCost(p, {512, 65536, 65536, 256, 16 + 8});
  p.method = PoolMethod::Max; // has none
  expectCost(p, {256, 65536, 65536, 256, 8});
}

TEST(CostByHand, CopiesOfEachForm) {
  // Fills read nothing: 4,096 bytes at 32 a cycle; 4 rows of 1,000 are 16
  // bursts each.
  Copy fill =
      copyByHand(1, kDdr, kSram, {{{4096, 1, 1}, {1, 0, 0}, {1, 0, 0}}});
  fill.fill = true;
  expectCopy(fill, 0, 128, 16 + 128);
  fill =
      copyByHand(1, kSram, kDdr, {{{1000, 1, 1}, {4, 1024, 1024}, {1, 0, 0}}});
  fill.fill = true;
  expectCopy(fill, 128, 0, 116 + 128);
  // From DDR to DDR both go over the bus.
  expectCopy(copyByHand(1, kDdr, kDdr, {{{4096, 1, 1}, {1, 0, 0}, {1, 0, 0}}}),
             256, 0, 116 + 256);
  // 1,000 scattered bytes take a bank's turn each, 16 of which are at once.
  expectCopy(
      copyByHand(1, kSram, kSram, {{{1000, 64, 1}, {1, 0, 0}, {1, 0, 0}}}), 0,
      63, 16 + 63);
  // 100 words 256 bytes apart are a burst each.
  expectCopy(
      copyByHand(4, kDdr, kSram, {{{100, 256, 4}, {1, 0, 0}, {1, 0, 0}}}), 200,
      13, 116 + 200);
  expectCopy(
      copyByHand(8, kSram, kDdr, {{{100, 8, 256}, {1, 0, 0}, {1, 0, 0}}}), 200,
      25, 116 + 200);
  // An element that is repeated is read once, 10 of them are a burst; rows that
  // are repeated are read 10 times.
  expectCopy(copyByHand(1, kDdr, kSram, {{{64, 0, 1}, {10, 1, 64}, {1, 0, 0}}}),
             2, 20, 116 + 20);
  expectCopy(copyByHand(1, kDdr, kSram, {{{64, 1, 1}, {10, 0, 64}, {1, 0, 0}}}),
             20, 20, 116 + 20);
  // A tile of 8 rows of 8 pixels of 16 channels of a wider image: rows of 128
  // bytes, 2 bursts each. Of 2 bytes: 4.
  expectCopy(
      copyByHand(1, kDdr, kSram, {{{16, 1, 1}, {8, 16, 16}, {8, 1024, 128}}}),
      32, 32, 116 + 32);
  expectCopy(
      copyByHand(2, kDdr, kSram, {{{16, 2, 2}, {8, 32, 32}, {8, 2048, 256}}}),
      64, 64, 116 + 64);
}
