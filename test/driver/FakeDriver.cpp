//===- FakeDriver.cpp - A driver's memory, for tests ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/driver/FakeDriver.h"

#include <cstring>
#include <iterator>

using namespace yarrow::driver_test;

FakeDriver::FakeDriver() {
  memory.context = this;
  memory.read = [](uint64_t address, void *to, size_t bytes, void *context) {
    auto &self = *static_cast<FakeDriver *>(context);
    bool isDone = self.read(address, {static_cast<std::byte *>(to), bytes});
    return isDone ? int64_t(bytes) : -1;
  };
  memory.write = [](uint64_t address, const void *from, size_t bytes,
                    void *context) {
    auto &self = *static_cast<FakeDriver *>(context);
    bool isDone =
        self.write(address, {static_cast<const std::byte *>(from), bytes});
    return isDone ? int64_t(bytes) : -1;
  };
  memory.zeroize = [](uint64_t, size_t, void *) { return int64_t(-1); };
  memory.size = [](void *) { return size_t(0xC0000000); };
  memory.invalid = [](uint64_t address, void *context) {
    auto &self = *static_cast<FakeDriver *>(context);
    std::lock_guard lock(self.mutex);
    uint64_t begin = 0;
    return self.bufferAt(address, begin) == nullptr;
  };
  // As the public driver, it leaves the size's upper half as it is.
  memory.get_info = [](uint64_t address, uint64_t *base, size_t *size,
                       void *context) {
    auto &self = *static_cast<FakeDriver *>(context);
    std::lock_guard lock(self.mutex);
    std::vector<std::byte> *buffer = self.bufferAt(address, *base);
    if (buffer) {
      auto low = uint32_t(buffer->size());
      std::memcpy(size, &low, sizeof low);
    }
    return buffer != nullptr;
  };
}

std::vector<std::byte> *FakeDriver::bufferAt(uint64_t address,
                                             uint64_t &begin) {
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return nullptr;
  auto &[first, bytes] = *std::prev(next);
  if (address - first >= bytes.size())
    return nullptr;
  begin = first;
  return &bytes;
}

std::byte *FakeDriver::at(uint64_t address, uint64_t sizeBytes) {
  uint64_t begin = 0;
  std::vector<std::byte> *bytes = bufferAt(address, begin);
  if (bytes && sizeBytes <= bytes->size() - (address - begin))
    return bytes->data() + (address - begin);
  ++bad;
  return nullptr;
}

void FakeDriver::addBuffer(uint64_t address, uint64_t sizeBytes) {
  std::lock_guard lock(mutex);
  for (auto it = buffers.begin(); it != buffers.end();)
    if (it->first < address + sizeBytes &&
        address < it->first + it->second.size())
      it = buffers.erase(it);
    else
      ++it;
  buffers[address].resize(sizeBytes);
}

void FakeDriver::removeBuffer(uint64_t address) {
  std::lock_guard lock(mutex);
  buffers.erase(address);
}

bool FakeDriver::write(uint64_t address, std::span<const std::byte> bytes) {
  std::lock_guard lock(mutex);
  std::byte *to = at(address, bytes.size());
  if (to && !bytes.empty())
    std::memcpy(to, bytes.data(), bytes.size());
  return to != nullptr;
}

bool FakeDriver::read(uint64_t address, std::span<std::byte> bytes) {
  std::lock_guard lock(mutex);
  const std::byte *from = at(address, bytes.size());
  if (from && !bytes.empty())
    std::memcpy(bytes.data(), from, bytes.size());
  return from != nullptr;
}
