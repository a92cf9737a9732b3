//===- CallbackMemory.h - The driver's memory, by its calls -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The functions that the driver passes at creation, as the memory that a device
// works on.
//
//   CallbackMemory memory(functions);
//   auto device = sim::Device::create(machine, {}, &memory);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_DRIVER_CALLBACKMEMORY_H
#define YARROW_API_DRIVER_CALLBACKMEMORY_H

#include "isa/SimulatorApi.h"
#include "simulator/device/HostMemory.h"

namespace yarrow::driver {

class CallbackMemory final : public sim::HostMemory {
public:
  /// \p functions stay valid as long as this.
  explicit CallbackMemory(const yarrow_sim_memory &functions)
      : functions(functions) {}

  bool read(uint64_t address, void *to, uint64_t sizeBytes) override;
  bool write(uint64_t address, const void *from, uint64_t sizeBytes) override;
  std::optional<Buffer> bufferAt(uint64_t address) override;

private:
  const yarrow_sim_memory &functions;
};

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_CALLBACKMEMORY_H
