//===- LibraryDevice.h - A simulator in a shared library --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A client of the interface by which the public driver uses a simulator
// (isa/SimulatorApi.h): loads the library, keeps the memory, and writes the
// same registers in the same order. With it a session runs on whatever provides
// the interface, and what an application sees through the driver can be seen
// without it.
//
//   std::unique_ptr<Device> device = LibraryDevice::create(
//       "lib/yarrow-driver/libaipu_simulator_x2.so", machine, diags);
//
// The interface tells neither cycles nor why a job failed: that is in the
// library's log.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_LIBRARYDEVICE_H
#define YARROW_RUNTIME_LIBRARYDEVICE_H

#include "isa/SimulatorApi.h"
#include "runtime/Device.h"
#include "runtime/PageAllocator.h"
#include "support/Diagnostics.h"

#include <memory>
#include <vector>

namespace yarrow::runtime {

class LibraryDevice final : public Device {
public:
  /// Null after SimulatorFault: the library cannot be loaded, or has no device
  /// like \p machine.
  static std::unique_ptr<LibraryDevice> create(const std::string &path,
                                               const isa::Machine &machine,
                                               DiagnosticEngine &diags);
  ~LibraryDevice() override;

  const isa::Machine &machine() const override { return chip; }
  std::optional<uint32_t> allocate(uint64_t sizeBytes) override;
  bool write(uint32_t address, std::span<const std::byte> bytes) override;
  std::span<const std::byte> read(uint32_t address,
                                  uint64_t sizeBytes) const override;
  void submit(uint32_t address, uint32_t numBlocks) override;
  const DeviceFault *wait() override;
  DeviceCounters counters() const override { return {}; }
  void countCycles(bool) override {}
  bool observe(sim::ExecutionObserver *) override { return false; }

private:
  struct Library; ///< Closed when the device is gone.
  struct Buffer {
    uint64_t address = 0;
    std::vector<std::byte> bytes;
  };

  explicit LibraryDevice(const isa::Machine &machine);
  bool start(const std::string &path, DiagnosticEngine &diags);
  void setCallbacks();
  /// [address, address + sizeBytes) within a buffer, or null.
  std::byte *at(uint64_t address, uint64_t sizeBytes);
  const Buffer *bufferAt(uint64_t address) const;

  isa::Machine chip;
  std::unique_ptr<Library> library;
  const yarrow_sim_api *api = nullptr;
  void *device = nullptr;
  yarrow_sim_memory memory = {};
  std::vector<Buffer> buffers; ///< One behind the other.
  PageAllocator pages;
  std::optional<DeviceFault> fault;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_LIBRARYDEVICE_H
