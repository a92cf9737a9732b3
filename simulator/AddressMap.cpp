//===- AddressMap.cpp - What a TEC may do at which address ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/AddressMap.h"

#include "simulator/Memory.h"
#include <algorithm>
#include <cstdio>

using namespace yarrow;
using namespace yarrow::sim;

AddressMap AddressMap::everything(const Memory &memory) {
  constexpr uint8_t kAll = MemoryArea::kWrite | MemoryArea::kExecute;
  AddressMap map;
  for (const DdrRange &range : memory.ddrRanges())
    map.add({uint32_t(range.begin), range.end, kAll, "DDR"});
  map.add({Memory::kSramBase, Memory::kSramBase + memory.sramBytes(), kAll,
           "SRAM"});
  return map;
}

/// Adds [begin, end) to \p windows, in place of those that it touches.
static void join(std::vector<Window> &windows, uint64_t begin, uint64_t end) {
  size_t place = windows.size();
  for (size_t i = windows.size(); i-- > 0;) {
    uint64_t first = windows[i].base, last = first + windows[i].sizeBytes;
    if (first > end || last < begin)
      continue;
    begin = std::min(begin, first);
    end = std::max(end, last);
    windows.erase(windows.begin() + ptrdiff_t(i));
    place = i;
  }
  windows.insert(windows.begin() + ptrdiff_t(place),
                 {uint32_t(begin), end - begin});
}

void AddressMap::add(MemoryArea area) {
  if (area.begin >= area.end)
    return;
  join(joined[unsigned(Access::Read)], area.begin, area.end);
  if (area.permissions & MemoryArea::kWrite)
    join(joined[unsigned(Access::Write)], area.begin, area.end);
  if (area.permissions & MemoryArea::kExecute)
    join(joined[unsigned(Access::Fetch)], area.begin, area.end);
  areas.push_back(std::move(area));
}

bool AddressMap::allows(Access access, uint32_t address, uint64_t bytes) const {
  for (const Window &w : windows(access))
    if (w.holds(address, bytes))
      return true;
  return false;
}

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", (unsigned long long)value);
  return text;
}

std::string AddressMap::explain(Access access, uint32_t address,
                                uint64_t bytes) const {
  static constexpr const char *kNames[] = {"a read", "a write", "a fetch"};
  std::string text = std::string(kNames[unsigned(access)]) + " of " +
                     std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
                     " at " + hex(address);
  const MemoryArea *below = nullptr, *above = nullptr;
  for (const MemoryArea &area : areas) {
    if (address >= area.begin && address < area.end) {
      text += ", in " + area.name;
      if (access == Access::Fetch)
        return text + ", which is not executable";
      if (address + bytes > area.end)
        return text + ", which ends at " + hex(area.end);
      return text + ", which is read only";
    }
    if (area.end <= address && (!below || area.end > below->end))
      below = &area;
    if (area.begin > address && (!above || area.begin < above->begin))
      above = &area;
  }
  // The nearest area is what the program most likely meant.
  uint64_t fromBelow = below ? address - below->end : UINT64_MAX;
  uint64_t toAbove = above ? above->begin - address : UINT64_MAX;
  text += ", where this TEC has no memory";
  if (std::min(fromBelow, toAbove) >= uint64_t(1) << 20)
    return text;
  return text + " (" +
         (fromBelow < toAbove
              ? std::to_string(fromBelow) + " bytes after " + below->name
              : std::to_string(toAbove) + " bytes before " + above->name) +
         ")";
}
