//===- Device.cpp - A simulated NPU behind its registers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/Device.h"

#include "simulator/device/Dispatcher.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// One partition. One command pool, though there are eight: a driver that knows
/// of several asks one of them only whether all chains are done. Version 3.2
/// counts from 0.
static constexpr uint32_t kLinkedBuildInfo = 0x00010000;
static constexpr uint32_t kContiguousBuildInfo = 0;
static constexpr uint32_t kClusterPresent = 0x1000;

std::unique_ptr<Device> Device::create(const Machine &machine,
                                       const DeviceOptions &options,
                                       HostMemory *host) {
  std::vector<std::unique_ptr<Memory>> memories =
      Memory::createCores(machine.sramBytes, machine.cores);
  if (memories.empty())
    return nullptr;
  return std::unique_ptr<Device>(
      new Device(machine, options, host, std::move(memories)));
}

Device::Device(const isa::Machine &machine, const DeviceOptions &options,
               HostMemory *host, std::vector<std::unique_ptr<Memory>> memories)
    : chip(machine), options(options), memories(std::move(memories)),
      host(host) {
  for (auto &memory : this->memories)
    tensors.push_back(std::make_unique<TensorEngine>(
        *memory, machine.winograd, options.byteKernel, machine.outputStage));
  if (host)
    mirror.emplace(*host, this->memories);
  if (blockFormat() == BlockFormat::Contiguous)
    clusterControl = clusterConfig();
}

uint32_t Device::clusterConfig() const {
  return kClusterPresent | (chip.cores & 15) << 8 | (chip.tecs & 15);
}

/// The pool that has \p address as its register \p ofPool0, or null.
template <typename Pools>
static auto *poolWith(Pools &pools, Register ofPool0, uint32_t address) {
  for (uint32_t pool = 0; pool < kCommandPools; ++pool)
    if (address == poolRegister(ofPool0, pool))
      return &pools[pool];
  return static_cast<decltype(&pools[0])>(nullptr);
}

uint32_t Device::readRegister(uint32_t address) const {
  if (const Pool *pool = poolWith(pools, RegPartition, address))
    return pool->partition;
  if (const Pool *pool = poolWith(pools, RegPoolStatus, address))
    return pool->status;
  switch (address) {
  case RegCommand:
    return commandRegister;
  case RegAddressHigh:
    return addressHigh;
  case RegAddressLow:
    return addressLow;
  case RegBuildInfo:
    return blockFormat() == BlockFormat::Linked ? kLinkedBuildInfo
                                                : kContiguousBuildInfo;
  case RegStatus:
    return 0; // no pool is full: what is dispatched is executed at once
  case RegBlockCount:
    return blockCount;
  case RegClusterConfig:
    return clusterConfig();
  case RegClusterControl:
    return clusterControl;
  default:
    return 0;
  }
}

void Device::writeRegister(uint32_t address, uint32_t value) {
  if (Pool *pool = poolWith(pools, RegPartition, address)) {
    pool->partition = value;
    return;
  }
  switch (address) {
  case RegCommand:
    return command(value);
  case RegAddressHigh:
    addressHigh = value;
    return;
  case RegAddressLow:
    addressLow = value;
    return;
  case RegBlockCount:
    blockCount = value;
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
  Pool &pool = pools[poolOf(value)];
  if (value & kCommandCreate) {
    pool.head = uint64_t(addressHigh) << 32 | addressLow;
    pool.last = 0;
    pool.status = kStatusIdle;
    pool.isCreated = true;
  }
  if (value & kCommandDispatch) {
    // A driver that has created a pool does not say which one it dispatches.
    auto created = std::find_if(pools.begin(), pools.end(),
                                [](const Pool &p) { return p.isCreated; });
    dispatch(value & kCommandCreate || created == pools.end() ? pool
                                                              : *created);
  }
  if (value & kCommandDestroy) {
    pool.head = pool.last = 0;
    pool.isCreated = false;
  }
}

/// What \p pool is to execute. Version 3.2 tells it anew with each dispatch.
Fault Device::findChain(Pool &pool, ChainStart &start) {
  if (blockFormat() == BlockFormat::Contiguous) {
    start = {uint64_t(addressHigh) << 32 | addressLow, blockCount};
    return std::nullopt;
  }
  start = {pool.head, std::nullopt};
  if (!host && pool.head > UINT32_MAX)
    return faultText("the task chain is at ", hex(pool.head >> 32), ":",
                     hex(uint32_t(pool.head)),
                     ", outside of the first address space");
  if (pool.head != 0 || pool.last == 0)
    return std::nullopt;
  // Appended to: the driver has written the last block's link.
  TaskBlock block;
  TaskChain last(memory(), host, {pool.last, std::nullopt});
  if (Fault f = last.next(block))
    return f;
  start.address = block.next == 0 ? 0 : (pool.last >> 32 << 32) | block.next;
  return std::nullopt;
}

void Device::dispatch(Pool &pool) {
  stats = {};
  lastSite = {};
  lastDeadlock = {};
  pool.isCreated = false;
  ChainStart start;
  lastFault = findChain(pool, start);
  pool.head = 0;
  if (!lastFault)
    lastFault = runChain(pool, start);
  pool.status = kStatusIdle | (lastFault ? kStatusFault : kStatusDone);
}

Fault Device::runChain(Pool &pool, const ChainStart &start) {
  ChainState chain(options.budget);
  std::vector<CoreState> states;
  states.reserve(chip.cores);
  for (uint32_t core = 0; core < chip.cores; ++core)
    states.push_back({core, chip, *memories[core], *tensors[core], chain,
                      options.timed, observer, options.schedule});
  Dispatcher dispatcher(states, chain, observer);
  TaskChain blocks(memory(), host, start);
  Fault fault = dispatcher.run(blocks, mirror ? &*mirror : nullptr);
  if (blocks.lastBlock())
    pool.last = blocks.lastBlock();
  stats.groups = dispatcher.groups();
  stats.grid = dispatcher.grid();
  stats.textAddress = dispatcher.textAddress();
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
