//===- Simulator.h - The library, as a driver loads it ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The ten functions of the library that is built, and a device of it.
//
//   FakeDriver driver;
//   Simulator simulator(driver, /*code=*/1);
//   simulator.write(0x0C, 0x1000);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_DRIVER_SIMULATOR_H
#define YARROW_TEST_UNIT_DRIVER_SIMULATOR_H

#include "test/driver/FakeDriver.h"

#include <string>

namespace yarrow::driver_test {

/// The functions of the library; loaded once.
const yarrow_sim_api &api();

class Simulator {
public:
  /// With the faults in the file \p log, if that has a name.
  Simulator(FakeDriver &driver, int32_t code, const std::string &log = "");
  ~Simulator();
  explicit operator bool() const { return device != nullptr; }
  void *handle() const { return device; }

  uint32_t read(uint32_t address) const;
  void write(uint32_t address, uint32_t value) const;

private:
  void *device = nullptr;
};

} // namespace yarrow::driver_test

#endif // YARROW_TEST_UNIT_DRIVER_SIMULATOR_H
