//===- Device.h - A simulated NPU with its registers ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The interface for drivers: memory, a few registers, and chains of task
// control blocks in memory. Chains belong to command pools; those of one pool
// are executed in the order in which they came. Writing DISPATCH executes
// before it returns. Results do not depend on whether the device is timed.
//
//   std::unique_ptr<Device> device = Device::create(machine, {.timed = true});
//   device->growDdr(1 << 20);
//   ...write program, parameters and task control blocks...
//   device->writeRegister(isa::RegAddressLow, chain);
//   device->writeRegister(isa::RegCommand, isa::kCommandCreate);
//   device->writeRegister(isa::RegCommand, isa::kCommandDispatch);
//   if (const Fault &fault = device->fault()) ...
//
// After a fault the device is idle, as its driver would wait otherwise; the
// pool's status has the fault bit, the rest of the chain has not run, and
// fault() has the reason.
//
// The memory belongs to the device, from address 0 on, or to a driver, which is
// called for it (HostMemory.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_DEVICE_H
#define YARROW_SIMULATOR_DEVICE_DEVICE_H

#include "isa/DriverInterface.h"
#include "isa/Machine.h"
#include "simulator/Memory.h"
#include "simulator/device/CoreState.h"
#include "simulator/device/MemoryMirror.h"
#include "simulator/device/Observer.h"
#include "simulator/engine/Fault.h"
#include "simulator/engine/TensorEngine.h"
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace yarrow::sim {

struct DeviceOptions {
  bool timed = false;
  /// Per dispatch, in units of engine/Effort.h; more is a fault, so that no
  /// program runs forever.
  uint64_t budget = kDefaultBudget;
  TecSchedule schedule = {};
  /// What the host multiplies bytes with (null: it widens them); changes no
  /// result.
  const ByteKernel *byteKernel = fastestByteKernel();
};

/// Of the last dispatch.
struct RunStatistics {
  uint64_t cycles = 0; ///< Timed only; until all cores were done.
  uint64_t instructions = 0;
  uint64_t effort = 0; ///< Of the budget.
  uint32_t groups = 0;
  uint16_t grid = 0; ///< What the driver calls it.
  /// Of the last group's program, its header first; 0 before there was one.
  uint32_t textAddress = 0;
};

class Device {
public:
  /// Null if the host cannot reserve the address space. With \p host, which
  /// outlives the device, its DDR is in there, and growDdr() is not for use.
  static std::unique_ptr<Device> create(const isa::Machine &machine,
                                        const DeviceOptions &options = {},
                                        HostMemory *host = nullptr);

  uint32_t readRegister(uint32_t address) const;
  void writeRegister(uint32_t address, uint32_t value);

  /// As the first core sees it; the others have the same DDR.
  Memory &memory() { return *memories[0]; }
  bool growDdr(uint64_t topBytes);
  const isa::Machine &machine() const { return chip; }
  const Fault &fault() const { return lastFault; }
  const FaultSite &faultSite() const { return lastSite; }
  /// If that was the fault of the last dispatch.
  const Deadlock &deadlock() const { return lastDeadlock; }
  const RunStatistics &statistics() const { return stats; }

  /// Null for none. It must outlive the next dispatch.
  void setObserver(ExecutionObserver *o) { observer = o; }
  void setTimed(bool timed) { options.timed = timed; }

private:
  /// A driver's queue of chains.
  struct Pool {
    uint64_t head = 0; ///< The chain to execute next, or 0.
    uint64_t last = 0; ///< The last block executed, where a driver appends.
    uint32_t partition = 0;
    uint32_t status = isa::kStatusIdle;
    bool isCreated = false; ///< And not yet dispatched.
  };
  Device(const isa::Machine &machine, const DeviceOptions &options,
         HostMemory *host, std::vector<std::unique_ptr<Memory>> memories);

  isa::BlockFormat blockFormat() const {
    return isa::blockFormatOf(chip.device.version);
  }
  uint32_t clusterConfig() const;
  void command(uint32_t value);
  void dispatch(Pool &pool);
  Fault findChain(Pool &pool, ChainStart &start);
  Fault runChain(Pool &pool, const ChainStart &start);

  isa::Machine chip;
  DeviceOptions options;
  // By core.
  std::vector<std::unique_ptr<Memory>> memories;
  std::vector<std::unique_ptr<TensorEngine>> tensors;
  ExecutionObserver *observer = nullptr;

  HostMemory *host;
  std::optional<MemoryMirror> mirror; ///< If there is a host.
  uint32_t commandRegister = 0, addressHigh = 0, addressLow = 0;
  uint32_t blockCount = 0, clusterControl = 0;
  std::array<Pool, isa::kCommandPools> pools;
  Fault lastFault;
  FaultSite lastSite;
  Deadlock lastDeadlock;
  RunStatistics stats;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_DEVICE_H
