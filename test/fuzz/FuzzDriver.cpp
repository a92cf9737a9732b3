//===- FuzzDriver.cpp - A driver that writes anything ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Exchanges of a driver with the simulator (api/driver/Exchange.h), changed
// anywhere: registers, control blocks, programs, buffers. Under a small budget
// every access comes back, the device is idle after it, and nothing outside of
// the driver's buffers is touched.
//
//===----------------------------------------------------------------------===//
#include "isa/DriverInterface.h"
#include "isa/SimulatorApi.h"
#include "test/driver/ExchangeLine.h"
#include "test/driver/FakeDriver.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

using namespace yarrow;
using namespace yarrow::driver_test;
using fuzz::require;

/// A few times what the seeds need, for each dispatch.
static constexpr const char kBudget[] = "2000000";
/// What an exchange may ask of the host.
static constexpr uint64_t kMostBufferBytes = 8 << 20, kMostBuffers = 64;
static constexpr unsigned kMostAccesses = 256;

static void *create(int32_t code, FakeDriver &driver) {
  auto config = std::make_unique<yarrow_sim_config>();
  *config = {};
  config->code = code;
  std::strcpy(config->log_path, "/dev/null");
  return sim_aipu_api_init()->create(config.get(), &driver.functions());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  setenv("YARROW_BUDGET", kBudget, 1);
  const yarrow_sim_api &api = *sim_aipu_api_init();
  FakeDriver driver;
  void *device = nullptr;
  unsigned numAccesses = 0;
  uint64_t numBuffers = 0;
  bool isDone = false; // a job, to its end
  std::istringstream text(
      std::string(reinterpret_cast<const char *>(data), size));
  for (std::string words; std::getline(text, words);) {
    ExchangeLine line(words);
    auto address = uint32_t(line.first), value = uint32_t(line.second);
    if (line.kind == "create" && !device) {
      device = create(int32_t(line.first), driver);
    } else if (line.kind == "buffer" && ++numBuffers <= kMostBuffers) {
      uint64_t bytes = std::min(line.second, kMostBufferBytes);
      if (bytes != 0 && line.first <= UINT64_MAX - bytes)
        driver.addBuffer(line.first, bytes);
    } else if (line.kind == "data") {
      driver.write(line.first, line.bytes);
    } else if (line.kind == "read") {
      api.read_register(device, address, &value);
    } else if (line.kind == "write" && ++numAccesses <= kMostAccesses) {
      api.write_register(device, address, value);
      for (uint32_t pool = 0; device && pool < isa::kCommandPools; ++pool) {
        uint32_t status = 0;
        api.read_register(device, isa::poolRegister(isa::RegPoolStatus, pool),
                          &status);
        require(status & isa::kStatusIdle, "a device that is idle");
        isDone |= (status & isa::kStatusDone) != 0;
      }
    }
  }
  if (device)
    api.destroy(device);
  fuzz::numAccepted += isDone;
  return 0;
}
