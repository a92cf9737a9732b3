//===- ScheduleTest.cpp - Hazards planted into plans and schedules --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The verifiers of plan and schedule see what is wrong, and only that.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/Schedule.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "dialects/npu/Target.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lower/Lower.h"
#include "passes/plan/Plan.h"
#include "test/unit/passes/Hazards.h"
#include "test/unit/passes/WinogradLayer.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;
using yarrow::testing::Epilogue;
using yarrow::testing::hasHazard;
using yarrow::testing::Random;
using yarrow::testing::WinogradLayer;

namespace {

/// A convolution in tiles, with the sum behind it on the TECs.
class Scheduled {
public:
  explicit Scheduled(const std::string &target) {
    DiagnosticEngine diags;
    machine = isa::findTarget(target, diags).value();
    Random random(7);
    WinogradLayer layer;
    layer.isDirect = true;
    layer.height = layer.width = 56, layer.channels = layer.outputs = 128;
    layer.epilogue = Epilogue::Residual;
    layer.fill(random);
    module = layer.parse(context);
    LowerOptions options = lowerAttempts(true).front();
    options.fuseResidual = false;
    EXPECT_TRUE(lowerToNpu(*module, machine, options, diags));
    EXPECT_TRUE(planMemory(*module, machine, {}));
    scheduleWaits(*module, machine);
    for (mlir::Operation &op : func().getBody().front())
      if (unitOf(&op))
        commands.push_back(&op);
  }

  mlir::func::FuncOp func() {
    return module->lookupSymbol<mlir::func::FuncOp>(kMainFunction);
  }

  mlir::MLIRContext context;
  isa::Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::Operation *> commands;
};

TEST(VerifySchedule, EveryWeakenedWait) {
  unsigned planted = 0, hazards = 0;
  for (const char *target : {"Z1_0701", "Z1_0904"}) {
    Scheduled s(target);
    ASSERT_GT(s.commands.size(), 20u);
    EXPECT_EQ(verifySchedule(*s.module, s.machine), "");
    EXPECT_FALSE(hasHazard(s.commands, s.machine));
    for (mlir::Operation *op : s.commands) {
      auto waits = op->getAttrOfType<mlir::DenseI64ArrayAttr>("waits");
      for (unsigned u = 0; waits && u < isa::kNumCounters; ++u) {
        int64_t each = u == unsigned(Unit::Tec) ? s.machine.tecs : 1;
        for (int64_t wrong : {int64_t(0), waits[u] - each, waits[u] + each,
                              waits[u] + 1000 * each}) {
          if (waits[u] == 0 || wrong < 0)
            continue;
          llvm::SmallVector<int64_t> changed(waits.asArrayRef());
          changed[u] = wrong;
          op->setAttr("waits",
                      mlir::DenseI64ArrayAttr::get(&s.context, changed));
          bool isHazard = hasHazard(s.commands, s.machine);
          EXPECT_EQ(!verifySchedule(*s.module, s.machine).empty(), isHazard)
              << target << ", counter " << u << ": " << wrong << " for "
              << waits[u];
          ++planted;
          hazards += isHazard;
        }
      }
      if (waits)
        op->setAttr("waits", waits);
    }
    EXPECT_EQ(verifySchedule(*s.module, s.machine), "");
  }
  EXPECT_GT(hazards, planted / 2);
}

// What every TEC awaits at the end of a block is all of its commands.
TEST(CommandBlocks, TheEnd) {
  Scheduled s("Z1_0904");
  auto blocks = commandBlocks(s.func());
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].size(), s.commands.size());
  isa::Waits end = completionOf(blocks[0], s.machine);
  uint64_t commands = 0;
  for (unsigned u = 0; u < isa::kNumCounters; ++u) {
    bool isTec = u == unsigned(isa::Unit::Tec);
    EXPECT_EQ(end[u] % (isTec ? s.machine.tecs : 1), 0u);
    commands += end[u] / (isTec ? s.machine.tecs : 1);
  }
  EXPECT_EQ(commands, s.commands.size());
}

// Each buffer in use moved to where another one lies while both are in use.
TEST(VerifyPlan, EveryOverlap) {
  Scheduled s("Z1_0701");
  EXPECT_EQ(verifyPlan(*s.module, s.machine), "");
  std::vector<BufferOp> buffers;
  for (auto buffer : s.func().getOps<BufferOp>())
    if (buffer.getRegion() == isa::kSramRegion && !buffer->use_empty())
      buffers.push_back(buffer);
  ASSERT_GT(buffers.size(), 4u);
  llvm::DenseMap<mlir::Operation *, std::pair<size_t, size_t>> lives;
  for (size_t i = 0; i < s.commands.size(); ++i)
    for (mlir::Value v : s.commands[i]->getOperands())
      lives.try_emplace(v.getDefiningOp(), i, i).first->second.second = i;
  unsigned overlaps = 0;
  for (BufferOp moved : buffers)
    for (BufferOp other : buffers) {
      auto [first, last] = lives[moved];
      auto [begin, end] = lives[other];
      if (moved == other || first > end || begin > last)
        continue;
      int64_t home = *moved.getAddress();
      moved.setAddress(*other.getAddress() + other.getSizeBytes() - 1);
      EXPECT_NE(verifyPlan(*s.module, s.machine), "");
      moved.setAddress(home);
      ++overlaps;
    }
  EXPECT_GT(overlaps, 10u);
  EXPECT_EQ(verifyPlan(*s.module, s.machine), "");
}

TEST(VerifyPlan, WithoutPlace) {
  Scheduled s("Z1_0701");
  for (auto buffer : s.func().getOps<BufferOp>()) {
    if (buffer->use_empty())
      continue;
    int64_t home = *buffer.getAddress();
    buffer.removeAddressAttr();
    EXPECT_NE(verifyPlan(*s.module, s.machine), "");
    if (buffer.getRegion() == isa::kSramRegion) {
      buffer.setAddress(s.machine.dataSramBytes() - buffer.getSizeBytes() + 1);
      EXPECT_NE(verifyPlan(*s.module, s.machine), "");
    }
    buffer.setAddress(home);
  }
}

} // namespace
