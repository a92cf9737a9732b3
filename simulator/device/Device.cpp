//===- Device.cpp - A simulated NPU behind its registers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/Device.h"

#include "isa/DriverInterface.h"
#include "simulator/device/Dispatcher.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// One partition, one command pool.
static constexpr uint32_t kBuildInfo = 0x00010000;
static constexpr uint32_t kClusterPresent = 0x1000;

std::unique_ptr<Device> Device::create(const Machine &machine,
                                       const DeviceOptions &options) {
  std::vector<std::unique_ptr<Memory>> memories =
      Memory::createCores(machine.sramBytes, machine.cores);
  if (memories.empty())
    return nullptr;
  return std::unique_ptr<Device>(
      new Device(machine, options, std::move(memories)));
}

Device::Device(const isa::Machine &machine, const DeviceOptions &options,
               std::vector<std::unique_ptr<Memory>> memories)
    : chip(machine), options(options), memories(std::move(memories)) {
  for (auto &memory : this->memories)
    tensors.push_back(std::make_unique<TensorEngine>(
        *memory, machine.winograd, options.byteKernel, machine.outputStage));
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
    lastFault = readTaskBlock(memory(), lastBlock, block);
    if (lastFault)
      return;
    address = block.next;
  }
  chainHead = 0;
  lastFault = runChain(address);
}

Fault Device::runChain(uint32_t address) {
  ChainState chain(options.budget);
  std::vector<CoreState> states;
  for (uint32_t core = 0; core < chip.cores; ++core)
    states.push_back({core, chip, *memories[core], *tensors[core], chain,
                      options.timed, observer, options.schedule});
  Dispatcher dispatcher(states, chain, observer);
  Fault fault = dispatcher.run(address);
  if (dispatcher.lastBlock())
    lastBlock = dispatcher.lastBlock();
  stats.groups = dispatcher.groups();
  stats.cycles = dispatcher.cycles();
  stats.instructions = chain.instructions;
  stats.effort = chain.budget.spent();
  lastSite = chain.faultSite;
  lastDeadlock = chain.deadlock;
  return fault;
}

bool Device::growDdr(uint64_t topBytes) {
  return std::all_of(memories.begin(), memories.end(),
                     [&](auto &memory) { return memory->growDdr(topBytes); });
}
