//===- DeadlockTest.cpp - Nobody can go on --------------------------------===//
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

TEST_F(DeviceTest, ADeadlockReportsWhoWaitsForWhat) {
  // A copy waits for a signal that TEC 1 gives when the copy is done.
  isa::Copy c = copyBytes(16, 0, 0, 0, 64);
  c.waits[unsigned(isa::Unit::Tec)] = 3;
  for (bool timed : {false, true}) {
    start(timed);
    nextList = kLists;
    Program first;
    submit(first, isa::Unit::DmaLoad, {copyBytes(16, 0, 0, 0, 64), c});
    Program p;
    p.onTask0(first);
    p.signal();
    p.wait(unsigned(isa::Unit::DmaLoad), 2);
    uint32_t waitPc =
        kText + isa::kTextHeaderBytes + uint32_t(p.here() - 1) * 4;
    p.signal();
    p.end();
    std::string fault = run(p, 2);
    EXPECT_THAT(fault, HasSubstr("deadlock: TEC 0 waits for DMA load >= 2, "
                                 "which is 1 (pc " +
                                 hex(waitPc)));
    EXPECT_THAT(fault, HasSubstr("; TEC 1 waits for DMA load >= 2"));
    EXPECT_THAT(fault, HasSubstr("; DMA load command 1 waits for TEC >= 3, "
                                 "which is 2"));
    EXPECT_EQ(device->faultSite().cause, FaultSite::Deadlock);
    const Deadlock &d = device->deadlock();
    ASSERT_EQ(d.tecs.size(), 2u);
    EXPECT_EQ(d.tecs[1].tec, 1u);
    EXPECT_EQ(d.tecs[1].step, 1u);
    EXPECT_EQ(d.tecs[1].pc, waitPc);
    EXPECT_EQ(d.tecs[1].wanted, 2u);
    EXPECT_EQ(d.tecs[1].value, 1u);
    ASSERT_EQ(d.commands.size(), 1u);
    EXPECT_EQ(d.commands[0].ordinal, 1u);
    EXPECT_EQ(d.values[unsigned(isa::Unit::Tec)], 2u);
  }
  // The next dispatch has none.
  Program good;
  good.end();
  EXPECT_EQ(run(good), "");
  EXPECT_TRUE(device->deadlock().empty());
}
