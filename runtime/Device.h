//===- Device.h - What the runtime needs of an NPU --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Memory that can be given out, written and read; chains of task control
// blocks (isa/DriverInterface.h) that can be submitted and awaited; counters.
// A session knows nothing else of what executes its program. The simulator is
// one implementation (SimulatedDevice.h); a driver of a chip, a device that
// records what it is asked or one that fails on purpose are others.
//
//   std::optional<uint32_t> text = device.allocate(program.size());
//   device.write(*text, std::as_bytes(std::span(program)));
//   ...task control blocks at `chain`...
//   device.submit(chain, numBlocks);
//   if (const DeviceFault *fault = device.wait())
//     os << fault->text;
//
// A device belongs to one thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_DEVICE_H
#define YARROW_RUNTIME_DEVICE_H

#include "isa/Machine.h"
#include "simulator/device/Deadlock.h"
#include "simulator/device/Observer.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace yarrow::runtime {

/// Why a submission did not come to its end. A device that knows no more than
/// that it failed leaves the site and the deadlock as they are.
struct DeviceFault {
  std::string text;
  sim::FaultSite site = {};
  sim::Deadlock deadlock = {}; ///< If that is the site's cause.
};

/// Of the last submission. What a device does not count is 0.
struct DeviceCounters {
  uint64_t cycles = 0;
  uint64_t instructions = 0; ///< Of all TECs.
};

class Device {
public:
  virtual ~Device() = default;

  virtual const isa::Machine &machine() const = 0;

  /// The address of so many bytes, zeros, at the beginning of a page; nullopt
  /// if that much is not left. Pages follow one another, as the public driver
  /// gives them out. They are the caller's until the device is gone.
  virtual std::optional<uint32_t> allocate(uint64_t sizeBytes) = 0;
  /// False if a byte is outside of memory, or the device is lost.
  virtual bool write(uint32_t address, std::span<const std::byte> bytes) = 0;
  /// The bytes as the last submission left them, until the next one; empty if
  /// one is outside of memory, or the device is lost.
  virtual std::span<const std::byte> read(uint32_t address,
                                          uint64_t sizeBytes) const = 0;

  /// Starts the \p numBlocks control blocks at \p address, in the format of the
  /// machine (isa/DriverInterface.h). Those before are done.
  virtual void submit(uint32_t address, uint32_t numBlocks) = 0;
  /// Returns when the chain is done: null, or why not all of it was executed,
  /// until the next submission.
  virtual const DeviceFault *wait() = 0;

  virtual DeviceCounters counters() const = 0;
  /// Whether submissions count cycles, where that costs something.
  virtual void countCycles(bool on) = 0;
  /// Tells \p observer, from the next submission on, what units do; null ends
  /// it. False if the device cannot tell.
  virtual bool observe(sim::ExecutionObserver *observer) = 0;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_DEVICE_H
