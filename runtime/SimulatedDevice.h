//===- SimulatedDevice.h - The simulator as a device ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Drives the simulator by its registers, as the public driver does, and gives
// out its memory.
//
//   auto session = simulatedSession(model, {.timed = true}, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_SIMULATEDDEVICE_H
#define YARROW_RUNTIME_SIMULATEDDEVICE_H

#include "runtime/Device.h"
#include "runtime/PageAllocator.h"
#include "runtime/Session.h"
#include "simulator/device/Device.h"

namespace yarrow::runtime {

class SimulatedDevice final : public Device {
public:
  /// Null if the host cannot reserve the address space.
  static std::unique_ptr<SimulatedDevice>
  create(const isa::Machine &machine, const sim::DeviceOptions &options = {});

  const isa::Machine &machine() const override { return npu->machine(); }
  std::optional<uint32_t> allocate(uint64_t sizeBytes) override;
  bool write(uint32_t address, std::span<const std::byte> bytes) override;
  std::span<const std::byte> read(uint32_t address,
                                  uint64_t sizeBytes) const override;
  void submit(uint32_t address, uint32_t numBlocks) override;
  const DeviceFault *wait() override;
  DeviceCounters counters() const override;
  void countCycles(bool on) override { npu->setTimed(on); }
  bool observe(sim::ExecutionObserver *observer) override;

private:
  explicit SimulatedDevice(std::unique_ptr<sim::Device> device)
      : npu(std::move(device)) {}

  std::unique_ptr<sim::Device> npu;
  PageAllocator pages;
  std::optional<DeviceFault> fault;
};

struct SimulationOptions {
  /// Null: the machine that the executable was compiled for.
  const isa::Machine *machine = nullptr;
  /// The path of a library that simulates the machine (LibraryDevice.h), in
  /// place of the simulator in this program. What is below does not reach it.
  std::string library = {};
  bool timed = false;
  /// Work after which a run stops, in units of about 5 ns of the host
  /// (simulator/engine/Effort.h).
  uint64_t budget = sim::kDefaultBudget;
  sim::TecSchedule schedule = {};
  uint32_t frames = 1; ///< Of the session.
  /// See sim::DeviceOptions.
  const sim::ByteKernel *byteKernel = sim::fastestByteKernel();
};

/// A session on a simulated device of its own; null after errors.
std::unique_ptr<Session>
simulatedSession(std::shared_ptr<const Executable> executable,
                 const SimulationOptions &options, DiagnosticEngine &diags);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_SIMULATEDDEVICE_H
