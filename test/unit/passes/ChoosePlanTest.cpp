//===- ChoosePlanTest.cpp - The plan that is ready first ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/ChoosePlan.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "dialects/npu/Target.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lower/Lower.h"
#include "passes/plan/Plan.h"
#include "passes/schedule/Schedule.h"
#include "passes/schedule/Timeline.h"
#include "test/unit/passes/WinogradLayer.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;
using yarrow::testing::Random;
using yarrow::testing::WinogradLayer;

namespace {

/// A convolution, lowered as the passes hand it to the search for a plan.
class Lowered {
public:
  /// A machine with \p cores cores has a slow array, so that it pays to divide.
  Lowered(uint32_t side, uint32_t channels, uint32_t cores = 0) {
    machine = isa::findTarget("X2_1204", diags).value();
    if (cores != 0) {
      machine.cores = cores;
      machine.macArray.inputLanes = machine.macArray.outputLanes = 4;
      machine.macArray.pixels = 2;
    }
    Random random(7);
    WinogradLayer layer;
    layer.isDirect = true;
    layer.height = layer.width = side;
    layer.channels = layer.outputs = channels;
    layer.fill(random);
    module = layer.parse(context);
    EXPECT_TRUE(
        lowerToNpu(*module, machine, lowerAttempts(true).front(), diags));
  }

  uint64_t cycles() {
    scheduleWaits(*module, machine);
    return estimateCycles(*module, machine);
  }
  uint64_t cyclesOfFirstPlan() {
    EXPECT_TRUE(planMemory(*module, machine, {}));
    return cycles();
  }
  uint64_t cyclesOfChosenPlan() {
    EXPECT_TRUE(choosePlan(*module, machine, "", diags));
    return cycles();
  }
  /// Of the tensor engine, the largest number of output channels.
  uint64_t mostChannels() {
    uint64_t most = 0;
    forEachCommand(func(), [&](mlir::Operation *op) {
      if (auto descriptor = descriptorOf(op))
        if (auto *conv = std::get_if<isa::Conv>(&*descriptor))
          most = std::max<uint64_t>(most, conv->outChannels);
    });
    return most;
  }
  mlir::func::FuncOp func() {
    return module->lookupSymbol<mlir::func::FuncOp>(kMainFunction);
  }
  std::string text() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
  }

  DiagnosticEngine diags;
  mlir::MLIRContext context;
  isa::Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

/// 590 KB of weights and 50 KB of input: computing need not wait for them all.
TEST(ChoosePlan, LoadsWeightsInPartsWhereThatIsFaster) {
  uint64_t first = Lowered(14, 256).cyclesOfFirstPlan();
  Lowered layer(14, 256);
  uint64_t chosen = layer.cyclesOfChosenPlan();
  EXPECT_LT(chosen * 5, first * 4);
  EXPECT_LT(layer.mostChannels(), 256u);
}

TEST(ChoosePlan, LeavesSmallWeightsInOnePiece) {
  Lowered layer(14, 32);
  layer.cyclesOfChosenPlan();
  EXPECT_EQ(layer.mostChannels(), 32u);
}

/// Trials know constants by their sizes; what is kept has the bytes.
TEST(ChoosePlan, KeepsTheBytesOfConstants) {
  Lowered layer(14, 256);
  layer.cyclesOfChosenPlan();
  uint64_t constantBytes = 0;
  for (auto buffer : layer.func().getOps<BufferOp>())
    if (buffer.getRegion() == isa::kWeightRegion) {
      ASSERT_TRUE(buffer.getData());
      constantBytes += buffer.getSizeBytes();
    }
  EXPECT_GE(constantBytes, 9u * 256 * 256);
}

TEST(ChoosePlan, IsTheSameEveryTime) {
  Lowered one(14, 256), other(14, 256);
  one.cyclesOfChosenPlan();
  other.cyclesOfChosenPlan();
  EXPECT_EQ(one.text(), other.text());
}

TEST(ChoosePlan, DividesALayerAmongCores) {
  Lowered one(32, 64, /*cores=*/1), three(32, 64, /*cores=*/3);
  uint64_t alone = one.cyclesOfChosenPlan();
  EXPECT_FALSE(usesCores(one.func()));
  uint64_t together = three.cyclesOfChosenPlan();
  EXPECT_TRUE(usesCores(three.func()));
  EXPECT_LT(together * 2, alone);
  EXPECT_EQ(verifyPlan(*three.module, three.machine), "");
  EXPECT_EQ(verifySchedule(*three.module, three.machine), "");
  EXPECT_EQ(commandBlocks(three.func()).size(), 3u);
}

// Every store of the first core's put where the second one stores first.
TEST(VerifySchedule, WhatCoresHaveInCommon) {
  Lowered net(32, 64, /*cores=*/2);
  net.cyclesOfChosenPlan();
  auto blocks = commandBlocks(net.func());
  ASSERT_EQ(blocks.size(), 2u);
  auto storesOf = [](const CommandBlock &block) {
    std::vector<CopyOp> stores;
    for (mlir::Operation *op : block)
      if (auto copy = mlir::dyn_cast<CopyOp>(op);
          copy && *unitOf(op) == Unit::DmaStore)
        stores.push_back(copy);
    return stores;
  };
  uint64_t ofOther = storesOf(blocks[1]).front().getDst();
  ASSERT_FALSE(storesOf(blocks[0]).empty());
  for (CopyOp store : storesOf(blocks[0])) {
    uint64_t home = store.getDst();
    store.setDst(ofOther);
    EXPECT_NE(verifySchedule(*net.module, net.machine), "");
    store.setDst(home);
  }
  EXPECT_EQ(verifySchedule(*net.module, net.machine), "");
}

TEST(VerifyPlan, NoSramOfTwoCores) {
  Lowered net(32, 64, /*cores=*/2);
  net.cyclesOfChosenPlan();
  auto blocks = commandBlocks(net.func());
  ASSERT_EQ(blocks.size(), 2u);
  auto convOf = [](const CommandBlock &block) {
    return *llvm::find_if(
        block, [](mlir::Operation *op) { return mlir::isa<ConvOp>(op); });
  };
  mlir::Operation *a = convOf(blocks[0]), *b = convOf(blocks[1]);
  EXPECT_EQ(verifyPlan(*net.module, net.machine), "");
  a->setOperand(0, b->getOperand(0));
  EXPECT_NE(verifyPlan(*net.module, net.machine), "");
}
