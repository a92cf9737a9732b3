//===- FakeDriver.h - A driver's memory, for tests --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The functions of yarrow_sim_memory over buffers that tests make.
//
//   FakeDriver driver;
//   driver.addBuffer(0x1000, 4096);
//   void *device = api->create(&config, &driver.functions());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DRIVER_FAKEDRIVER_H
#define YARROW_TEST_DRIVER_FAKEDRIVER_H

#include "isa/SimulatorApi.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace yarrow::driver_test {

class FakeDriver {
public:
  FakeDriver();

  /// Zeros, in place of the buffers that it overlaps.
  void addBuffer(uint64_t address, uint64_t sizeBytes);
  void removeBuffer(uint64_t address);
  /// False if not all of it is in one buffer.
  bool write(uint64_t address, std::span<const std::byte> bytes);
  bool read(uint64_t address, std::span<std::byte> bytes);
  const yarrow_sim_memory &functions() const { return memory; }
  /// Accesses that were not within a buffer.
  uint64_t numBad() const { return bad; }

private:
  std::byte *at(uint64_t address, uint64_t sizeBytes);
  std::vector<std::byte> *bufferAt(uint64_t address, uint64_t &begin);

  std::mutex mutex;
  std::map<uint64_t, std::vector<std::byte>> buffers;
  uint64_t bad = 0;
  yarrow_sim_memory memory = {};
};

} // namespace yarrow::driver_test

#endif // YARROW_TEST_DRIVER_FAKEDRIVER_H
