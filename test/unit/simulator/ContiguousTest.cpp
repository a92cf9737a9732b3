//===- ContiguousTest.cpp - Control blocks of version 3.2 -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator/DeviceFixture.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::device_test;
using ::testing::HasSubstr;

namespace {

/// The driver numbers groups from somewhere on.
constexpr uint16_t kFirstGroup = 40, kGrid = 7;

class ContiguousTest : public DeviceTest {
protected:
  void SetUp() override {
    DiagnosticEngine diags;
    machine = *isa::findTarget("X3P_1304", diags);
    machine.cores = 3;
    start(/*timed=*/true);
    device->setObserver(&times);
  }

  /// A group for each of \p groups, of one task that copies bytes; each waits
  /// for those in its list.
  std::string runGroups(const std::vector<std::vector<uint16_t>> &groups) {
    Program p;
    p.setBase(3, kData);
    submit(p, isa::Unit::DmaLoad, {copyBytes(1 << 16, 3, 0, 0, 0x100)});
    p.wait(unsigned(isa::Unit::DmaLoad), 1);
    p.end();
    loadText(p);
    uint32_t at = kChain;
    auto put = [&](const auto &block) {
      device->memory().write(at, &block, sizeof block);
      at += sizeof block;
    };
    put(isa::GridControlBlock{.groupCount = uint32_t(groups.size()),
                              .firstGroup = kFirstGroup,
                              .grid = kGrid});
    for (uint32_t g = 0; g < groups.size(); ++g) {
      isa::GroupControlBlock init;
      init.spaces[0][0] = uint32_t(isa::kSpaceReadWrite);
      put(init);
      isa::TaskControlBlock task;
      task.flags = uint32_t(isa::kGroupTaskBlock) | isa::kEndsGroup;
      task.group = uint16_t(kFirstGroup + g);
      task.startPc = kText + isa::kTextHeaderBytes;
      task.groupDim[0] = 1;
      task.stack = kStacks + g * 0x1000;
      task.parameters = kData;
      if (!groups[g].empty())
        task.flags |= isa::kWaitsForGroups;
      for (size_t i = 0; i < groups[g].size(); ++i)
        task.awaitedGroups[i] =
            isa::kAwaitsGroup | uint16_t(kFirstGroup + groups[g][i]);
      put(task);
    }
    device->writeRegister(isa::RegAddressLow, kChain);
    device->writeRegister(isa::RegBlockCount,
                          (at - kChain) / isa::kTcbBytes + extraBlocks);
    device->writeRegister(isa::RegCommand, isa::kCommandCreate);
    device->writeRegister(isa::RegCommand, isa::kCommandDispatch);
    return device->fault().value_or("");
  }

  GroupTimes times;
  uint32_t extraBlocks = 0;
};

TEST_F(ContiguousTest, GroupsTakeCoresInTurnAndBeginTogether) {
  ASSERT_EQ(runGroups({{}, {}, {}}), "");
  EXPECT_EQ(device->statistics().groups, 3u);
  EXPECT_EQ(device->statistics().grid, kGrid);
  for (uint32_t group : {1, 2})
    EXPECT_EQ(times.groups[group].begin, times.groups[0].begin);
}

TEST_F(ContiguousTest, AGroupAwaitsThoseThatItNames) {
  ASSERT_EQ(runGroups({{}, {}, {0}}), "");
  EXPECT_EQ(times.groups[1].begin, times.groups[0].begin);
  EXPECT_GE(times.groups[2].begin, times.groups[0].end + machine.eventCycles);
  ASSERT_EQ(runGroups({{}, {}, {0, 1}}), "");
  EXPECT_GE(times.groups[2].begin,
            std::max(times.groups[0].end, times.groups[1].end));
}

TEST_F(ContiguousTest, ANumberThatNoGroupHasIsNotAwaited) {
  EXPECT_EQ(runGroups({{}, {500}}), "");
}

TEST_F(ContiguousTest, BlocksAfterTheLastAreNotThere) {
  extraBlocks = 1; // zeros: a grid that begins anew
  EXPECT_EQ(runGroups({{}}), "");
  extraBlocks = 1 << 20;
  EXPECT_THAT(runGroups({{}}), HasSubstr("is outside of memory"));
}

TEST_F(ContiguousTest, UnknownKindsAreFaults) {
  ASSERT_EQ(runGroups({{}}), "");
  put(kChain + isa::kTcbBytes, 5);
  device->writeRegister(isa::RegCommand, isa::kCommandDispatch);
  EXPECT_THAT(device->fault().value_or(""), HasSubstr("unknown flags"));
}

} // namespace
