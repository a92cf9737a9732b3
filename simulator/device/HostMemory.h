//===- HostMemory.h - Memory outside of the simulator -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The memory of a driver that gives out no pointers: it can be read and
// written by calls, and tells which of its buffers an address belongs to.
// Addresses are absolute and have 64 bits; what a device sees of them begins at
// the base of an address space (MemoryMirror.h).
//
//   struct Recorded : HostMemory { ... };
//   Recorded memory;
//   auto device = Device::create(machine, {}, &memory);
//
// Calls may come from every thread that writes registers of the device, one at
// a time.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_HOSTMEMORY_H
#define YARROW_SIMULATOR_DEVICE_HOSTMEMORY_H

#include <cstdint>
#include <optional>

namespace yarrow::sim {

class HostMemory {
public:
  struct Buffer {
    uint64_t begin = 0, end = 0;
  };

  virtual ~HostMemory() = default;
  /// False if not all of it is in one buffer.
  virtual bool read(uint64_t address, void *to, uint64_t sizeBytes) = 0;
  virtual bool write(uint64_t address, const void *from,
                     uint64_t sizeBytes) = 0;
  /// The buffer that the byte at \p address is in.
  virtual std::optional<Buffer> bufferAt(uint64_t address) = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_HOSTMEMORY_H
