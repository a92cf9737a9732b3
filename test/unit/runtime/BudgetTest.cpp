//===- BudgetTest.cpp - Programs that would never end ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each of these executables is well formed, and asks for hours of work or for
// all of the host's memory. All end at once, and name the layer.
//
//===----------------------------------------------------------------------===//
#include "runtime/SimulatedDevice.h"
#include "support/diagnostics/Simulator.h"
#include "test/TecEncode.h"
#include "test/unit/runtime/SmallExecutable.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::runtime;
using isa::tec::InstId;
using ::testing::HasSubstr;

namespace {
constexpr const char *kOnTensorEngine = R"([[{"layer":1}],[],[]])";
constexpr const char *kOnDmaLoad = R"([[],[{"layer":1}],[]])";

/// A program of task 0 alone.
class Tasks {
public:
  Tasks() { small.instead.endUnlessTask0(); }

  /// Submits the list of one command and awaits it.
  template <typename D> void runs(const D &command, isa::Unit queue) {
    command.encode(small.commands);
    small.queueLayers =
        queue == isa::Unit::TensorEngine ? kOnTensorEngine : kOnDmaLoad;
    Program &p = small.instead;
    loadListAddress();
    p.addi(Program::T1, Program::Zero, D::kLeastWords * 4);
    p.npu(0, uint32_t(queue), Program::T0, Program::T1);
    p.wait(uint32_t(queue), 1);
    p.end();
  }
  void loadListAddress() {
    small.instead.load(Program::T0, Program::A0, isa::ParameterDescriptors * 4);
  }

  /// What a run of it reports.
  Diagnostic problem(uint64_t budget = sim::kDefaultBudget) {
    DiagnosticEngine diags;
    std::string bytes = small.build();
    auto model = Executable::parse(bytes, "small.bin", diags);
    SimulationOptions options;
    options.budget = budget;
    auto session = model ? simulatedSession(model, options, diags) : nullptr;
    if (session) {
      std::vector<std::byte> image(model->inputs()[0].sizeBytes);
      EXPECT_TRUE(session->setInput(0, image, diags));
      EXPECT_FALSE(session->run(diags));
    }
    EXPECT_EQ(diags.all().size(), 1u);
    return diags.all().empty()
               ? Diagnostic{diag::SystemCallUnknown, {}, {}, {}, {}, {}}
               : diags.all()[0];
  }

  SmallExecutable small;
};

void expectOutOfBudget(const Diagnostic &d) {
  EXPECT_EQ(d.id, diag::InstructionLimit) << d.str();
  EXPECT_EQ(d.place.layer, "second");
  EXPECT_THAT(d.str(), HasSubstr("units of work"));
  EXPECT_THAT(d.hintText, HasSubstr("--budget"));
}
} // namespace

TEST(Budget, CopiesOfOneByteOverAndOver) {
  isa::Copy copy = copyBytes(1 << 14, 0, 0, 0, 0);
  copy.size1 = copy.size2 = 1 << 9;
  copy.srcStride0 = copy.dstStride0 = 0;
  Tasks tasks;
  tasks.runs(copy, isa::Unit::DmaLoad);
  expectOutOfBudget(tasks.problem(1'000'000'000));
}

TEST(Budget, WindowsOfFourBillionCells) {
  isa::Pool pool{};
  pool.inHeight = pool.inWidth = pool.kernelY = pool.kernelX = 65535;
  pool.tensorHeight = 65535;
  pool.inChannels = pool.outChannels = 1;
  pool.strideX = pool.strideY = pool.dilationX = pool.dilationY = 1;
  pool.outHeight = 1, pool.outWidth = 8, pool.outPixelStride = 1;
  Tasks tasks;
  tasks.runs(pool, isa::Unit::TensorEngine);
  expectOutOfBudget(tasks.problem());
}

TEST(Budget, ProductsThatNeverEnd) {
  isa::MatMul product{};
  product.rows = product.inner = product.columns = 2048;
  product.batch = 1 << 16; // 2^49 products
  product.outRowStride = 2048;
  product.outMin = -128, product.outMax = 127;
  Tasks tasks;
  tasks.runs(product, isa::Unit::TensorEngine);
  expectOutOfBudget(tasks.problem());
}

// Sizes are compared with memory before anything is estimated or done.
TEST(Budget, ProductsThatDoNotFitAreRefused) {
  isa::MatMul product{};
  product.rows = product.inner = product.columns = 1 << 14;
  product.batch = 1;
  product.outRowStride = 1 << 14;
  Tasks tasks;
  tasks.runs(product, isa::Unit::TensorEngine);
  Diagnostic d = tasks.problem();
  EXPECT_EQ(d.id, diag::SimulatorFault);
  EXPECT_THAT(d.message, HasSubstr("does not fit the SRAM"));
}

TEST(Budget, ALoopOfATec) {
  Tasks tasks;
  tasks.small.instead.loopForever();
  Diagnostic d = tasks.problem(100'000'000);
  EXPECT_EQ(d.id, diag::InstructionLimit);
  EXPECT_EQ(d.place.layer, "first");
  EXPECT_THAT(d.foundText, HasSubstr("pc 0x"));
}

// A vector instruction of 256 elements is not one of a nanosecond.
TEST(Budget, VectorInstructionsCountByElements) {
  Tasks tasks;
  Program &p = tasks.small.instead;
  constexpr int32_t kE8M8 = 3;
  p.word(yarrow::testing::encode(InstId::vsetvli,
                                 {.d = Program::T0, .imm = kE8M8}));
  size_t top = p.here();
  p.word(yarrow::testing::encode(InstId::vdivu_vv, {.d = 24, .s = 16, .t = 8}));
  p.addi(Program::T1, Program::Zero, 1);
  p.loopUnlessZero(Program::T1, top);
  // By instructions alone, it would be a minute.
  Diagnostic d = tasks.problem(100'000'000);
  EXPECT_EQ(d.id, diag::InstructionLimit) << d.str();
}

TEST(Limits, QueuesHoldSoManyLists) {
  Tasks tasks;
  Program &p = tasks.small.instead;
  tasks.loadListAddress();
  p.addi(Program::T1, Program::Zero, 4);
  p.addi(Program::T2, Program::Zero, 1);
  size_t top = p.here();
  p.npu(0, 1, Program::T0, Program::T1);
  p.loopUnlessZero(Program::T2, top);
  Diagnostic d = tasks.problem();
  EXPECT_EQ(d.id, diag::DeviceLimit) << d.str();
  EXPECT_EQ(d.place.layer, "first");
  EXPECT_THAT(d.message, HasSubstr("DMA load queue, which holds 65536"));
}

TEST(Limits, ARunHasSoManySignals) {
  Tasks tasks;
  Program &p = tasks.small.instead;
  p.addi(Program::T2, Program::Zero, 1);
  size_t top = p.here();
  p.signal();
  p.loopUnlessZero(Program::T2, top);
  Diagnostic d = tasks.problem();
  EXPECT_EQ(d.id, diag::DeviceLimit) << d.str();
  EXPECT_THAT(d.message, HasSubstr("more than 1048576 commands and signals"));
}

// An engine writes no more than a TEC what is read only: the code that runs
// would be another than what was checked.
TEST(Limits, CopiesDoNotWriteTheProgram) {
  isa::Copy copy = copyBytes(16, 0, 0, 4, 0);
  Tasks tasks;
  Program &p = tasks.small.instead;
  p.setBase(4, isa::kTextHeaderBytes);
  tasks.runs(copy, isa::Unit::DmaLoad);
  Diagnostic d = tasks.problem();
  EXPECT_EQ(d.id, diag::SimulatorFault) << d.str();
  EXPECT_EQ(d.place.layer, "second");
  EXPECT_THAT(d.message, HasSubstr("the program's text, which is read only"));
}
