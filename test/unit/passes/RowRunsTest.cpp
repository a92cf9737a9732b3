//===- RowRunsTest.cpp - Layers that cores compute row by row -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/RowRuns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow;
using namespace yarrow::npu;

namespace {

/// Values that stand for tensors: arguments of a block.
class RowRuns : public ::testing::Test {
protected:
  mlir::Value newValue() {
    return block.addArgument(mlir::Float32Type::get(&context),
                             mlir::UnknownLoc::get(&context));
  }
  /// A convolution of a square kernel, padded so that rows keep their number
  /// or are halved.
  RowLayer &addConv(mlir::Value input, uint32_t inH, uint32_t kernel,
                    uint32_t stride) {
    RowLayer &layer = layers.emplace_back();
    layer.kind = RowLayer::Kind::Conv;
    layer.conv = std::make_unique<ConvLayer>();
    ConvLayer &c = *layer.conv;
    c.inH = inH, c.outH = llvm::divideCeil(inH, stride);
    c.inW = c.outW = 32, c.inC = c.outC = 64;
    c.base.kernelY = c.base.kernelX = uint16_t(kernel);
    c.base.strideY = uint16_t(stride), c.base.strideX = 1;
    c.base.padTop = c.base.padLeft = int32_t(kernel / 2);
    c.tileStep = stride, c.tileSpan = kernel;
    c.filterElements = uint64_t(kernel) * kernel * c.inC;
    layer.height = c.outH;
    layer.rowBytes = uint64_t(c.outW) * c.outC;
    layer.weightBytes = c.filterElements * c.outC;
    uint64_t inRow = uint64_t(c.inW) * c.inC;
    layer.reads = {{input, inH * inRow, inRow, /*isAligned=*/false}};
    layer.result = newValue();
    layer.lastReader = layers.size(); // the next one
    layer.firstTogether = layer.lastTogether = layers.size() - 1;
    return layer;
  }
  /// A run of all layers; the last result is read behind it.
  CorePart all() {
    layers.back().lastReader = SIZE_MAX;
    return {CorePart::Kind::Run, 0, layers.size() - 1};
  }

  mlir::MLIRContext context;
  mlir::Block block;
  std::vector<RowLayer> layers;
};

isa::Machine machineOf(const char *target) {
  DiagnosticEngine diags;
  return isa::findTarget(target, diags).value();
}

} // namespace

TEST_F(RowRuns, CoresOwnAllRowsOnce) {
  for (uint32_t height : {3, 7, 14, 28, 55, 113})
    for (uint32_t cores : {2, 3, 4}) {
      uint32_t next = 0;
      for (uint32_t core = 0; core < cores; ++core) {
        Rows own = ownRows(height, core, cores);
        EXPECT_EQ(own.begin, next);
        next = own.end;
      }
      EXPECT_EQ(next, height);
    }
}

TEST_F(RowRuns, HalosGrowTowardsTheFirstLayer) {
  mlir::Value input = newValue();
  mlir::Value a = addConv(input, 30, 3, 1).result;
  mlir::Value b = addConv(a, 30, 3, 1).result;
  mlir::Value c = addConv(b, 30, 1, 1).result;
  RunRows rows = rowsOfRun(layers, all(), /*core=*/1, /*cores=*/3);
  EXPECT_EQ(rows.lookup(c), (Rows{10, 20}));
  EXPECT_EQ(rows.lookup(b), (Rows{10, 20}));
  EXPECT_EQ(rows.lookup(a), (Rows{9, 21}));
  EXPECT_EQ(rows.lookup(input), (Rows{8, 22}));
  // There is nothing above the first row.
  EXPECT_EQ(rowsOfRun(layers, all(), 0, 3).lookup(input), (Rows{0, 12}));
}

TEST_F(RowRuns, WhatIsReadBehindTheRunIsMadeByItsOwner) {
  mlir::Value input = newValue();
  addConv(input, 28, 1, 1).lastReader = SIZE_MAX;
  mlir::Value a = layers[0].result;
  addConv(a, 28, 3, 2);
  // Of 14 rows core 2 has the last 4, which see 9; its part of `a` is 9 rows,
  // the first of which is another one.
  RunRows rows = rowsOfRun(layers, all(), 2, 3);
  EXPECT_EQ(rows.lookup(layers[1].result), (Rows{10, 14}));
  EXPECT_EQ(rows.lookup(a), (Rows{19, 28}));
}

/// Every row that a window sees is there.
TEST_F(RowRuns, RandomChainsHaveAllThatTheyRead) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    layers.clear();
    mlir::Value value = newValue();
    uint32_t height = 40 + random() % 40;
    for (unsigned n = 1 + random() % 8; n > 0; --n) {
      uint32_t stride = height > 12 ? 1 + random() % 2 : 1;
      RowLayer &layer = addConv(value, height, 1 + 2 * (random() % 3), stride);
      if (random() % 4 == 0)
        layer.lastReader = SIZE_MAX;
      value = layer.result, height = layer.height;
    }
    uint32_t cores = 2 + random() % 3;
    CorePart run = all();
    for (uint32_t core = 0; core < cores; ++core) {
      RunRows rows = rowsOfRun(layers, run, core, cores);
      for (const RowLayer &layer : layers) {
        Rows made = rows.lookup(layer.result);
        Rows own = ownRows(layer.height, core, cores);
        EXPECT_LE(made.end, layer.height);
        if (layer.lastReader == SIZE_MAX)
          EXPECT_EQ(made.hull(own), made);
        Rows read = rows.lookup(layer.reads[0].value);
        Rows seen = rowsUnder(layer, layer.reads[0], made);
        EXPECT_EQ(read.hull(seen), read);
      }
    }
  }
}

TEST_F(RowRuns, LongRunsHaveOneBarrier) {
  isa::Machine machine = machineOf("X2_1204MP3");
  mlir::Value value = newValue();
  for (int i = 0; i < 6; ++i)
    value = addConv(value, 112, i % 2 ? 3 : 1, 1).result;
  all();
  auto never = [](const RowLayer &) { return std::optional<PartCycles>(); };
  std::vector<CorePart> parts = findParts(layers, {.cores = 3}, machine, never);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].kind, CorePart::Kind::Run);
}

TEST_F(RowRuns, WeightsThatAllCoresLoadCountForEach) {
  isa::Machine machine = machineOf("X2_1204MP3");
  mlir::Value value = newValue();
  for (int i = 0; i < 4; ++i) {
    RowLayer &layer = addConv(value, 7, 3, 1);
    layer.weightBytes = 2 << 20; // much more than its rows take
    value = layer.result;
  }
  all();
  auto never = [](const RowLayer &) { return std::optional<PartCycles>(); };
  std::vector<CorePart> parts = findParts(layers, {.cores = 3}, machine, never);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].kind, CorePart::Kind::Alone);
}

TEST_F(RowRuns, PartsFollowOneAnother) {
  isa::Machine machine = machineOf("X2_1204MP3");
  mlir::Value value = newValue();
  for (int i = 0; i < 4; ++i) {
    RowLayer &layer = addConv(value, 7, 3, 1);
    layer.weightBytes = 2 << 20;
    value = layer.result;
  }
  all();
  // Cores that divide the weights take hardly anything.
  auto cheap = [](const RowLayer &) {
    return std::optional(PartCycles{.core = 1, .bus = 1});
  };
  std::vector<CorePart> parts = findParts(layers, {.cores = 3}, machine, cheap);
  ASSERT_EQ(parts.size(), layers.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].kind, CorePart::Kind::Divided);
    EXPECT_EQ(parts[i].first, i);
    EXPECT_EQ(parts[i].last, i);
  }
}

TEST_F(RowRuns, BranchesAndTheirConcatStayTogether) {
  isa::Machine machine = machineOf("X2_1204MP3");
  mlir::Value value = newValue();
  for (int i = 0; i < 6; ++i)
    value = addConv(value, 56, 3, 1).result;
  for (size_t i : {1, 2, 3})
    layers[i].firstTogether = 1, layers[i].lastTogether = 3;
  all();
  auto never = [](const RowLayer &) { return std::optional<PartCycles>(); };
  for (const CorePart &part : findParts(layers, {.cores = 3}, machine, never))
    if (part.kind == CorePart::Kind::Run) {
      EXPECT_TRUE(part.first <= 1 || part.first > 3);
      EXPECT_TRUE(part.last < 1 || part.last >= 3);
    }
}
