//===- StopConditionsTest.cpp - Where a run stops -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/StopConditions.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
RunPoint command(uint64_t index, int64_t layer, bool beginsLayer = false) {
  RunPoint point;
  point.command = CommandId{isa::Unit::TensorEngine, index};
  point.layer = layer;
  point.beginsCommand = true;
  point.beginsLayer = beginsLayer;
  return point;
}
RunPoint instruction(uint32_t tec, uint32_t pc, uint32_t stackPointer = 64) {
  RunPoint point;
  point.isInstruction = true;
  point.tec = tec;
  point.pc = pc;
  point.stackPointer = stackPointer;
  return point;
}
} // namespace

TEST(StopConditions, GoesOnUnlessAsked) {
  StopConditions c;
  EXPECT_FALSE(c.check(command(0, 0, true)));
  EXPECT_FALSE(c.check(instruction(0, 4)));
}

TEST(StopConditions, StepsCount) {
  StopConditions c;
  c.step(StepUnit::Command, 2);
  EXPECT_FALSE(c.check(instruction(0, 0)));
  EXPECT_FALSE(c.check(command(0, 0)));
  EXPECT_TRUE(c.check(command(1, 0)));
  EXPECT_FALSE(c.check(command(2, 0))) << "a stop ends the step";
}

TEST(StopConditions, StepsToTheLayerThatBegins) {
  StopConditions c;
  c.step(StepUnit::Layer);
  EXPECT_FALSE(c.check(command(1, 0)));
  EXPECT_TRUE(c.check(command(2, 1, true)));
}

TEST(StopConditions, StepsInstructionsOfOneTec) {
  StopConditions c;
  c.step(StepUnit::Instruction, 1, 2);
  EXPECT_FALSE(c.check(instruction(0, 8)));
  EXPECT_FALSE(c.check(command(0, 0)));
  EXPECT_TRUE(c.check(instruction(2, 8)));
  c.step(StepUnit::Instruction);
  EXPECT_TRUE(c.check(instruction(1, 8)));
}

// Inner calls of a recursion come back to the same place, deeper in the stack.
TEST(StopConditions, StepsOverCalls) {
  StopConditions c;
  c.stepOver(instruction(1, 100, 64));
  EXPECT_FALSE(c.check(instruction(1, 200, 48)));
  EXPECT_FALSE(c.check(instruction(1, 104, 48)));
  EXPECT_FALSE(c.check(instruction(0, 104, 64)));
  EXPECT_TRUE(c.check(instruction(1, 104, 64)));
}

TEST(StopConditions, FinishesAfterTheLastCommand) {
  StopConditions c;
  c.finish(3);
  EXPECT_FALSE(c.check(command(7, 4, true)));
  c.layerDone(2);
  EXPECT_FALSE(c.check(command(8, 4)));
  c.layerDone(3);
  EXPECT_FALSE(c.check(instruction(0, 4))) << "within a step";
  auto reason = c.check(command(9, 4));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->kind, StopReason::Finish);
}

TEST(StopConditions, BreakpointsHitAndCount) {
  StopConditions c;
  unsigned layer = c.add({.kind = Breakpoint::Layer, .layer = 1});
  unsigned at = c.add(
      {.kind = Breakpoint::Command, .command = {isa::Unit::TensorEngine, 5}});
  c.add({.kind = Breakpoint::Address, .address = 0x40});
  EXPECT_FALSE(c.check(command(3, 1))) << "within the layer";
  auto reason = c.check(command(4, 1, true));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->kind, StopReason::Breakpoint);
  EXPECT_EQ(reason->breakpoint, layer);
  EXPECT_EQ(c.check(command(5, 1))->breakpoint, at);
  EXPECT_FALSE(c.check(instruction(0, 0x44)));
  EXPECT_TRUE(c.check(instruction(3, 0x40)));
  EXPECT_TRUE(c.check(instruction(3, 0x40)));
  EXPECT_EQ(c.breakpoints()[2].hits, 2u);
  EXPECT_TRUE(c.erase(at));
  EXPECT_FALSE(c.erase(at));
  EXPECT_FALSE(c.check(command(5, 1)));
  EXPECT_EQ(c.add({}), 4u) << "numbers are not given again";
}

TEST(StopConditions, TemporaryBreakpointsGo) {
  StopConditions c;
  c.add({.kind = Breakpoint::Layer, .layer = 1, .isTemporary = true});
  EXPECT_TRUE(c.check(command(4, 1, true)));
  EXPECT_TRUE(c.breakpoints().empty());
  EXPECT_FALSE(c.check(command(4, 1, true)));
}

TEST(StopConditions, ABreakpointEndsAStep) {
  StopConditions c;
  c.add({.kind = Breakpoint::Layer, .layer = 1});
  c.step(StepUnit::Command, 3);
  EXPECT_FALSE(c.check(command(0, 0)));
  EXPECT_TRUE(c.check(command(1, 1, true)));
  EXPECT_FALSE(c.check(command(2, 1)));
}

TEST(StopConditions, InterruptsAtTheNextPoint) {
  StopConditions c;
  c.interrupt();
  EXPECT_EQ(c.check(instruction(0, 4))->kind, StopReason::Interrupt);
  EXPECT_FALSE(c.check(instruction(0, 8)));
  c.interrupt();
  c.forgetInterrupt();
  EXPECT_FALSE(c.check(instruction(0, 8)));
}
