//===- CascadeBandsTest.cpp - Row bands through several convolutions ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/CascadeBands.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;

/// A square kernel over rows of 64 pixels, with the padding that keeps their
/// number, or halves it.
static void describe(ConvLayer &layer, uint32_t inH, uint32_t kernel,
                     uint32_t stride) {
  layer.inH = inH, layer.outH = inH / stride;
  layer.inW = 64, layer.outW = 64 / stride;
  layer.inC = layer.outC = 16;
  layer.base.kernelY = layer.base.kernelX = kernel;
  layer.base.strideY = layer.base.strideX = stride;
  layer.base.padTop = layer.base.padLeft = int32_t(kernel / 2);
  layer.tileStep = stride, layer.tileSpan = kernel;
  layer.filterElements = uint64_t(kernel) * kernel * layer.inC;
}

static std::vector<std::pair<uint32_t, uint32_t>>
rowsOf(llvm::ArrayRef<OutputPart> parts) {
  std::vector<std::pair<uint32_t, uint32_t>> rows;
  for (const OutputPart &part : parts)
    rows.push_back({part.row, part.rows});
  return rows;
}

using RowPairs = std::vector<std::pair<uint32_t, uint32_t>>;

TEST(CascadeBands, AStageMakesTheRowsThatTheNextOneSees) {
  ConvLayer a, b, c;
  describe(a, 64, 3, 1), describe(b, 64, 3, 1), describe(c, 64, 1, 1);
  CascadeStage stages[] = {{&a, {}}, {&b, {}}, {&c, {}}};
  EXPECT_EQ(rowsOf(partsOf(stages, {0, 16, 16, 0, 16})),
            (RowPairs{{15, 18}, {16, 16}, {16, 16}}));
  // There is nothing above the first row, and below the last one.
  EXPECT_EQ(rowsOf(partsOf(stages, {0, 0, 16, 0, 16})),
            (RowPairs{{0, 17}, {0, 16}, {0, 16}}));
  EXPECT_EQ(rowsOf(partsOf(stages, {0, 48, 16, 0, 16})),
            (RowPairs{{47, 17}, {48, 16}, {48, 16}}));
}

TEST(CascadeBands, StridesMultiplyRows) {
  ConvLayer a, b;
  describe(a, 64, 1, 1), describe(b, 64, 3, 2);
  CascadeStage stages[] = {{&a, {}}, {&b, {}}};
  EXPECT_EQ(rowsOf(partsOf(stages, {0, 8, 8, 0, 16})),
            (RowPairs{{15, 17}, {8, 8}}));
}

TEST(CascadeBands, AreAsLargeAsTheMemoryAllows) {
  isa::Machine machine;
  DiagnosticEngine diags;
  machine = isa::findTarget("X2_1204", diags).value();
  ConvLayer a, b;
  describe(a, 64, 3, 1), describe(b, 64, 3, 1);
  ConvResidents all{
      .isInputInSram = true, .input = true, .output = true, .residual = true};
  CascadeStage stages[] = {{&a, all}, {&b, all}};
  EXPECT_EQ(chooseBands(stages, 1 << 20, machine).rows, 64u);
  // 5 KB of weights, and 18 rows of 1 KB between the two.
  EXPECT_EQ(chooseBands(stages, 24 << 10, machine).rows, 16u);
  EXPECT_EQ(chooseBands(stages, 4 << 10, machine).rows, 0u);
  // More bands compute more rows twice.
  EXPECT_GT(chooseBands(stages, 12 << 10, machine).leastCycles,
            chooseBands(stages, 1 << 20, machine).leastCycles);
}
