//===- ScheduleTest.cpp - The host's order of simulation does not show ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator/DeviceFixture.h"

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::device_test;

namespace {
constexpr uint32_t kShareBytes = 0x1000, kSteps = 6, kBytes = 0x10000;

struct Outcome {
  std::vector<uint8_t> bytes;
  uint64_t cycles = 0;
  /// Of commands and steps, in the order of time.
  std::vector<uint64_t> times;
  bool operator==(const Outcome &) const = default;
};

class ScheduleTest : public DeviceTest {
protected:
  /// In each step a TEC reads and writes its share of DDR, for longer the
  /// higher its number, and signals; then it waits for all, and the DMA engine
  /// copies a share while the next step runs.
  Program program() {
    constexpr uint32_t kValue = 28;
    std::vector<isa::AnyDescriptor> copies;
    for (uint32_t step = 0; step < kSteps; ++step) {
      isa::Copy c = copyBytes(kShareBytes, 3, step % 4 * kShareBytes, 3,
                              (8 + step) * kShareBytes);
      c.waits[unsigned(isa::Unit::Tec)] = 4 * (step + 1);
      copies.push_back(c);
    }
    Program start;
    start.setBase(3, kData);
    submit(start, isa::Unit::DmaStore, copies);
    Program p;
    p.onTask0(start);
    p.shiftLeft(Program::T2, Program::A3, 12); // offset of the share
    for (uint32_t step = 0; step < kSteps; ++step) {
      p.constant(Program::T0, kData);
      p.add(Program::T0, Program::T0, Program::T2);
      p.addi(Program::T1, Program::A3, 1);
      p.shiftLeft(Program::T1, Program::T1, 3 + step % 3);
      size_t loop = p.here();
      p.load(kValue, Program::T0, 0);
      p.add(kValue, kValue, Program::T1);
      p.store(kValue, Program::T0, 0);
      p.addi(Program::T0, Program::T0, 4);
      p.addi(Program::T1, Program::T1, -1);
      p.loopUnlessZero(Program::T1, loop);
      p.signal();
      p.wait(unsigned(isa::Unit::Tec), 4 * (step + 1));
      p.wait(unsigned(isa::Unit::DmaStore), step);
    }
    p.end();
    return p;
  }

  Outcome runWith(bool timed, TecSchedule schedule) {
    start(timed, 1 << 24, schedule);
    events = {};
    nextList = kLists;
    for (uint32_t i = 0; i < kBytes; i += 4)
      put(kData + i, i * 2654435761u);
    EXPECT_EQ(run(program()), "");
    Outcome o;
    const uint8_t *host = device->memory().at(kData, kBytes);
    o.bytes.assign(host, host + kBytes);
    o.cycles = device->statistics().cycles;
    for (const EngineEvent &e : events.commands)
      o.times.insert(o.times.end(), {e.startCycle, e.endCycle});
    for (const TecEvent &e : events.steps)
      o.times.insert(o.times.end(), {e.tec, e.step, e.startCycle, e.endCycle});
    return o;
  }
};
} // namespace

TEST_F(ScheduleTest, OrdersAndSlicesGiveTheSameBytesAndCycles) {
  for (bool timed : {true, false}) {
    Outcome expected = runWith(timed, {});
    EXPECT_EQ(events.commands.size(), kSteps);
    EXPECT_EQ(events.steps.size(), 4 * kSteps);
    EXPECT_EQ(expected.cycles != 0, timed);
    for (uint64_t seed = 0; seed < 12; ++seed)
      for (uint64_t slice : {1, 7, 100, 1 << 20})
        ASSERT_TRUE(runWith(timed, {slice, seed}) == expected)
            << "seed " << seed << ", slices of " << slice;
  }
}

// TEC 1 spins until TEC 0 writes, which it does after an engine has copied.
TEST_F(ScheduleTest, ATecThatSpinsOnMemoryLetsOthersGoOn) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    start(false, uint64_t(1) << 33, {1000, seed, 1 << 16});
    nextList = kLists;
    Program first;
    first.setBase(3, kData);
    submit(first, isa::Unit::DmaLoad, {copyBytes(64, 3, 0, 3, 64)});
    first.wait(unsigned(isa::Unit::DmaLoad), 1);
    first.constant(Program::T0, kData + 256);
    first.store(Program::T0, Program::T0, 0);
    first.end();
    Program p;
    p.onTask0(first);
    p.constant(Program::T0, kData + 256);
    p.load(Program::T1, Program::T0, 0);
    p.branchUnlessZero(Program::T1, 8);
    p.word(0xff9ff06f); // j -8
    p.end();
    EXPECT_EQ(run(p, 2), "");
  }
}
