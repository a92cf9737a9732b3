//===- SimulatedDevice.cpp - The simulator as a device --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/SimulatedDevice.h"

#include "isa/DriverInterface.h"
#include "runtime/LibraryDevice.h"
#include "support/diagnostics/Files.h"

#include <cassert>

using namespace yarrow;
using namespace yarrow::runtime;

std::unique_ptr<SimulatedDevice>
SimulatedDevice::create(const isa::Machine &machine,
                        const sim::DeviceOptions &options) {
  std::unique_ptr<sim::Device> npu = sim::Device::create(machine, options);
  if (!npu)
    return nullptr;
  return std::unique_ptr<SimulatedDevice>(new SimulatedDevice(std::move(npu)));
}

std::optional<uint32_t> SimulatedDevice::allocate(uint64_t sizeBytes) {
  PageAllocator next = pages;
  std::optional<uint32_t> address = next.allocate(sizeBytes);
  if (!address || !npu->growDdr(next.topBytes()))
    return std::nullopt;
  pages = next;
  return address;
}

bool SimulatedDevice::write(uint32_t address,
                            std::span<const std::byte> bytes) {
  return npu->memory().write(address, bytes.data(), bytes.size());
}

std::span<const std::byte> SimulatedDevice::read(uint32_t address,
                                                 uint64_t sizeBytes) const {
  const uint8_t *host = npu->memory().at(address, sizeBytes);
  if (!host)
    return {};
  return {reinterpret_cast<const std::byte *>(host), size_t(sizeBytes)};
}

void SimulatedDevice::submit(uint32_t address, uint32_t numBlocks) {
  npu->writeRegister(isa::RegAddressHigh, 0);
  npu->writeRegister(isa::RegAddressLow, address);
  npu->writeRegister(isa::RegBlockCount, numBlocks);
  npu->writeRegister(isa::RegCommand, isa::kCommandCreate);
  npu->writeRegister(isa::RegCommand, isa::kCommandDispatch);
}

const DeviceFault *SimulatedDevice::wait() {
  // The simulator has executed everything when the command was written.
  assert(npu->readRegister(isa::RegPoolStatus) & isa::kStatusIdle);
  fault.reset();
  if (npu->fault())
    fault = {*npu->fault(), npu->faultSite(), npu->deadlock()};
  npu->writeRegister(isa::RegCommand, isa::kCommandDestroy);
  return fault ? &*fault : nullptr;
}

DeviceCounters SimulatedDevice::counters() const {
  const sim::RunStatistics &statistics = npu->statistics();
  return {statistics.cycles, statistics.instructions};
}

bool SimulatedDevice::observe(sim::ExecutionObserver *observer) {
  npu->setObserver(observer);
  return true;
}

std::unique_ptr<Session>
runtime::simulatedSession(std::shared_ptr<const Executable> executable,
                          const SimulationOptions &options,
                          DiagnosticEngine &diags) {
  const isa::Machine &machine =
      options.machine ? *options.machine : executable->machine();
  if (!options.library.empty()) {
    auto device = LibraryDevice::create(options.library, machine, diags);
    return device ? Session::create(std::move(executable), std::move(device),
                                    diags, options.frames)
                  : nullptr;
  }
  std::unique_ptr<Device> device =
      SimulatedDevice::create(machine, {.timed = options.timed,
                                        .budget = options.budget,
                                        .schedule = options.schedule,
                                        .byteKernel = options.byteKernel});
  if (!device) {
    diags
        .report(diag::ResourcesExhausted, {executable->name()},
                "the system does not have enough memory or threads")
        .found("no address space for a device's memory")
        .expected("4 GiB of it for each core; only what is used is memory")
        .hint("remove a limit of the shell with `ulimit -v unlimited`");
    return nullptr;
  }
  return Session::create(std::move(executable), std::move(device), diags,
                         options.frames);
}
