//===- AddressMap.h - A TEC's permissions by address ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Areas of memory with permissions. Memory outside of all areas does not exist
// for the TEC. Areas can overlap: an access is allowed if one of them allows
// it.
//
//   AddressMap map;
//   map.add({0x10000, 0x12000, MemoryArea::kExecute, "text"});
//   map.add({0x20000, 0x30000, MemoryArea::kWrite, "data"});
//   map.allows(Access::Write, 0x10000, 4);    // false
//   map.explain(Access::Write, 0x10000, 4);
//   // "a write of 4 bytes at 0x00010000, in text, which is read only"
//
// Everything in an area can be read. A TEC keeps the first few windows, the
// areas of a permission joined where they touch, in registers of the
// simulation, so an access costs a comparison and no look-up.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ADDRESSMAP_H
#define YARROW_SIMULATOR_ADDRESSMAP_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::sim {

class Memory;

enum class Access : uint8_t { Read, Write, Fetch };

struct MemoryArea {
  enum Permission : uint8_t { kRead = 0, kWrite = 1, kExecute = 2 };

  uint32_t begin = 0;
  uint64_t end = 0;
  uint8_t permissions = kRead;
  std::string name; ///< As in "in <name>".
};

/// A range of addresses.
struct Window {
  uint32_t base = 0;
  uint64_t sizeBytes = 0;

  bool holds(uint32_t address, uint64_t bytes) const {
    return uint64_t(address - base) + bytes <= sizeBytes;
  }
};

class AddressMap {
public:
  /// Windows of an access that a TEC can tell apart.
  static constexpr unsigned kMaxWindows = 16;

  /// All of the memory, for everything.
  static AddressMap everything(const Memory &memory);

  /// Empty areas are left out.
  void add(MemoryArea area);

  bool allows(Access access, uint32_t address, uint64_t bytes) const;
  const std::vector<Window> &windows(Access access) const {
    return joined[unsigned(access)];
  }
  /// Why \p access is not allowed.
  std::string explain(Access access, uint32_t address, uint64_t bytes) const;

private:
  std::vector<MemoryArea> areas;
  /// By Access, in the order in which they were added.
  std::array<std::vector<Window>, 3> joined;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ADDRESSMAP_H
