//===- DeviceFixture.h - A device with programs of a few instructions -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Text, descriptor lists, task chains, stacks and data at fixed places of a
// small memory:
//
//   Program p;
//   p.end();
//   EXPECT_EQ(run(p), "");   // the text of the fault
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_DEVICEFIXTURE_H
#define YARROW_TEST_UNIT_SIMULATOR_DEVICEFIXTURE_H

#include "isa/Descriptors.h"
#include "isa/DriverInterface.h"
#include "isa/ElfLayout.h"
#include "simulator/device/Device.h"
#include "test/unit/simulator/Program.h"
#include <gtest/gtest.h>
#include <map>

namespace yarrow::device_test {
using namespace sim;

inline constexpr uint32_t kText = 0x1000, kLists = 0x4000, kChain = 0x8000;
inline constexpr uint32_t kStacks = 0x10000, kData = 0x20000, kTop = 0x400000;

struct Events final : ExecutionObserver {
  std::vector<EngineEvent> commands;
  std::vector<TecEvent> steps;
  uint32_t groups = 0;
  void engineCommand(const EngineEvent &e) override { commands.push_back(e); }
  void tecStep(const TecEvent &e) override { steps.push_back(e); }
  void groupEnded(uint32_t, uint64_t) override { ++groups; }
};

/// When a group ran.
struct Times {
  uint64_t begin = 0, end = 0;
};

struct GroupTimes final : ExecutionObserver {
  std::map<uint32_t, Times> groups;
  std::vector<uint32_t> cores; ///< Of commands, in the order of execution.
  void groupStarted(uint32_t group, uint64_t cycle) override {
    groups[group].begin = cycle;
  }
  void groupEnded(uint32_t group, uint64_t cycle) override {
    groups[group].end = cycle;
  }
  void engineCommand(const EngineEvent &e) override { cores.push_back(e.core); }
};

class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    DiagnosticEngine diags;
    machine = *isa::findTarget("X2_1204", diags);
    start(false);
  }
  void start(bool timed, uint64_t budget = 1 << 24, TecSchedule schedule = {}) {
    device = Device::create(machine, {timed, budget, schedule});
    ASSERT_TRUE(device);
    ASSERT_TRUE(device->growDdr(kTop));
    device->setObserver(&events);
  }

  /// Puts a list of descriptors in memory, returns {address, bytes}.
  std::pair<uint32_t, uint32_t>
  list(const std::vector<isa::AnyDescriptor> &descriptors) {
    std::vector<uint32_t> words;
    for (const auto &d : descriptors)
      std::visit([&](const auto &x) { x.encode(words); }, d);
    uint32_t address = nextList, bytes = uint32_t(words.size() * 4);
    device->memory().write(address, words.data(), bytes);
    nextList += bytes;
    return {address, bytes};
  }
  void submit(Program &p, isa::Unit queue,
              const std::vector<isa::AnyDescriptor> &descriptors) {
    auto [address, bytes] = list(descriptors);
    p.submit(queue, address, bytes);
  }

  void put(uint32_t address, uint32_t value) {
    device->memory().write(address, &value, 4);
  }
  /// An init block and one group of tasks that all run the text at kText.
  void chain(uint32_t at, uint32_t tasks) {
    isa::InitControlBlock init;
    init.next = blockAt(at, 0);
    init.spaces[0] = isa::kSpaceReadWrite;
    device->memory().write(at, &init, sizeof init);
    for (uint32_t t = 0; t < tasks; ++t) {
      bool isLast = t + 1 == tasks;
      isa::TaskControlBlock block;
      block.flags |= isLast ? isa::kEndsGroup | isa::kEndsGrid : 0;
      block.next = isLast ? 0 : blockAt(at, t + 1);
      block.startPc = kText + isa::kTextHeaderBytes;
      block.taskId = uint16_t(t);
      block.groupDim[0] = uint16_t(tasks);
      block.stack = kStacks + t * 0x1000;
      block.parameters = kData;
      device->memory().write(blockAt(at, t), &block, sizeof block);
    }
  }
  static uint32_t blockAt(uint32_t chain, uint32_t task) {
    return chain + (2 + task) * isa::kTcbBytes;
  }
  /// Where a block has the address of the next one.
  static uint32_t linkOf(uint32_t block) {
    return block + offsetof(isa::TaskControlBlock, next);
  }
  void loadText(const Program &p) {
    std::vector<uint32_t> text = p.text();
    device->memory().write(kText, text.data(), text.size() * 4);
  }
  void dispatch(uint32_t at = kChain) {
    device->writeRegister(isa::RegAddressLow, at);
    device->writeRegister(isa::RegCommand, isa::kCommandCreate);
    device->writeRegister(isa::RegCommand, isa::kCommandDispatch);
  }
  /// Runs \p p on \p tasks TECs; the text of the fault, or "".
  std::string run(const Program &p, uint32_t tasks = 4) {
    loadText(p);
    chain(kChain, tasks);
    dispatch();
    return device->fault().value_or("");
  }

  isa::Machine machine;
  std::unique_ptr<Device> device;
  Events events;
  uint32_t nextList = kLists;
};
} // namespace yarrow::device_test

#endif // YARROW_TEST_UNIT_SIMULATOR_DEVICEFIXTURE_H
