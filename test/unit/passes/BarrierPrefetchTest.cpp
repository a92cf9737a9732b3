//===- BarrierPrefetchTest.cpp - Loads in front of barriers ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Constants are loaded before the barrier in front of their use, on the core
// that uses them, and the verifiers of plan and schedule see where that is
// wrong.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Commands.h"
#include "dialects/npu/Npu.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/plan/Plan.h"
#include "passes/schedule/Schedule.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;

namespace {

constexpr unsigned kInBytes = 20 * 20 * 64, kOutBytes = 12 * 12 * 64;

std::string buffer(const std::string &name, unsigned region, unsigned bytes) {
  return "%" + name + " = npu.buffer {buffer_name = \"" + name +
         "\", region = " + std::to_string(region) +
         " : i64, size_bytes = " + std::to_string(bytes) + " : i64}\n";
}

std::string copy(const std::string &from, const std::string &to, unsigned bytes,
                 bool isStore) {
  return "\"npu.copy\"(%" + from + ", %" + to +
         ") <{dstStride0 = 1 : i64, elementBytes = 1 : i64, "
         "operandSegmentSizes = array<i32: 1, 1>, " +
         (isStore ? "queue = #npu.unit<\"DMA store\">, " : "") +
         "size0 = " + std::to_string(bytes) +
         " : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = "
         "1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : "
         "(!npu.buffer, !npu.buffer) -> ()\n";
}

/// A window of 9x9 over 20x20 pixels: 2,916 cycles, and 800 to load its input.
std::string pool(const std::string &from, const std::string &to) {
  return "\"npu.pool\"(%" + from + ", %" + to +
         ") <{inChannels = 64 : i64, inHeight = 20 : i64, inPixelStride = 64 "
         ": i64, inRowStride = 1280 : i64, inWidth = 20 : i64, kernelX = 9 : "
         "i64, kernelY = 9 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, "
         "outChannels = 64 : i64, outHeight = 12 : i64, outPixelStride = 64 : "
         "i64, outRowStride = 768 : i64, outWidth = 12 : i64, strideX = 1 : "
         "i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, "
         "!npu.buffer) -> ()\n";
}

/// Two cores compute from an input, then from constants.
class BarrierPrefetch : public ::testing::Test {
protected:
  void SetUp() override {
    DiagnosticEngine diags;
    machine = isa::findTarget("X2_1204", diags).value();
    machine.cores = 2;
    context.loadDialect<NpuDialect, mlir::func::FuncDialect>();
    std::string buffers, divisions;
    unsigned region = 3;
    for (std::string division : {"first", "second"}) {
      bool isFirst = division == "first";
      divisions += "npu.cores {\n";
      for (std::string core : {"0", "1"}) {
        std::string in = division + "In" + core, a = division + "A" + core,
                    b = division + "B" + core, out = division + "Out" + core;
        buffers += buffer(in, isFirst ? region++ : 1, kInBytes);
        buffers += buffer(out, region++, kOutBytes);
        buffers += buffer(a, 0, kInBytes) + buffer(b, 0, kOutBytes);
        divisions += copy(in, a, kInBytes, false) + pool(a, b) +
                     copy(b, out, kOutBytes, true);
        divisions += core == "0" ? "}, {\n" : "}\n";
      }
    }
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "module { func.func @npu_main() {\n" + buffers + divisions +
            "return } }",
        &context);
    ASSERT_TRUE(module);
  }

  void plan(Prefetch prefetch) {
    ASSERT_TRUE(planMemory(*module, machine, {.prefetch = prefetch}));
    scheduleWaits(*module, machine);
    EXPECT_EQ(verifyPlan(*module, machine), "");
    EXPECT_EQ(verifySchedule(*module, machine), "");
  }
  mlir::func::FuncOp main() {
    return module->lookupSymbol<mlir::func::FuncOp>(kMainFunction);
  }
  std::vector<CoresOp> divisions() {
    auto ops = main().getOps<CoresOp>();
    return {ops.begin(), ops.end()};
  }
  static BufferOp bufferOf(CopyOp copy, bool isWrite) {
    for (const Access &a : accessesOf(copy))
      if (a.isWrite == isWrite)
        return a.buffer.getDefiningOp<BufferOp>();
    return {};
  }
  /// The loads of constants in a part.
  std::vector<CopyOp> constantLoads(CoresOp division, unsigned part) {
    std::vector<CopyOp> loads;
    mlir::Region &region = division.getParts()[part];
    for (CopyOp op : region.getOps<CopyOp>())
      if (bufferOf(op, /*isWrite=*/false).getRegion() == 1)
        loads.push_back(op);
    return loads;
  }

  mlir::MLIRContext context;
  isa::Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_F(BarrierPrefetch, LoadsStayInTheirBlock) {
  plan(Prefetch::WhereRoom);
  for (unsigned part : {0, 1}) {
    EXPECT_EQ(constantLoads(divisions()[0], part).size(), 0u);
    EXPECT_EQ(constantLoads(divisions()[1], part).size(), 1u);
  }
}

TEST_F(BarrierPrefetch, ConstantsComeBeforeTheBarrierOnTheirCore) {
  plan(Prefetch::AcrossBarriers);
  for (unsigned part : {0, 1}) {
    ASSERT_EQ(constantLoads(divisions()[0], part).size(), 1u);
    EXPECT_EQ(constantLoads(divisions()[1], part).size(), 0u);
    // Behind the loads of the block itself.
    CopyOp load = constantLoads(divisions()[0], part)[0];
    EXPECT_EQ(bufferOf(load, /*isWrite=*/true).getBufferName(),
              "secondA" + std::to_string(part));
    EXPECT_NE(&divisions()[0].getParts()[part].front().front(),
              load.getOperation());
  }
}

TEST_F(BarrierPrefetch, InputsWaitForTheBarrier) {
  for (BufferOp op : main().getOps<BufferOp>())
    if (op.getRegion() == 1)
      op.setRegion(2); // another core may have written it
  plan(Prefetch::AcrossBarriers);
  for (unsigned part : {0, 1})
    EXPECT_EQ(
        llvm::range_size(divisions()[0].getParts()[part].getOps<CopyOp>()), 2u);
}

TEST_F(BarrierPrefetch, ALoadOnAnotherCoreIsFound) {
  plan(Prefetch::AcrossBarriers);
  CopyOp load = constantLoads(divisions()[0], 0)[0];
  load->moveBefore(&divisions()[0].getParts()[1].front().front());
  EXPECT_NE(verifyPlan(*module, machine).find("more than one core uses it"),
            std::string::npos);
}

TEST_F(BarrierPrefetch, MemoryThatIsUsedAgainBeforeTheBarrierIsFound) {
  plan(Prefetch::AcrossBarriers);
  CopyOp load = constantLoads(divisions()[0], 0)[0];
  BufferOp kept = bufferOf(load, /*isWrite=*/true);
  for (BufferOp op : main().getOps<BufferOp>())
    if (op.getBufferName() == "secondB0")
      op.setAddress(*kept.getAddress());
  EXPECT_NE(verifyPlan(*module, machine).find("overlaps"), std::string::npos);
}
