//===- Memory.h - The memory of a simulated chip ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The 32-bit address space as one host reservation of 4 GiB, so that a device
// address becomes a host pointer by one addition. Two windows hold memory:
// DDR [0, ddrTopBytes) and SRAM [kSramBase, kSramBase + sramBytes). Pages of
// the host are touched only when the device touches them.
//
//   auto memory = Memory::create(/*sramBytes=*/4 << 20);
//   if (!memory || !memory->growDdr(64 << 20))
//     ...report that the host has no address space left...
//   memory->write(0x1000, weights.data(), weights.size());
//   if (uint8_t *p = memory->at(address, sizeBytes)) ...
//
// Cores of one chip have the same DDR and an SRAM each. Every core then has its
// own such address space, in all of which the DDR is the same pages:
//
//   std::vector<std::unique_ptr<Memory>> cores =
//       Memory::createCores(machine.sramBytes, machine.cores);
//
// Reads and writes may come from several threads, as on any memory; growDdr
// must not run beside them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_MEMORY_H
#define YARROW_SIMULATOR_MEMORY_H

#include "isa/Types.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace yarrow::sim {

/// [begin, end) of the addresses of a memory.
struct DdrRange {
  uint64_t begin = 0, end = 0;
};

class Memory {
public:
  static constexpr uint32_t kSramBase = isa::kSramBaseAddress;
  /// DDR ends where SRAM begins.
  static constexpr uint64_t kMaxDdrBytes = kSramBase;
  static constexpr uint64_t kMaxSramBytes = (uint64_t(1) << 32) - kSramBase;

  /// Null if \p sramBytes exceeds the window or the host refuses the
  /// reservation.
  static std::unique_ptr<Memory> create(uint64_t sramBytes);
  /// What each core of a chip sees; empty in the same cases. DDR that one of
  /// them is to have, all have to grow.
  static std::vector<std::unique_ptr<Memory>> createCores(uint64_t sramBytes,
                                                          uint32_t cores);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Makes [0, topBytes) valid; new bytes are zero. Never shrinks. False if
  /// that does not fit or the host refuses.
  bool growDdr(uint64_t topBytes);
  /// Of the DDR, only \p ranges exist from now on: sorted, with holes between
  /// them. What bytes contain that existed before does not change; others are
  /// zero. False if a range does not fit or the host refuses.
  bool restrictDdr(std::vector<DdrRange> ranges);

  /// The host address of [address, address + sizeBytes), or null if a byte of
  /// it is outside of both windows.
  uint8_t *at(uint32_t address, uint64_t sizeBytes) const {
    if (sizeBytes <= ddrBytes && address <= ddrBytes - sizeBytes &&
        (!hasHoles || isInRange(address, sizeBytes)))
      return host + address;
    if (address >= kSramBase && sizeBytes <= sram &&
        address - kSramBase <= sram - sizeBytes)
      return host + address;
    return nullptr;
  }

  /// write() and fill() count when they change a byte of [begin, end), which
  /// holds for the last call. Who keeps something made of these bytes needs to
  /// know; what is written through pointers does not count, what is written to
  /// the DDR as another core sees it does.
  void watch(uint64_t begin, uint64_t end) {
    watchedBegin = begin;
    watchedEnd = end;
  }
  uint64_t watchedWrites() const { return numWatchedWrites; }

  bool read(uint32_t address, void *to, uint64_t sizeBytes) const;
  bool write(uint32_t address, const void *from, uint64_t sizeBytes);
  bool fill(uint32_t address, uint8_t value, uint64_t sizeBytes);

  static bool isSram(uint32_t address) { return address >= kSramBase; }
  /// Where DDR ends. There may be holes below: ddrRanges() has none.
  uint64_t ddrTopBytes() const { return ddrBytes; }
  /// Sorted.
  const std::vector<DdrRange> &ddrRanges() const { return ranges; }
  uint64_t sramBytes() const { return sram; }
  /// Host address of device address 0. Only bytes that at() grants may be
  /// touched.
  uint8_t *hostBase() const { return host; }

private:
  Memory(uint8_t *host, uint64_t sramBytes) : host(host), sram(sramBytes) {}
  /// The pages of \p ddrFile instead of some of its own.
  bool shareDdr(int ddrFile);
  bool isInRange(uint64_t address, uint64_t sizeBytes) const;

  void countWrite(uint32_t address, uint64_t sizeBytes) {
    auto count = [&](Memory &memory) {
      memory.numWatchedWrites += address < memory.watchedEnd &&
                                 memory.watchedBegin < address + sizeBytes;
    };
    count(*this);
    if (isSram(address))
      return;
    for (Memory *other : sameDdr)
      count(*other);
  }

  uint8_t *host;
  uint64_t watchedBegin = 0, watchedEnd = 0, numWatchedWrites = 0;
  uint64_t ddrBytes = 0, accessibleBytes = 0;
  bool hasHoles = false;
  std::vector<DdrRange> ranges;
  uint64_t sram;
  std::vector<Memory *> sameDdr; ///< What other cores see.
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_MEMORY_H
