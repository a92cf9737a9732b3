//===- CallbackMemory.cpp - The driver's memory, by its calls -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/driver/CallbackMemory.h"

using namespace yarrow;
using namespace yarrow::driver;

/// The driver prints a backtrace about an access that is not within a buffer,
/// so it is asked before.
static bool isWithin(const std::optional<sim::HostMemory::Buffer> &buffer,
                     uint64_t address, uint64_t sizeBytes) {
  return buffer && address >= buffer->begin && address < buffer->end &&
         sizeBytes <= buffer->end - address;
}

bool CallbackMemory::read(uint64_t address, void *to, uint64_t sizeBytes) {
  return isWithin(bufferAt(address), address, sizeBytes) &&
         functions.read(address, to, sizeBytes, functions.context) ==
             int64_t(sizeBytes);
}

bool CallbackMemory::write(uint64_t address, const void *from,
                           uint64_t sizeBytes) {
  return isWithin(bufferAt(address), address, sizeBytes) &&
         functions.write(address, from, sizeBytes, functions.context) ==
             int64_t(sizeBytes);
}

std::optional<sim::HostMemory::Buffer>
CallbackMemory::bufferAt(uint64_t address) {
  uint64_t base = 0;
  size_t sizeBytes = 0; // only its low half is written
  if (!functions.get_info(address, &base, &sizeBytes, functions.context) ||
      sizeBytes == 0 || base > UINT64_MAX - sizeBytes)
    return std::nullopt;
  return Buffer{base, base + sizeBytes};
}
