//===- StepperTest.cpp - Looking at a run on its way ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Stepper.h"
#include "runtime/SimulatedDevice.h"
#include "runtime/TecInspector.h"
#include "test/unit/runtime/SmallExecutable.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
class StepperTest : public ::testing::Test {
protected:
  void SetUp() override {
    model = Executable::parse(bytes, "small.bin", diags);
    ASSERT_TRUE(model);
    session = simulatedSession(model, {.timed = true}, diags);
    ASSERT_TRUE(session);
    for (size_t i = 0; i < SmallExecutable::kInputBytes; ++i)
      input.push_back(std::byte(uint8_t(3 * i)));
    ASSERT_TRUE(session->setInput(0, input, diags));
  }
  bool run(Stepper::StopFn stop) {
    stepper.emplace(*model, session->programAddress(), conditions,
                    std::move(stop));
    session->device().observe(&*stepper);
    bool isDone = session->run(diags);
    session->device().observe(nullptr);
    return isDone;
  }
  std::vector<std::byte> output() {
    auto bytes = session->output(0);
    return {bytes.begin(), bytes.end()};
  }

  DiagnosticEngine diags;
  std::string bytes = SmallExecutable().build();
  std::shared_ptr<const Executable> model;
  std::unique_ptr<Session> session;
  std::vector<std::byte> input;
  StopConditions conditions;
  std::optional<Stepper> stepper;
};
} // namespace

TEST_F(StepperTest, AStoppedRunIsTheSameRun) {
  ASSERT_TRUE(session->run(diags));
  std::vector<std::byte> expected = output();
  uint64_t cycles = session->counters().cycles;
  for (StepUnit unit : {StepUnit::Command, StepUnit::Instruction}) {
    unsigned stops = 0;
    conditions.step(unit);
    ASSERT_TRUE(run([&](const RunPoint &, StopReason) {
      ++stops;
      conditions.step(unit);
      return true;
    }));
    EXPECT_GE(stops, 3u);
    EXPECT_EQ(output(), expected);
    EXPECT_EQ(session->counters().cycles, cycles);
  }
}

TEST_F(StepperTest, ReportsCommandsInTheirOrder) {
  std::vector<CommandId> seen;
  conditions.step(StepUnit::Command);
  ASSERT_TRUE(run([&](const RunPoint &point, StopReason) {
    EXPECT_NE(point.isInstruction, point.descriptor != nullptr);
    seen.push_back(*point.command);
    conditions.step(StepUnit::Command);
    return true;
  }));
  EXPECT_EQ(seen, (std::vector<CommandId>{{isa::Unit::Tec, 0},
                                          {isa::Unit::DmaLoad, 0},
                                          {isa::Unit::DmaLoad, 1},
                                          {isa::Unit::DmaStore, 0}}));
  EXPECT_EQ(stepper->doneBy(isa::Unit::DmaLoad), 2u);
}

// The SRAM has what commands before the stop have put there, no more.
TEST_F(StepperTest, ShowsMemoryAsItIsThere) {
  conditions.add(
      {.kind = Breakpoint::Command, .command = {isa::Unit::DmaLoad, 1}});
  unsigned stops = 0;
  ASSERT_TRUE(run([&](const RunPoint &point, StopReason reason) {
    ++stops;
    EXPECT_EQ(reason.kind, StopReason::Breakpoint);
    auto sram = stepper->read(point.core, isa::kSramBaseAddress, input.size());
    EXPECT_TRUE(std::ranges::equal(sram, input));
    auto after = stepper->read(
        point.core, isa::kSramBaseAddress + uint32_t(input.size()), 1);
    EXPECT_EQ(after[0], std::byte(0));
    EXPECT_TRUE(stepper->read(point.core, 0xffffff00, 4096).empty());
    RunTensors::Contents contents = stepper->look(0, point.core);
    EXPECT_EQ(contents.state, RunTensors::State::Whole);
    EXPECT_TRUE(std::ranges::equal(contents.bytes, input));
    return true;
  }));
  EXPECT_EQ(stops, 1u);
}

TEST_F(StepperTest, EndsWhereItIsReported) {
  conditions.step(StepUnit::Command, 3);
  EXPECT_FALSE(run([](const RunPoint &, StopReason) { return false; }));
  EXPECT_TRUE(session->isStopped());
  EXPECT_FALSE(diags.hasErrors());
  EXPECT_EQ(stepper->doneBy(isa::Unit::DmaLoad), 1u);
}

TEST_F(StepperTest, KeepsRegistersOfEndedTasks) {
  ASSERT_TRUE(run([](const RunPoint &, StopReason) { return true; }));
  ASSERT_GE(stepper->numTecs(), 1u);
  std::optional<TecRegisters> registers = stepper->registersOf(0);
  ASSERT_TRUE(registers);
  EXPECT_NE(registers->x[10], 0u) << "its parameter block";
  EXPECT_FALSE(stepper->registersOf(99));
}

// The program has one step, and reports the eighth.
TEST(TecInspector, StepsThatThereAreNotAreOfNoLayer) {
  SmallExecutable small;
  small.instead.endUnlessTask0();
  small.instead.beginStep(8);
  for (int i = 0; i < 100; ++i)
    small.instead.addi(Program::T0, Program::T0, 1);
  small.instead.end();
  std::string bytes = small.build();
  DiagnosticEngine diags;
  auto model = Executable::parse(bytes, "small.bin", diags);
  ASSERT_TRUE(model);
  auto session = simulatedSession(model, {.timed = true}, diags);
  ASSERT_TRUE(session);
  std::vector<std::byte> input(SmallExecutable::kInputBytes);
  ASSERT_TRUE(session->setInput(0, input, diags));
  TecInspector inspector(*model, session->programAddress());
  inspector.countCycles();
  session->device().observe(&inspector);
  ASSERT_TRUE(session->run(diags));
  session->device().observe(nullptr);
  EXPECT_NE(inspector.profileText(80).find("(no layer)"), std::string::npos)
      << inspector.profileText(80);
}
