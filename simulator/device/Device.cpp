//===- Device.cpp - A simulated NPU behind its registers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/Device.h"

#include "isa/DriverInterface.h"
#include "simulator/device/TaskGroup.h"

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// A chain longer than this many blocks is taken for a ring.
static constexpr uint32_t kMaxBlocks = 1 << 16;

/// One partition, one command pool.
static constexpr uint32_t kBuildInfo = 0x00010000;
static constexpr uint32_t kClusterPresent = 0x1000;

std::unique_ptr<Device> Device::create(const Machine &machine,
                                       const DeviceOptions &options) {
  std::unique_ptr<Memory> memory = Memory::create(machine.sramBytes);
  if (!memory)
    return nullptr;
  return std::unique_ptr<Device>(
      new Device(machine, options, std::move(memory)));
}

uint32_t Device::readRegister(uint32_t address) const {
  switch (address) {
  case RegCommand:
    return commandRegister;
  case RegAddressHigh:
    return addressHigh;
  case RegAddressLow:
    return addressLow;
  case RegBuildInfo:
    return kBuildInfo;
  case RegPartition:
    return partition;
  case RegPoolStatus:
    // Dispatch executes everything before it returns.
    return kStatusIdle;
  case RegClusterConfig:
    return kClusterPresent | (chip.cores & 15) << 8 | (chip.tecs & 15);
  case RegClusterControl:
    return clusterControl;
  default:
    return 0;
  }
}

void Device::writeRegister(uint32_t address, uint32_t value) {
  switch (address) {
  case RegCommand:
    return command(value);
  case RegAddressHigh:
    addressHigh = value;
    return;
  case RegAddressLow:
    addressLow = value;
    return;
  case RegPartition:
    partition = value;
    return;
  case RegClusterControl:
    clusterControl = value;
    return;
  default:
    return;
  }
}

void Device::command(uint32_t value) {
  // Read back without the commands that are done once.
  commandRegister = value & ~(kCommandCreate | kCommandDestroy);
  if (value & kCommandCreate) {
    chainHead = addressLow;
    lastBlock = 0;
    lastFault.reset();
    if (addressHigh != 0)
      lastFault =
          faultText("the task chain is at ", hex(addressHigh), ":",
                    hex(addressLow), ", outside of the first address space");
  }
  if (value & kCommandDispatch)
    dispatch();
  if (value & kCommandDestroy)
    chainHead = lastBlock = 0;
}

void Device::dispatch() {
  stats = {};
  lastSite = {};
  lastDeadlock = {};
  if (lastFault)
    return;
  uint32_t address = chainHead;
  if (address == 0 && lastBlock != 0) {
    // Appended to: the driver has written the last block's link.
    TaskBlock block;
    lastFault = readTaskBlock(*mem, lastBlock, block);
    if (lastFault)
      return;
    address = block.next;
  }
  chainHead = 0;
  lastFault = runChain(address);
}

/// Collects the tasks up to the end of a group; leaves \p address at the block
/// after it.
Fault Device::readGroup(uint32_t &address, std::vector<TaskBlock> &tasks) {
  for (uint32_t count = 0; address != 0; ++count) {
    if (count == kMaxBlocks)
      return faultText("the task chain does not end");
    TaskBlock block;
    if (Fault f = readTaskBlock(*mem, address, block))
      return f;
    lastBlock = address;
    address = block.next;
    if (!block.isTask()) {
      if (block.space0 != 0)
        return faultText("address space 0 starts at ", hex(block.space0),
                         "; this device has it at 0");
      continue;
    }
    tasks.push_back(block);
    if (tasks.size() > chip.tecs)
      return faultText("a group has more tasks than the ", chip.tecs,
                       " TECs of a core");
    if (block.endsGroup())
      return std::nullopt;
  }
  if (!tasks.empty())
    return faultText("the task chain ends within a group");
  return std::nullopt;
}

Fault Device::runChain(uint32_t address) {
  isa::BusCalendar bus;
  CoreState core{chip,
                 *mem,
                 tensor,
                 bus,
                 options.timed,
                 observer,
                 Budget(options.budget),
                 0,
                 options.schedule};
  uint32_t blocks = 0;
  while (address != 0) {
    std::vector<TaskBlock> tasks;
    if (Fault f = readGroup(address, tasks))
      return f;
    if (tasks.empty())
      break;
    blocks += uint32_t(tasks.size());
    if (blocks > kMaxBlocks)
      return faultText("the task chain does not end");
    if (observer)
      observer->groupStarted(stats.groups, core.cycle);
    Fault fault = runTaskGroup(tasks, core);
    stats.cycles = core.cycle;
    stats.instructions = core.instructions;
    stats.effort = core.budget.spent();
    lastSite = core.faultSite;
    lastDeadlock = core.deadlock;
    if (fault)
      return fault;
    if (observer)
      observer->groupEnded(stats.groups, core.cycle);
    ++stats.groups;
    bus.forgetBefore(core.cycle);
  }
  return std::nullopt;
}
