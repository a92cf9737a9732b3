//===- DeviceTest.cpp - Programs on the whole device ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator/DeviceFixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::device_test;
using ::testing::HasSubstr;

TEST_F(DeviceTest, AnswersTheRegistersOfTheDriver) {
  EXPECT_EQ(device->readRegister(isa::RegBuildInfo), 0x00010000u);
  EXPECT_EQ(device->readRegister(isa::RegClusterConfig), 0x1104u);
  EXPECT_EQ(device->readRegister(isa::RegPoolStatus) & isa::kStatusIdle,
            isa::kStatusIdle);
  device->writeRegister(isa::RegClusterControl, 0x30000);
  EXPECT_EQ(device->readRegister(isa::RegClusterControl), 0x30000u);
  device->writeRegister(isa::RegCommand, 0x20001);
  EXPECT_EQ(device->readRegister(isa::RegCommand), 0x20000u);
}

TEST_F(DeviceTest, MovesDataThroughSram) {
  Program p;
  p.endUnlessTask0();
  p.setBase(3, kData);
  isa::Copy in = copyBytes(256, 3, 0, 0, 0x100);
  isa::Copy out = copyBytes(256, 0, 0x100, 3, 0x1000);
  out.waits[unsigned(isa::Unit::DmaLoad)] = 1;
  submit(p, isa::Unit::DmaStore, {out});
  submit(p, isa::Unit::DmaLoad, {in});
  p.wait(unsigned(isa::Unit::DmaStore), 1);
  p.end();
  for (uint32_t i = 0; i < 64; ++i)
    put(kData + i * 4, i * 0x01010101);
  EXPECT_EQ(run(p), "");
  EXPECT_EQ(std::memcmp(device->memory().at(kData, 256),
                        device->memory().at(kData + 0x1000, 256), 256),
            0);
  ASSERT_EQ(events.commands.size(), 2u);
  EXPECT_EQ(events.commands[0].queue, isa::Unit::DmaLoad);
  EXPECT_EQ(events.groups, 1u);
}

TEST_F(DeviceTest, SignalsOfAllTecsCount) {
  Program p;
  p.signal();
  p.wait(unsigned(isa::Unit::Tec), 4);
  p.signal();
  p.wait(unsigned(isa::Unit::Tec), 8);
  p.end();
  EXPECT_EQ(run(p), "");
  EXPECT_EQ(events.steps.size(), 8u);
}

// The second list is the first one again, with the same waits: they are of the
// copies that come with it.
TEST_F(DeviceTest, WaitsCountFromTheOrigin) {
  Program p;
  p.endUnlessTask0();
  p.setBase(3, kData);
  isa::Copy in = copyBytes(256, 3, 0, 0, 0x100);
  isa::Copy out = copyBytes(256, 0, 0x100, 3, 0x1000);
  isa::Copy other = copyBytes(256, 3, 0x2000, 3, 0);
  out.waits[unsigned(isa::Unit::DmaLoad)] = 1;
  submit(p, isa::Unit::DmaStore, {out});
  submit(p, isa::Unit::DmaLoad, {in});
  p.wait(unsigned(isa::Unit::DmaStore), 1);
  submit(p, isa::Unit::DmaLoad, {other});
  p.wait(unsigned(isa::Unit::DmaLoad), 2);
  p.setOrigin(unsigned(isa::Unit::DmaLoad), 2);
  submit(p, isa::Unit::DmaStore, {out});
  submit(p, isa::Unit::DmaLoad, {in});
  p.wait(unsigned(isa::Unit::DmaStore), 2);
  p.end();
  for (uint32_t i = 0; i < 64; ++i)
    put(kData + i * 4, i), put(kData + 0x2000 + i * 4, 1000 + i);
  EXPECT_EQ(run(p), "");
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t found = 0;
    device->memory().read(kData + 0x1000 + i * 4, &found, 4);
    EXPECT_EQ(found, 1000 + i);
  }
}

TEST_F(DeviceTest, OriginsAreOfCounters) {
  Program p;
  p.endUnlessTask0();
  p.setOrigin(4, 1);
  p.end();
  EXPECT_THAT(run(p), HasSubstr("npu.setorigin of counter 4"));
}

TEST_F(DeviceTest, AProgramMayReportItsSteps) {
  Program p;
  p.endUnlessTask0();
  p.signal();
  p.beginStep(7);
  p.signal();
  p.beginStep(3);
  p.signal();
  p.end();
  EXPECT_EQ(run(p), "");
  ASSERT_EQ(events.steps.size(), 3u);
  EXPECT_EQ(events.steps[0].step, 0u);
  EXPECT_EQ(events.steps[1].step, 6u);
  EXPECT_EQ(events.steps[2].step, 2u);
}

TEST_F(DeviceTest, TasksStartWithTheirRegisters) {
  // sw a3, 0(x2): each task writes its number to its stack.
  Program p;
  p.store(Program::A3, 2, 0);
  p.end();
  EXPECT_EQ(run(p), "");
  for (uint32_t t = 0; t < 4; ++t) {
    uint32_t value = 99;
    device->memory().read(kStacks + t * 0x1000, &value, 4);
    EXPECT_EQ(value, t);
  }
}

TEST_F(DeviceTest, ReportsDeadlock) {
  Program p;
  p.endUnlessTask0();
  isa::Copy c = copyBytes(16, 0, 0, 0, 64);
  c.waits[unsigned(isa::Unit::Tec)] = 7;
  submit(p, isa::Unit::DmaLoad, {c});
  p.wait(1, 1);
  p.end();
  std::string fault = run(p);
  EXPECT_THAT(fault, HasSubstr("deadlock"));
  EXPECT_THAT(fault, HasSubstr("TEC 0 waits for DMA load >= 1"));
  EXPECT_THAT(fault, HasSubstr("DMA load command 0 waits for TEC >= 7"));
}

TEST_F(DeviceTest, CommandsLeftWhenAllTecsEndedAreADeadlock) {
  Program p;
  p.endUnlessTask0();
  isa::Copy c = copyBytes(16, 0, 0, 0, 64);
  c.waits[unsigned(isa::Unit::Tec)] = 1;
  submit(p, isa::Unit::DmaLoad, {c});
  p.end();
  EXPECT_THAT(run(p), HasSubstr("deadlock"));
}

TEST_F(DeviceTest, ReportsFaults) {
  {
    Program p;
    p.word(0xffffffff);
    EXPECT_THAT(run(p), HasSubstr("illegal instruction"));
  }
  {
    Program p;
    p.constant(Program::T0, 0xD0000000);
    p.load(Program::T0, Program::T0, 0);
    EXPECT_NE(run(p), "");
  }
  {
    Program p;
    p.loopForever();
    EXPECT_THAT(run(p, 1), HasSubstr("units of work is used up"));
  }
  {
    Program p;
    p.endUnlessTask0();
    put(0x7000, 0x00001234);
    p.submit(isa::Unit::TensorEngine, 0x7000, 4);
    p.end();
    EXPECT_THAT(run(p), HasSubstr("illegal descriptor"));
  }
  {
    Program p;
    p.endUnlessTask0();
    submit(p, isa::Unit::TensorEngine, {copyBytes(1, 0, 0, 0, 1)});
    p.end();
    EXPECT_THAT(run(p), HasSubstr("is a copy on the tensor engine queue"));
  }
  {
    Program p;
    p.endUnlessTask0();
    submit(p, isa::Unit::DmaLoad, {copyBytes(1, 9, 0, 0, 1)});
    p.end();
    EXPECT_THAT(run(p), HasSubstr("no base address"));
    EXPECT_EQ(device->faultSite().kind, FaultSite::Engine);
    EXPECT_EQ(device->faultSite().ordinal, 0u);
  }
  {
    Program p;
    p.submit(isa::Unit::DmaLoad, kTop, 4);
    EXPECT_THAT(run(p), HasSubstr("which is not in memory"));
  }
  {
    Program p;
    p.wait(9, 1);
    EXPECT_THAT(run(p), HasSubstr("npu.wait on counter 9"));
  }
  // After a fault the device is idle and runs the next chain.
  Program p;
  p.end();
  EXPECT_EQ(run(p), "");
}

TEST_F(DeviceTest, RefusesForeignProgramsAndBrokenChains) {
  Program p;
  p.end();
  EXPECT_EQ(run(p), "");
  put(kText, 0);
  dispatch();
  EXPECT_THAT(*device->fault(), HasSubstr("not made by Yarrow"));
  loadText(p);
  dispatch(isa::kDriverDdrBytes);
  EXPECT_THAT(*device->fault(), HasSubstr("outside of memory"));
  chain(kChain, 4);
  put(blockAt(kChain, 3), isa::kTaskBlock);
  dispatch();
  EXPECT_THAT(*device->fault(), HasSubstr("ends within a group"));
  put(linkOf(blockAt(kChain, 3)), blockAt(kChain, 0));
  dispatch();
  EXPECT_THAT(*device->fault(), HasSubstr("more tasks than"));
  put(linkOf(kChain), kChain);
  dispatch();
  EXPECT_THAT(*device->fault(), HasSubstr("does not end"));
  chain(kChain, 4);
  put(kChain + offsetof(isa::InitControlBlock, spaces) + 4, 1);
  dispatch();
  EXPECT_THAT(*device->fault(), HasSubstr("address space 0"));
  device->writeRegister(isa::RegAddressHigh, 1);
  dispatch();
  EXPECT_THAT(*device->fault(), HasSubstr("first address space"));
}

// A driver appends a job by writing the last block's link and dispatching
// without a new chain.
TEST_F(DeviceTest, AppendedChainsContinue) {
  Program p;
  p.signal();
  p.end();
  EXPECT_EQ(run(p), "");
  EXPECT_EQ(events.groups, 1u);
  chain(kChain + 0x1000, 4);
  put(linkOf(blockAt(kChain, 3)), kChain + 0x1000);
  device->writeRegister(isa::RegCommand, isa::kCommandDispatch);
  EXPECT_FALSE(device->fault());
  EXPECT_EQ(events.groups, 2u);
  // Nothing appended: nothing runs.
  device->writeRegister(isa::RegCommand, isa::kCommandDispatch);
  EXPECT_EQ(events.groups, 2u);
}

namespace {
class TimedDeviceTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    start(true);
  }
};
} // namespace

TEST_F(TimedDeviceTest, AWaitDelaysACommand) {
  Program p;
  p.endUnlessTask0();
  p.setBase(3, kData);
  isa::Copy in = copyBytes(32000, 3, 0, 0, 0);
  isa::Copy out = copyBytes(32000, 0, 0, 3, 0x10000);
  out.waits[unsigned(isa::Unit::DmaLoad)] = 1;
  submit(p, isa::Unit::DmaLoad, {in});
  submit(p, isa::Unit::DmaStore, {out});
  p.wait(unsigned(isa::Unit::DmaStore), 1);
  p.end();
  EXPECT_EQ(run(p), "");
  ASSERT_EQ(events.commands.size(), 2u);
  const EngineEvent &a = events.commands[0], &b = events.commands[1];
  uint64_t transfer = 32000 / machine.ddrBytesPerCycle;
  EXPECT_GE(a.endCycle - a.startCycle, transfer);
  EXPECT_EQ(b.startCycle, a.endCycle + machine.eventCycles);
  EXPECT_GE(device->statistics().cycles, b.endCycle);
}

TEST_F(TimedDeviceTest, ChannelsShareTheBandwidth) {
  Program p;
  p.endUnlessTask0();
  p.setBase(3, kData);
  submit(p, isa::Unit::DmaLoad,
         {copyBytes(64000, 3, 0, 0, 0), copyBytes(64000, 3, 0, 0, 0x20000)});
  submit(p, isa::Unit::DmaStore, {copyBytes(64000, 0, 0x40000, 3, 0x20000)});
  p.wait(1, 2);
  p.wait(2, 1);
  p.end();
  EXPECT_EQ(run(p), "");
  // Three transfers at once take as long as three one after the other.
  uint64_t bytes = 3 * 64000;
  uint64_t least = bytes / machine.ddrBytesPerCycle;
  EXPECT_GE(device->statistics().cycles, least);
  EXPECT_LE(device->statistics().cycles, least + 600);
}

TEST_F(TimedDeviceTest, ResultsAndEventsDoNotDependOnTiming) {
  for (bool timed : {false, true}) {
    start(timed);
    events = {};
    nextList = kLists;
    Program p;
    p.endUnlessTask0();
    p.setBase(3, kData);
    isa::Copy in = copyBytes(1000, 3, 0, 0, 0);
    isa::Copy turn = copyBytes(1000, 0, 0, 0, 2999);
    turn.dstStride0 = -1;
    turn.waits[1] = 1;
    isa::Copy out = copyBytes(1000, 0, 2000, 3, 0x1000);
    out.waits[1] = 2;
    submit(p, isa::Unit::DmaLoad, {in, turn});
    submit(p, isa::Unit::DmaStore, {out});
    p.wait(2, 1);
    p.end();
    for (uint32_t i = 0; i < 250; ++i)
      put(kData + i * 4, i * 7919);
    ASSERT_EQ(run(p), "");
    for (uint32_t i = 0; i < 1000; ++i)
      ASSERT_EQ(*device->memory().at(kData + i, 1),
                *device->memory().at(kData + 0x1000 + 999 - i, 1));
    EXPECT_EQ(events.commands.size(), 3u);
    EXPECT_EQ(device->statistics().cycles != 0, timed);
  }
}

// A device gives its tensor engine the machine's Winograd unit.
TEST_F(DeviceTest, WinogradNeedsAMachineThatHasIt) {
  isa::Conv c;
  c.winograd = isa::WinogradMode::F2x2_3x3;
  c.kernelY = c.kernelX = 3;
  c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
  c.inHeight = c.inWidth = c.outHeight = c.outWidth = 8;
  c.inChannels = c.outChannels = 16;
  c.inPixelStride = c.outPixelStride = 16;
  c.inRowStride = c.outRowStride = 128;
  c.weights = 0x1000, c.bias = 0x3000, c.output = 0x4000;
  c.outMin = -128, c.outMax = 127;
  auto runOn = [&](const char *target) {
    DiagnosticEngine diags;
    machine = *isa::findTarget(target, diags);
    start(true);
    nextList = kLists;
    Program p;
    p.endUnlessTask0();
    submit(p, isa::Unit::TensorEngine, {c});
    p.wait(0, 1);
    p.end();
    return run(p, 1);
  };
  EXPECT_EQ(runOn("X2_1204"), "");
  ASSERT_EQ(events.commands.size(), 1u);
  const EngineEvent &event = events.commands[0];
  EXPECT_EQ(event.cost.macs, 16u * 16 * 16 * 16); // tiles, taps, channels
  EXPECT_EQ(event.endCycle - event.startCycle, event.cost.aloneCycles());
  EXPECT_THAT(runOn("Z1_0904"),
              HasSubstr("this machine has no Winograd f(2x2,3x3)"));
}
