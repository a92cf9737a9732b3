//===- CoresTest.cpp - Groups of tasks on several cores -------------------===//
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

namespace {

struct GroupOf {
  uint32_t core;
  uint32_t flags = 0;
};

class CoresTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    machine.cores = 3;
    start(/*timed=*/true);
    device->setObserver(&times);
  }

  /// A group for each of \p groups, which copies bytes at kData into the SRAM
  /// of its core and from there to kData + 0x100000.
  std::string runGroups(const std::vector<GroupOf> &groups,
                        uint32_t sizeBytes = 1 << 16) {
    Program p;
    p.endUnlessTask0();
    p.setBase(3, kData);
    isa::Copy in = copyBytes(sizeBytes, 3, 0, 0, 0x100);
    isa::Copy out = copyBytes(sizeBytes, 0, 0x100, 3, 0x100000);
    out.waits[unsigned(isa::Unit::DmaLoad)] = 1;
    submit(p, isa::Unit::DmaStore, {out});
    submit(p, isa::Unit::DmaLoad, {in});
    p.wait(unsigned(isa::Unit::DmaStore), 1);
    p.end();
    loadText(p);
    isa::InitControlBlock init;
    init.next = blockAt(kChain, 0);
    init.spaces[0] = isa::kSpaceReadWrite;
    device->memory().write(kChain, &init, sizeof init);
    for (uint32_t g = 0; g < groups.size(); ++g) {
      bool isLast = g + 1 == groups.size();
      isa::TaskControlBlock block;
      block.flags |=
          groups[g].flags | isa::kEndsGroup | (isLast ? isa::kEndsGrid : 0);
      block.next = isLast ? 0 : blockAt(kChain, g + 1);
      block.startPc = kText + isa::kTextHeaderBytes;
      block.group = uint16_t(groups[g].core);
      block.groupDim[0] = 1;
      block.stack = kStacks + g * 0x1000;
      block.parameters = kData;
      device->memory().write(blockAt(kChain, g), &block, sizeof block);
    }
    dispatch();
    return device->fault().value_or("");
  }

  GroupTimes times;
};

} // namespace

TEST_F(CoresTest, CoresShareDdrAndNotSram) {
  put(kData, 0x12345678);
  EXPECT_EQ(runGroups({{0}, {1}}), "");
  uint32_t found = 0;
  device->memory().read(kData + 0x100000, &found, 4);
  EXPECT_EQ(found, 0x12345678u);
  EXPECT_THAT(times.cores, ::testing::UnorderedElementsAre(0, 0, 1, 1));
  EXPECT_EQ(device->statistics().groups, 2u);
}

TEST_F(CoresTest, GroupsOfOneCoreRunOneAfterTheOther) {
  EXPECT_EQ(runGroups({{1}, {1}}), "");
  EXPECT_GE(times.groups[1].begin, times.groups[0].end);
}

TEST_F(CoresTest, GroupsOfSeveralCoresRunTogetherAndShareTheBus) {
  EXPECT_EQ(runGroups({{0}}), "");
  uint64_t alone = device->statistics().cycles;
  EXPECT_EQ(runGroups({{0}, {1}, {2}}), "");
  uint64_t together = device->statistics().cycles;
  EXPECT_EQ(times.groups[2].begin, 0u);
  // Their copies take the bus one after the other.
  uint64_t busCycles = 3 * 2 * (1 << 16) / machine.ddrBytesPerCycle;
  EXPECT_GE(together, busCycles);
  EXPECT_LT(together, busCycles + alone);
}

TEST_F(CoresTest, ADependencyOnAllIsABarrier) {
  EXPECT_EQ(runGroups({{0}, {1}, {2, isa::kWaitsForAll}, {0}}), "");
  uint64_t end = std::max(times.groups[0].end, times.groups[1].end);
  EXPECT_EQ(times.groups[2].begin, end + machine.eventCycles);
  // Groups are dispatched in their order.
  EXPECT_EQ(times.groups[3].begin, times.groups[2].begin);
}

TEST_F(CoresTest, ADependencyOnThePreviousAwaitsThatAlone) {
  EXPECT_EQ(runGroups({{0}, {1}, {2, isa::kWaitsForPrevious}}), "");
  EXPECT_EQ(times.groups[2].begin, times.groups[1].end + machine.eventCycles);
}

TEST_F(CoresTest, CyclesAndBytesDoNotDependOnTheHostsOrder) {
  EXPECT_EQ(runGroups({{0}, {1}, {2}, {1}, {0, isa::kWaitsForAll}}), "");
  uint64_t cycles = device->statistics().cycles;
  start(/*timed=*/true, 1 << 24, {.sliceInstructions = 1, .seed = 7});
  device->setObserver(&times);
  EXPECT_EQ(runGroups({{0}, {1}, {2}, {1}, {0, isa::kWaitsForAll}}), "");
  EXPECT_EQ(device->statistics().cycles, cycles);
}

TEST_F(CoresTest, AFaultReportsItsCore) {
  EXPECT_THAT(runGroups({{0}, {2}}, /*sizeBytes=*/1 << 30), HasSubstr("DMA"));
  EXPECT_EQ(device->faultSite().core, 0u);
}

// What a core keeps of constants, it must know to be written by whoever writes
// them.
TEST(Memories, WatchTheDdrThatTheyShare) {
  auto cores = Memory::createCores(/*sramBytes=*/4096, 2);
  ASSERT_EQ(cores.size(), 2u);
  for (auto &core : cores)
    ASSERT_TRUE(core->growDdr(0x2000));
  cores[1]->watch(0x1000, 0x1100);
  uint32_t value = 0x12345678, found = 0;
  EXPECT_TRUE(cores[0]->write(0x10f0, &value, 4));
  EXPECT_EQ(cores[1]->watchedWrites(), 1u);
  EXPECT_TRUE(cores[1]->read(0x10f0, &found, 4));
  EXPECT_EQ(found, value);
  // An SRAM is a core's own.
  EXPECT_TRUE(cores[0]->write(Memory::kSramBase, &value, 4));
  EXPECT_TRUE(cores[1]->read(Memory::kSramBase, &found, 4));
  EXPECT_EQ(found, 0u);
  EXPECT_EQ(cores[1]->watchedWrites(), 1u);
}
