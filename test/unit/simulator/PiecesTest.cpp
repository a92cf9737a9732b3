//===- PiecesTest.cpp - A command on several threads ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Pieces.h"
#include "simulator/engine/TensorEngine.h"
#include "support/ThreadPool.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;

namespace {

constexpr uint32_t kPiecesSramBytes = 2 << 20, kSize = 60, kPieceChannels = 96;
constexpr uint32_t kImageBytes = kSize * kSize * kPieceChannels;

/// A 3x3 convolution, padded by one, that is worth several threads.
isa::Conv largeConv(bool depthwise) {
  isa::Conv c;
  c.inType = isa::ElementType::U8;
  c.depthwise = depthwise;
  c.groups = c.strideY = c.strideX = c.dilationY = c.dilationX = 1;
  c.kernelY = c.kernelX = 3;
  c.padTop = c.padLeft = 1;
  c.inHeight = c.outHeight = c.inWidth = c.outWidth = kSize;
  c.inChannels = c.inPixelStride = kPieceChannels;
  c.outChannels = c.outPixelStride = kPieceChannels;
  c.inRowStride = c.outRowStride = kSize * kPieceChannels;
  c.output = kImageBytes;
  c.weights = 2 * kImageBytes;
  c.bias = c.weights + kPieceChannels * kPieceChannels * 9;
  c.scale = 1, c.shift = 12;
  c.outMin = -128, c.outMax = 127;
  c.hasResidual = true;
  c.residual = c.output;
  c.residualPixelStride = kPieceChannels;
  c.residualRowStride = c.outRowStride;
  c.mainScale = c.residualScale = 200;
  c.sumScale = 1, c.sumShift = 8;
  c.sumMin = -128, c.sumMax = 127;
  return c;
}

std::vector<uint8_t> resultOf(const isa::Conv &c, unsigned threads,
                              const ByteKernel &kernel) {
  setDefaultThreadCount(threads);
  auto memory = Memory::create(kPiecesSramBytes);
  TensorEngine engine(*memory, {}, &kernel);
  naive::Random r(1);
  r.fill(*memory, 0, kPiecesSramBytes);
  EXPECT_FALSE(engine.execute(c));
  const uint8_t *sram = memory->hostBase() + Memory::kSramBase;
  setDefaultThreadCount(0);
  return {sram, sram + kPiecesSramBytes};
}

} // namespace

TEST(Pieces, ThreadsChangeNoByte) {
  for (const ByteKernel &kernel : byteKernels())
    for (bool depthwise : {false, true}) {
      SCOPED_TRACE(kernel.name);
      isa::Conv c = largeConv(depthwise);
      EXPECT_EQ(resultOf(c, 1, kernel), resultOf(c, 4, kernel));
    }
}

TEST(Pieces, OfOneCommand) {
  setDefaultThreadCount(4);
  isa::Conv c = largeConv(false);
  EXPECT_EQ(piecesOf(c), 7u);
  // What another piece may have written is read.
  c.residual += 1;
  EXPECT_EQ(piecesOf(c), 1u);
  c.residual = 0;
  EXPECT_EQ(piecesOf(c), 7u);
  c.outHeight = 1;
  EXPECT_EQ(piecesOf(c), 1u);
  setDefaultThreadCount(1);
  EXPECT_EQ(piecesOf(largeConv(false)), 1u);
  setDefaultThreadCount(0);
}
