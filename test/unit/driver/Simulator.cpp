//===- Simulator.cpp - The library, as a driver loads it ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/driver/Simulator.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>

using namespace yarrow::driver_test;

const yarrow_sim_api &yarrow::driver_test::api() {
  static const yarrow_sim_api *loaded = [] {
    void *library = dlopen(YARROW_SIMULATOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    EXPECT_TRUE(library) << dlerror();
    auto init = reinterpret_cast<const yarrow_sim_api *(*)()>(
        dlsym(library, "sim_aipu_api_init"));
    return init();
  }();
  return *loaded;
}

Simulator::Simulator(FakeDriver &driver, int32_t code, const std::string &log) {
  auto config = std::make_unique<yarrow_sim_config>();
  *config = {};
  config->code = code;
  std::strcpy(config->log_path, log.empty() ? "/dev/null" : log.c_str());
  device = api().create(config.get(), &driver.functions());
}

Simulator::~Simulator() {
  if (device)
    api().destroy(device);
}

uint32_t Simulator::read(uint32_t address) const {
  uint32_t value = 0;
  EXPECT_EQ(api().read_register(device, address, &value), 1);
  return value;
}

void Simulator::write(uint32_t address, uint32_t value) const {
  EXPECT_EQ(api().write_register(device, address, value), 1);
}
