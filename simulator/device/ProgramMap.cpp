//===- ProgramMap.cpp - What a program of ours may access -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/ProgramMap.h"

#include "isa/Types.h"
#include "simulator/Memory.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

static constexpr const char *kConstantsName = "the constants";

ProgramMap::ProgramMap(const Memory &memory, const TextHeader &header,
                       const TaskBlock &task)
    : memory(memory), header(header), task(task) {
  uint64_t text = task.startPc - kTextHeaderBytes;
  uint32_t codeBytes = std::min(header.codeBytes, header.imageBytes);
  addReadOnly(text, codeBytes, MemoryArea::kExecute, "the program's text");
  addReadOnly(text + codeBytes, header.imageBytes - codeBytes,
              MemoryArea::kRead, "the constants of the program's text");
  auto word = [&](uint32_t index) {
    uint32_t value = 0;
    memory.read(task.parameters + index * 4, &value, 4);
    return value;
  };
  if (word(ParameterMagicWord) != kParameterMagic)
    return;
  uint32_t regions = word(ParameterRegionCount);
  addReadOnly(task.parameters, (uint64_t(ParameterRegions) + regions) * 4,
              MemoryArea::kRead, "the parameter block");
  descriptors = word(ParameterDescriptors);
  addReadOnly(descriptors, header.descriptorBytes, MemoryArea::kRead,
              "the descriptors");
  if (regions > kWeightRegion)
    addReadOnly(word(ParameterRegions + kWeightRegion), header.constantBytes,
                MemoryArea::kRead, kConstantsName);
}

void ProgramMap::addReadOnly(uint64_t begin, uint64_t sizeBytes,
                             uint8_t permissions, const char *name) {
  uint64_t end = std::min(begin + sizeBytes, memory.ddrTopBytes());
  // A malformed program may let parts overlap: the first one counts.
  for (const Range &r : readOnly)
    if (begin < r.end && r.begin < end)
      return;
  if (begin < end)
    readOnly.push_back({begin, end, permissions, name});
  std::sort(readOnly.begin(), readOnly.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
}

std::vector<ReadOnlyRange> ProgramMap::readOnlyRanges() const {
  std::vector<ReadOnlyRange> ranges;
  ranges.reserve(readOnly.size());
  for (const Range &r : readOnly)
    ranges.push_back({r.begin, r.end, r.name});
  return ranges;
}

std::pair<uint32_t, uint32_t> ProgramMap::stackOf(uint32_t tec) const {
  if (header.stackTopAddress == 0)
    return {task.stack, task.stack + kStackBytes};
  uint32_t high = header.stackTopAddress - tec * kSramStackBytes;
  return {high - kSramStackBytes, high};
}

ReadOnlyRange ProgramMap::constants() const {
  for (const Range &r : readOnly)
    if (r.name == kConstantsName)
      return {r.begin, r.end, r.name};
  return {};
}

uint64_t ProgramMap::sramDataEnd() const {
  uint64_t end = Memory::kSramBase + memory.sramBytes();
  if (header.stackTopAddress == 0)
    return end;
  uint64_t stacks = uint64_t(task.taskCount) * kSramStackBytes;
  uint64_t top = std::max<uint64_t>(header.stackTopAddress, stacks);
  return std::min(end, top - stacks);
}

/// Kernels use data in SRAM most, so its window comes first.
std::shared_ptr<const AddressMap> ProgramMap::areasFor(uint32_t tec) const {
  auto map = std::make_shared<AddressMap>();
  uint64_t sramEnd = Memory::kSramBase + memory.sramBytes();
  map->add({Memory::kSramBase, sramDataEnd(), MemoryArea::kWrite, "SRAM"});
  if (header.stackTopAddress != 0) {
    auto [low, high] = stackOf(tec);
    map->add({std::max(low, Memory::kSramBase),
              std::min<uint64_t>(high, sramEnd), MemoryArea::kWrite,
              "the stack of TEC " + std::to_string(tec)});
  }
  for (const DdrRange &ddr : memory.ddrRanges()) {
    uint64_t at = ddr.begin;
    for (const Range &r : readOnly) {
      uint64_t begin = std::max(r.begin, ddr.begin);
      uint64_t end = std::min(r.end, ddr.end);
      if (begin >= end)
        continue;
      map->add({uint32_t(at), begin, MemoryArea::kWrite, "DDR"});
      map->add({uint32_t(begin), end, r.permissions, r.name});
      at = end;
    }
    map->add({uint32_t(at), ddr.end, MemoryArea::kWrite, "DDR"});
  }
  return map;
}
