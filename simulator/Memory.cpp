//===- Memory.cpp - The memory of a simulated chip ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/Memory.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace yarrow::sim;

// One page more than 4 GiB, never accessible: a host access that runs over the
// end of the address space faults instead of hitting other data.
static constexpr uint64_t kReservedBytes = (uint64_t(1) << 32) + 4096;

static bool makeAccessible(uint8_t *begin, uint64_t sizeBytes) {
  return sizeBytes == 0 ||
         mprotect(begin, sizeBytes, PROT_READ | PROT_WRITE) == 0;
}

std::unique_ptr<Memory> Memory::create(uint64_t sramBytes) {
  if (sramBytes > kMaxSramBytes)
    return nullptr;
  void *host = mmap(nullptr, kReservedBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED)
    return nullptr;
  std::unique_ptr<Memory> memory(
      new Memory(static_cast<uint8_t *>(host), sramBytes));
  if (!makeAccessible(memory->host + kSramBase, sramBytes))
    return nullptr;
  return memory;
}

bool Memory::shareDdr(int ddrFile) {
  return mmap(host, kMaxDdrBytes, PROT_NONE,
              MAP_SHARED | MAP_FIXED | MAP_NORESERVE, ddrFile, 0) != MAP_FAILED;
}

std::vector<std::unique_ptr<Memory>> Memory::createCores(uint64_t sramBytes,
                                                         uint32_t cores) {
  std::vector<std::unique_ptr<Memory>> memories;
  // Pages of a file cost the host more than its own: one core needs none.
  int ddrFile = cores > 1 ? memfd_create("yarrow-ddr", MFD_CLOEXEC) : -1;
  bool hasDdr =
      cores == 1 || (ddrFile >= 0 && ftruncate(ddrFile, kMaxDdrBytes) == 0);
  for (uint32_t core = 0; hasDdr && core < cores; ++core) {
    std::unique_ptr<Memory> memory = create(sramBytes);
    hasDdr = memory && (cores == 1 || memory->shareDdr(ddrFile));
    memories.push_back(std::move(memory));
  }
  if (ddrFile >= 0)
    close(ddrFile); // the mappings keep it
  if (!hasDdr)
    memories.clear();
  for (auto &memory : memories)
    for (auto &other : memories)
      if (other != memory)
        memory->sameDdr.push_back(other.get());
  return memories;
}

Memory::~Memory() { munmap(host, kReservedBytes); }

bool Memory::growDdr(uint64_t topBytes) {
  if (topBytes <= ddrBytes && !hasHoles)
    return true;
  return restrictDdr({{0, topBytes}});
}

bool Memory::restrictDdr(std::vector<DdrRange> newRanges) {
  uint64_t top = newRanges.empty() ? 0 : newRanges.back().end;
  if (top > kMaxDdrBytes)
    return false;
  if (top > accessibleBytes) {
    if (!makeAccessible(host, top))
      return false;
    accessibleBytes = top;
  }
  ranges = std::move(newRanges);
  ddrBytes = top;
  hasHoles = ranges.size() > 1 || (!ranges.empty() && ranges[0].begin != 0);
  return true;
}

bool Memory::isInRange(uint64_t address, uint64_t sizeBytes) const {
  auto next = std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](uint64_t a, const DdrRange &range) { return a < range.begin; });
  return next != ranges.begin() && address + sizeBytes <= std::prev(next)->end;
}

bool Memory::read(uint32_t address, void *to, uint64_t sizeBytes) const {
  const uint8_t *from = at(address, sizeBytes);
  if (from && sizeBytes)
    std::memcpy(to, from, sizeBytes);
  return from != nullptr;
}

bool Memory::write(uint32_t address, const void *from, uint64_t sizeBytes) {
  uint8_t *to = at(address, sizeBytes);
  if (to && sizeBytes) {
    std::memcpy(to, from, sizeBytes);
    countWrite(address, sizeBytes);
  }
  return to != nullptr;
}

bool Memory::fill(uint32_t address, uint8_t value, uint64_t sizeBytes) {
  uint8_t *to = at(address, sizeBytes);
  if (to && sizeBytes) {
    std::memset(to, value, sizeBytes);
    countWrite(address, sizeBytes);
  }
  return to != nullptr;
}
