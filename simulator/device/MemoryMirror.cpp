//===- MemoryMirror.cpp - A driver's buffers in a device's memory ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/MemoryMirror.h"

#include "isa/DriverInterface.h"
#include "isa/ElfLayout.h"
#include "simulator/device/ProgramMap.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace yarrow;
using namespace yarrow::sim;

/// Read at a time, so that what is compared is in the host's cache.
static constexpr uint64_t kChunkBytes = 256 << 10;
/// A TEC tells few ranges of DDR apart (AddressMap::kMaxWindows).
static constexpr size_t kMaxRanges = 8;

static Fault hostRefuses() {
  return faultText("the host does not provide memory for the driver's buffers");
}

void MemoryMirror::begin() {
  buffers.clear();
  waiting.clear();
  unchanged.clear();
}

Fault MemoryMirror::enterSpace(uint64_t newBase) {
  if (newBase != base && !buffers.empty())
    return faultText("address space 0 moves from ", hex(base), " to ",
                     hex(newBase), " within a chain");
  base = newBase;
  return std::nullopt;
}

/// The buffer at \p address, unless it is known or there is none: a task that
/// uses such an address will fault, and one that does not has no need of it.
void MemoryMirror::addBuffer(uint32_t address) {
  if (address >= isa::kDriverDdrBytes)
    return;
  for (const HostMemory::Buffer &b : buffers)
    if (address >= b.begin && address < b.end)
      return;
  std::optional<HostMemory::Buffer> found = host.bufferAt(base + address);
  if (!found || found->begin < base || found->end <= found->begin)
    return;
  HostMemory::Buffer buffer{
      found->begin - base,
      std::min<uint64_t>(found->end - base, Memory::kMaxDdrBytes)};
  if (buffer.begin >= buffer.end)
    return;
  auto place = std::lower_bound(
      buffers.begin(), buffers.end(), buffer,
      [](const auto &a, const auto &b) { return a.begin < b.begin; });
  buffers.insert(place, buffer);
  waiting.push_back(buffer);
}

/// The regions of our parameter block, and no other word of it: a number that
/// is no address may lie in a buffer of another job, which is not ours to write
/// back. The program's header tells which regions there are.
void MemoryMirror::addParameters(const TaskBlock &task) {
  uint32_t head[isa::ParameterRegions];
  uint64_t address = base + task.parameters;
  std::optional<HostMemory::Buffer> in = host.bufferAt(address);
  isa::TextHeader header;
  if (!in || !host.read(address, head, sizeof head) ||
      head[isa::ParameterMagicWord] != isa::kParameterMagic ||
      task.startPc < isa::kTextHeaderBytes ||
      !host.read(base + task.startPc - isa::kTextHeaderBytes, &header,
                 sizeof header))
    return;
  if (header.descriptorBytes != 0)
    addBuffer(head[isa::ParameterDescriptors]);
  uint64_t sizeBytes =
      std::min<uint64_t>(uint64_t(head[isa::ParameterRegionCount]) * 4,
                         in->end - address - sizeof head);
  std::vector<uint32_t> regions(sizeBytes / 4);
  if (!host.read(address + sizeof head, regions.data(), regions.size() * 4))
    return;
  for (uint32_t region = isa::kWeightRegion; region < regions.size(); ++region)
    if (region != isa::kWeightRegion || header.constantBytes != 0)
      addBuffer(regions[region]);
}

Fault MemoryMirror::load(const HostMemory::Buffer &buffer) {
  chunk.resize(kChunkBytes);
  for (uint64_t at = buffer.begin; at < buffer.end;) {
    uint64_t bytes = std::min(kChunkBytes, buffer.end - at);
    // Freed since it was found, by another thread: it was not this job's.
    if (!host.read(base + at, chunk.data(), bytes)) {
      std::erase_if(buffers, [&](const HostMemory::Buffer &b) {
        return b.begin == buffer.begin;
      });
      return showBuffers() ? std::nullopt : hostRefuses();
    }
    const uint8_t *here = memory().at(uint32_t(at), bytes);
    if (!here)
      return faultText("the device has no place for the driver's buffer at ",
                       hex(base + at));
    if (std::memcmp(here, chunk.data(), bytes) != 0)
      memory().write(uint32_t(at), chunk.data(), bytes);
    at += bytes;
  }
  return std::nullopt;
}

/// Makes the buffers, and nothing else, the DDR of all cores.
bool MemoryMirror::showBuffers() {
  std::vector<DdrRange> ranges;
  for (const HostMemory::Buffer &b : buffers)
    if (!ranges.empty() && b.begin <= ranges.back().end)
      ranges.back().end = std::max(ranges.back().end, b.end);
    else
      ranges.push_back({b.begin, b.end});
  while (ranges.size() > kMaxRanges) {
    // The narrowest hole goes: what is written there gets lost.
    size_t narrowest = 1;
    for (size_t i = 2; i < ranges.size(); ++i)
      if (ranges[i].begin - ranges[i - 1].end <
          ranges[narrowest].begin - ranges[narrowest - 1].end)
        narrowest = i;
    ranges[narrowest - 1].end = ranges[narrowest].end;
    ranges.erase(ranges.begin() + ptrdiff_t(narrowest));
  }
  return std::all_of(cores.begin(), cores.end(), [&](const auto &core) {
    return core->restrictDdr(ranges);
  });
}

Fault MemoryMirror::loadNew() {
  if (waiting.empty())
    return std::nullopt;
  if (!showBuffers())
    return hostRefuses();
  for (const HostMemory::Buffer &buffer : std::exchange(waiting, {}))
    if (Fault f = load(buffer))
      return f;
  return std::nullopt;
}

void MemoryMirror::protect(uint64_t begin, uint64_t end) {
  for (const DdrRange &range : unchanged)
    if (range.begin == begin && range.end == end)
      return;
  unchanged.push_back({begin, end});
}

/// What tasks of a program of ours cannot write needs not be written back.
void MemoryMirror::protectProgram(const TaskBlock &task) {
  protect(task.address, uint64_t(task.address) + isa::kTcbBytes);
  isa::TextHeader header;
  if (task.startPc < isa::kTextHeaderBytes ||
      !memory().read(task.startPc - isa::kTextHeaderBytes, &header,
                     sizeof header) ||
      header.imageBytes == 0)
    return;
  for (const ReadOnlyRange &range :
       ProgramMap(memory(), header, task).readOnlyRanges())
    protect(range.begin, range.end);
}

Fault MemoryMirror::fetch(std::span<const TaskBlock> group) {
  for (const TaskBlock &task : group) {
    for (uint32_t address :
         {task.address, task.startPc, task.stack, task.parameters,
          task.privateData, task.rodata, task.printBuffer, task.profileBuffer,
          task.globalParameters})
      if (address != 0)
        addBuffer(address);
    addParameters(task);
  }
  if (Fault f = loadNew())
    return f;
  for (const TaskBlock &task : group)
    protectProgram(task);
  return std::nullopt;
}

Fault MemoryMirror::store(uint64_t begin, uint64_t end) {
  if (begin >= end)
    return std::nullopt;
  const uint8_t *from = memory().at(uint32_t(begin), end - begin);
  if (from && host.write(base + begin, from, end - begin))
    return std::nullopt;
  return faultText("the driver does not accept ", end - begin, " bytes at ",
                   hex(base + begin), " of a buffer of its own");
}

Fault MemoryMirror::writeBack() {
  std::sort(unchanged.begin(), unchanged.end(),
            [](const auto &a, const auto &b) { return a.begin < b.begin; });
  for (const HostMemory::Buffer &buffer : buffers) {
    uint64_t at = buffer.begin;
    for (const DdrRange &range : unchanged) {
      if (range.end <= at || range.begin >= buffer.end)
        continue;
      if (Fault f = store(at, range.begin))
        return f;
      at = range.end;
    }
    if (Fault f = store(at, buffer.end))
      return f;
  }
  return std::nullopt;
}
