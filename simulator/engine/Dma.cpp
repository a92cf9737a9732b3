//===- Dma.cpp - What a DMA channel copies --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Dma.h"
#include "isa/CommandRules.h"
#include "isa/WeightStream.h"

#include <algorithm>
#include <cstring>
#include <span>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// More elements than a copy of all of memory byte by byte, twice.
static constexpr uint64_t kMaxElements = uint64_t(1) << 33;

CopySide sim::sourceSide(const Copy &c) {
  return {
      c.srcRegion == kSramRegion,
      {c.srcStride0, c.srcStride1, c.srcStride2, c.srcStride3, c.srcStride4}};
}
CopySide sim::destinationSide(const Copy &c) {
  return {
      c.dstRegion == kSramRegion,
      {c.dstStride0, c.dstStride1, c.dstStride2, c.dstStride3, c.dstStride4}};
}
std::array<uint32_t, 5> sim::copySizes(const Copy &c) {
  return {c.size0, c.size1, c.size2, c.size3, c.size4};
}

namespace {
using Sizes = std::array<uint32_t, 5>;
using Strides = std::array<int64_t, 5>;

/// Copies or fills along merged axes.
struct CopyLoop {
  Sizes sizes;
  Strides from, to;
  uint32_t elementBytes;
};
} // namespace

namespace {
/// Where a side of a copy is.
struct Side {
  uint8_t *data;      ///< Its first element.
  int64_t begin, end; ///< Addresses of all that it touches.
  bool isWrite;
};
} // namespace

/// Finds every byte of a side in one window of memory.
static Fault place(const FieldAccess &access, const Regions &regions,
                   const Memory &memory, Side &side) {
  std::string_view what = access.isWrite ? "destination" : "source";
  const std::optional<uint32_t> &base =
      regions.base[access.region % kMaxRegions];
  if (!base)
    return faultText("copy: ", what, " is in region ", access.region,
                     ", which has no base address");
  int64_t first = int64_t(*base) + access.offset;
  int64_t lowest = first + access.extent.begin, end = first + access.extent.end;
  uint8_t *host = nullptr;
  if (lowest >= 0 && end <= int64_t(1) << 32)
    host = memory.at(uint32_t(lowest), uint64_t(end - lowest));
  if (!host)
    return faultText("copy: ", what, " [", hex(uint64_t(lowest)), ", ",
                     hex(uint64_t(end)), ") of region ", access.region,
                     " is outside of memory");
  if (access.isWrite)
    for (const ReadOnlyRange &range : regions.readOnly)
      if (lowest < int64_t(range.end) && int64_t(range.begin) < end)
        return faultText("copy: ", what, " [", hex(uint64_t(lowest)), ", ",
                         hex(uint64_t(end)), ") of region ", access.region,
                         " is in ", range.name, ", which is read only");
  side = {host + (first - lowest), lowest, end, access.isWrite};
  return std::nullopt;
}

/// Joins an axis with the one inside it where both sides allow.
static CopyLoop mergeAxes(const Copy &copy, const Strides &from,
                          const Strides &to) {
  CopyLoop loop{{1, 1, 1, 1, 1}, {}, {}, copy.elementBytes};
  Sizes sizes = copySizes(copy);
  int last = -1;
  for (int axis = 0; axis < 5; ++axis) {
    if (sizes[axis] == 1)
      continue;
    uint64_t merged = last < 0 ? 0 : uint64_t(loop.sizes[last]) * sizes[axis];
    if (last >= 0 && merged <= UINT32_MAX &&
        from[axis] == loop.from[last] * loop.sizes[last] &&
        to[axis] == loop.to[last] * loop.sizes[last]) {
      loop.sizes[last] = uint32_t(merged);
      continue;
    }
    ++last;
    loop.sizes[last] = sizes[axis];
    loop.from[last] = from[axis];
    loop.to[last] = to[axis];
  }
  return loop;
}

template <typename T>
static void copyRun(const uint8_t *from, int64_t fromStride, uint8_t *to,
                    int64_t toStride, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, from, sizeof element);
    std::memcpy(to, &element, sizeof element);
    from += fromStride;
    to += toStride;
  }
}

static void runInner(const CopyLoop &loop, const uint8_t *from, uint8_t *to) {
  if (loop.from[0] == loop.elementBytes && loop.to[0] == loop.elementBytes) {
    std::memmove(to, from, uint64_t(loop.sizes[0]) * loop.elementBytes);
    return;
  }
  switch (loop.elementBytes) {
  case 1:
    if (loop.from[0] == 0 && loop.to[0] == 1) {
      std::memset(to, *from, loop.sizes[0]);
      return;
    }
    return copyRun<uint8_t>(from, loop.from[0], to, loop.to[0], loop.sizes[0]);
  case 2:
    return copyRun<uint16_t>(from, loop.from[0], to, loop.to[0], loop.sizes[0]);
  case 4:
    return copyRun<uint32_t>(from, loop.from[0], to, loop.to[0], loop.sizes[0]);
  default:
    return copyRun<uint64_t>(from, loop.from[0], to, loop.to[0], loop.sizes[0]);
  }
}

static void runAxis(const CopyLoop &loop, int axis, const uint8_t *from,
                    uint8_t *to) {
  if (axis == 0)
    return runInner(loop, from, to);
  for (uint32_t i = 0; i < loop.sizes[axis]; ++i) {
    runAxis(loop, axis - 1, from, to);
    from += loop.from[axis];
    to += loop.to[axis];
  }
}

/// Small steps stay in a cache line.
static bool isFar(int64_t stride) { return stride <= -64 || stride >= 64; }

/// Runs of consecutive bytes go at memory speed, single elements one by one,
/// and each that is far from the last one waits for memory.
static uint64_t loopEffort(const CopyLoop &loop) {
  double rows = 1;
  bool isFarRow = false;
  for (int axis = 1; axis < 5; ++axis) {
    rows *= loop.sizes[axis];
    isFarRow |= loop.sizes[axis] > 1 &&
                (isFar(loop.from[axis]) || isFar(loop.to[axis]));
  }
  double count = loop.sizes[0];
  bool isRun = loop.to[0] == loop.elementBytes &&
               (loop.from[0] == loop.elementBytes ||
                (loop.from[0] == 0 && loop.elementBytes == 1));
  bool isFarElement = isFar(loop.from[0]) || isFar(loop.to[0]);
  double row =
      isRun ? count * loop.elementBytes / 16 : count * (isFarElement ? 8 : 1);
  return effortUnits(100 + rows * ((isFarRow ? 8 : 2) + row));
}

/// Consecutive bytes on both sides.
static bool isRun(const CopyLoop &loop) {
  return loop.from[0] == loop.elementBytes && loop.to[0] == loop.elementBytes &&
         std::all_of(loop.sizes.begin() + 1, loop.sizes.end(),
                     [](uint32_t size) { return size == 1; });
}

static bool loadsConstants(const Side &from, const Side &to,
                           const Regions &regions) {
  return from.begin >= int64_t(regions.constants.begin) &&
         from.end <= int64_t(regions.constants.end) &&
         to.begin >= int64_t(Memory::kSramBase);
}

/// A decoded byte takes about so many of the budget's units of 16 copied ones.
static constexpr double kDecodeEffort = 2;

static Fault runStream(const Copy &copy, const uint8_t *from, uint8_t *to) {
  std::string_view problem =
      decodeWeights({from, copy.streamBytes}, {to, copy.size0});
  if (problem.empty())
    return std::nullopt;
  return faultText("copy: the weight stream at ", hex(copy.src), " of region ",
                   copy.srcRegion, " is damaged: ", problem);
}

Fault sim::executeCopy(const Copy &copy, const Regions &regions, Memory &memory,
                       Budget *budget, SramLoads *loads) {
  if (Fault fault = isa::refusalOf(copy))
    return fault;
  uint64_t elements = 1;
  for (uint32_t size : copySizes(copy)) {
    if (elements > kMaxElements / size)
      return faultText("copy: more elements than memory");
    elements *= size;
  }
  Strides from = sourceSide(copy).strides, to = destinationSide(copy).strides;
  Copy::PerAddress<Side> sides;
  Fault fault;
  copy.forEachAccess([&](const FieldAccess &access) {
    if (!fault)
      fault = place(access, regions, memory, sides[access.field]);
  });
  if (fault)
    return fault;
  if (copy.streamBytes != 0) {
    if (budget)
      if (Fault f = budget->take(effortUnits(100 + kDecodeEffort * copy.size0)))
        return f;
    if (loads)
      loads->write(sides.dst.begin - Memory::kSramBase,
                   sides.dst.end - Memory::kSramBase, /*isRun=*/true);
    return runStream(copy, sides.src.data, sides.dst.data);
  }
  uint64_t pattern = copy.fillValue;
  if (copy.fill) {
    from = {};
    sides.src = {reinterpret_cast<uint8_t *>(&pattern), 0, 0, false};
  }
  CopyLoop loop = mergeAxes(copy, from, to);
  if (loop.sizes[0] == 1)
    loop.from[0] = loop.to[0] = copy.elementBytes;
  if (budget)
    if (Fault f = budget->take(loopEffort(loop)))
      return f;
  if (loads) {
    if (!copy.fill && isRun(loop) &&
        loadsConstants(sides.src, sides.dst, regions)) {
      loads->load(uint64_t(sides.dst.begin - Memory::kSramBase),
                  uint64_t(sides.dst.end - sides.dst.begin),
                  uint32_t(sides.src.begin));
      return std::nullopt;
    }
    for (const Side &side : {sides.src, sides.dst})
      if (side.end > int64_t(Memory::kSramBase)) {
        int64_t begin = side.begin - Memory::kSramBase;
        int64_t end = side.end - Memory::kSramBase;
        if (side.isWrite)
          loads->write(begin, end, isRun(loop));
        else
          loads->read(begin, end);
      }
  }
  runAxis(loop, 4, sides.src.data, sides.dst.data);
  return std::nullopt;
}
