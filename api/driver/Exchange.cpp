//===- Exchange.cpp - What a driver and a device said to each other -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/driver/Exchange.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

using namespace yarrow;
using namespace yarrow::driver;

/// Bytes of a line, and of what is told with a byte that differs.
static constexpr uint64_t kLineBytes = 64;

static std::string hexOf(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%llx", (unsigned long long)value);
  return text;
}

static std::string line(const char *kind, uint64_t first, uint64_t second) {
  return std::string(kind) + " " + hexOf(first) + " " + hexOf(second) + "\n";
}

ExchangeRecorder::ExchangeRecorder(sim::HostMemory &memory,
                                   const std::string &path, int32_t code)
    : memory(memory), file(path) {
  file << "create " << hexOf(uint32_t(code)) << '\n';
}

std::byte *ExchangeRecorder::known(uint64_t address) {
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return nullptr;
  auto &[begin, bytes] = *std::prev(next);
  return address - begin < bytes.size() ? &bytes[address - begin] : nullptr;
}

void ExchangeRecorder::note(const char *kind, uint64_t address,
                            const std::byte *bytes, uint64_t sizeBytes,
                            std::string &lines) {
  std::byte *place = known(address);
  if (!place)
    return;
  static constexpr char kDigits[] = "0123456789abcdef";
  for (uint64_t at = 0; at < sizeBytes; at += kLineBytes) {
    uint64_t count = std::min(kLineBytes, sizeBytes - at);
    if (std::memcmp(place + at, bytes + at, count) == 0)
      continue;
    std::memcpy(place + at, bytes + at, count);
    lines += std::string(kind) + " " + hexOf(address + at) + " ";
    for (uint64_t i = at; i < at + count; ++i) {
      lines += kDigits[unsigned(bytes[i]) >> 4];
      lines += kDigits[unsigned(bytes[i]) & 15];
    }
    lines += '\n';
  }
}

/// A buffer where others were: these are gone.
void ExchangeRecorder::forget(const Buffer &buffer) {
  for (auto it = buffers.begin(); it != buffers.end();)
    if (it->first < buffer.end && buffer.begin < it->first + it->second.size())
      it = buffers.erase(it);
    else
      ++it;
}

std::optional<sim::HostMemory::Buffer>
ExchangeRecorder::bufferAt(uint64_t address) {
  std::optional<Buffer> buffer = memory.bufferAt(address);
  if (!buffer)
    return buffer;
  uint64_t sizeBytes = buffer->end - buffer->begin;
  auto same = buffers.find(buffer->begin);
  if (same == buffers.end() || same->second.size() != sizeBytes) {
    forget(*buffer);
    buffers[buffer->begin].resize(sizeBytes);
    before += line("buffer", buffer->begin, sizeBytes);
  }
  return buffer;
}

bool ExchangeRecorder::read(uint64_t address, void *to, uint64_t sizeBytes) {
  if (!memory.read(address, to, sizeBytes))
    return false;
  note("data", address, static_cast<const std::byte *>(to), sizeBytes, before);
  return true;
}

bool ExchangeRecorder::write(uint64_t address, const void *from,
                             uint64_t sizeBytes) {
  note("expect", address, static_cast<const std::byte *>(from), sizeBytes,
       after);
  return memory.write(address, from, sizeBytes);
}

void ExchangeRecorder::readRegister(uint32_t address, uint32_t value) {
  file << line("read", address, value);
}

void ExchangeRecorder::writeRegister(uint32_t address, uint32_t value) {
  file << before << line("write", address, value) << after << std::flush;
  before.clear();
  after.clear();
}

void ExchangeRecorder::event(uint32_t number, uint64_t value) {
  file << line("event", number, value) << std::flush;
}
