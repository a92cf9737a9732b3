//===- DriverDevice.cpp - The simulated device of a driver ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/driver/DriverDevice.h"

#include "api/driver/DriverTargets.h"
#include "api/driver/FaultText.h"
#include "isa/DriverInterface.h"
#include "support/diagnostics/Files.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace yarrow;
using namespace yarrow::driver;

static constexpr const char kDefaultProfile[] = "perf.csv";

DriverDevice::DriverDevice(const yarrow_sim_config &config,
                           const yarrow_sim_memory &functions)
    : memory(functions), log(config),
      profilePath(config.perf_path,
                  strnlen(config.perf_path, sizeof config.perf_path)) {
  if (profilePath.empty())
    profilePath = kDefaultProfile;
}

/// Of a job.
uint64_t DriverDevice::budget() {
  const char *text = std::getenv("YARROW_BUDGET");
  if (!text || !*text)
    return sim::kDefaultBudget;
  uint64_t units = 0;
  const char *end = text + std::strlen(text);
  auto [stop, error] = std::from_chars(text, end, units);
  if (error == std::errc() && stop == end && units != 0)
    return units;
  log.notify(DriverLog::Faults, "YARROW_BUDGET is not a number above 0: '" +
                                    std::string(text) +
                                    "'; jobs use the default");
  return sim::kDefaultBudget;
}

bool DriverDevice::start(const yarrow_sim_config &config) {
  DiagnosticEngine diags;
  if (std::optional<isa::Machine> machine = machineOf(config.code, diags)) {
    if (const char *path = std::getenv("YARROW_DRIVER_RECORD"); path && *path)
      recorder = std::make_unique<ExchangeRecorder>(memory, path, config.code);
    sim::HostMemory *host = &memory;
    npu = sim::Device::create(*machine, {.budget = budget()},
                              recorder ? recorder.get() : host);
    if (!npu)
      diags
          .report(diag::ResourcesExhausted, {},
                  "the system does not have enough memory or threads")
          .found("no address space for a device's memory")
          .expected("4 GiB of it for each core; only what is used is memory");
    else
      log.notify(DriverLog::Jobs,
                 "Yarrow " YARROW_VERSION ", target " + machine->name);
  }
  log.notify(diags);
  return npu != nullptr;
}

std::unique_ptr<DriverDevice>
DriverDevice::create(const yarrow_sim_config &config,
                     const yarrow_sim_memory &memory) {
  std::unique_ptr<DriverDevice> device(new DriverDevice(config, memory));
  if (!device->start(config))
    return nullptr;
  device->enableProfiling(config.perf_mode != YARROW_SIM_PERF_NONE);
  return device;
}

DriverDevice::~DriverDevice() { writeProfile(); }

uint32_t DriverDevice::readRegister(uint32_t address) {
  std::lock_guard lock(mutex);
  uint32_t value = npu->readRegister(address);
  if (recorder)
    recorder->readRegister(address, value);
  if (log.reports(DriverLog::Registers))
    log.notify(DriverLog::Registers,
               "read register " + sim::hex(address) + " = " + sim::hex(value));
  return value;
}

void DriverDevice::writeRegister(uint32_t address, uint32_t value) {
  std::unique_lock lock(mutex);
  if (log.reports(DriverLog::Registers))
    log.notify(DriverLog::Registers,
               "write register " + sim::hex(address) + " = " + sim::hex(value));
  auto start = std::chrono::steady_clock::now();
  npu->writeRegister(address, value);
  if (recorder)
    recorder->writeRegister(address, value);
  if (address != isa::RegCommand || !(value & isa::kCommandDispatch))
    return;
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  endJob(time.count());
  yarrow_sim_event_handler notifyDriver = handler;
  void *context = handlerContext;
  uint16_t grid = npu->statistics().grid;
  if (recorder && notifyDriver)
    recorder->event(YARROW_SIM_GRID_END, grid);
  lock.unlock(); // the driver may ask for registers
  if (notifyDriver)
    notifyDriver(YARROW_SIM_GRID_END, grid, context);
}

void DriverDevice::endJob(double seconds) {
  std::string job = "job " + std::to_string(++numJobs);
  const sim::RunStatistics &statistics = npu->statistics();
  if (npu->fault()) {
    DiagnosticEngine diags;
    reportJobFault(*npu, job, diags);
    log.notify(diags);
  }
  if (log.reports(DriverLog::Jobs))
    log.notify(DriverLog::Jobs,
               job + ": " + (npu->fault() ? "failed" : "done") + ", " +
                   std::to_string(uint64_t(seconds * 1e6)) + " us, " +
                   std::to_string(statistics.groups) + " groups, " +
                   std::to_string(statistics.instructions) + " instructions" +
                   (isProfiling
                        ? ", " + std::to_string(statistics.cycles) + " cycles"
                        : ""));
  if (isProfiling)
    profile.jobEnded(statistics.cycles);
}

void DriverDevice::enableProfiling(bool on) {
  std::lock_guard lock(mutex);
  isProfiling = on;
  npu->setTimed(on);
  npu->setObserver(on ? &profile : nullptr);
}

void DriverDevice::dumpProfiling() {
  std::lock_guard lock(mutex);
  writeProfile();
}

void DriverDevice::writeProfile() {
  if (profile.isEmpty())
    return;
  DiagnosticEngine diags;
  profile.write(profilePath, diags);
  log.notify(diags);
}

void DriverDevice::setEventHandler(yarrow_sim_event_handler newHandler,
                                   void *context) {
  std::lock_guard lock(mutex);
  handler = newHandler;
  handlerContext = context;
}
