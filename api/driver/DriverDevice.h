//===- DriverDevice.h - The simulated device of a driver --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A simulated NPU for the public driver: created with a configuration and the
// driver's memory, controlled through registers, from any thread. The write
// that dispatches a job executes it. If a job fails, the reason is logged, its
// buffers do not change, and it counts as done: the driver's interface has no
// other end, and would wait for ever.
//
//   auto device = DriverDevice::create(config, memory);
//   device->writeRegister(isa::RegAddressLow, chain);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_DRIVER_DRIVERDEVICE_H
#define YARROW_API_DRIVER_DRIVERDEVICE_H

#include "api/driver/CallbackMemory.h"
#include "api/driver/DriverLog.h"
#include "api/driver/DriverProfile.h"
#include "api/driver/Exchange.h"
#include "simulator/device/Device.h"

#include <memory>
#include <mutex>

namespace yarrow::driver {

class DriverDevice {
public:
  /// Null, with the reason in the log, if there is no such machine. \p memory
  /// outlives the device.
  static std::unique_ptr<DriverDevice> create(const yarrow_sim_config &config,
                                              const yarrow_sim_memory &memory);
  /// Writes the profile.
  ~DriverDevice();

  uint32_t readRegister(uint32_t address);
  void writeRegister(uint32_t address, uint32_t value);
  /// Whether jobs from now on are timed and profiled.
  void enableProfiling(bool on);
  /// Writes the profile of all jobs so far.
  void dumpProfiling();
  /// Called when a grid is done, without a lock.
  void setEventHandler(yarrow_sim_event_handler handler, void *context);

private:
  DriverDevice(const yarrow_sim_config &config,
               const yarrow_sim_memory &functions);
  bool start(const yarrow_sim_config &config);
  uint64_t budget();
  void endJob(double seconds);
  void writeProfile();

  std::mutex mutex; ///< For everything below.
  CallbackMemory memory;
  /// If YARROW_DRIVER_RECORD in the environment names its file.
  std::unique_ptr<ExchangeRecorder> recorder;
  DriverLog log;
  std::string profilePath;
  DriverProfile profile;
  bool isProfiling = false;
  std::unique_ptr<sim::Device> npu;
  uint64_t numJobs = 0;
  yarrow_sim_event_handler handler = nullptr;
  void *handlerContext = nullptr;
};

} // namespace yarrow::driver

#endif // YARROW_API_DRIVER_DRIVERDEVICE_H
