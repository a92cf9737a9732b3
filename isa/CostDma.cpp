//===- CostDma.cpp - What a DMA command costs on a machine ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Cost.h"
#include "isa/Division.h"

#include <algorithm>
#include <array>

using namespace yarrow;
using namespace yarrow::isa;

namespace {
/// One side of a copy as runs of consecutive bytes.
struct Runs {
  uint64_t bytes = 0, count = 0;
};
} // namespace

/// An axis with stride 0 inside all others is one element held in a register;
/// one further out is read again each time.
static Runs runsOf(uint32_t elementBytes, const std::array<uint32_t, 5> &sizes,
                   const std::array<int64_t, 5> &strides) {
  Runs runs{elementBytes, 1};
  bool isJoined = true;
  for (unsigned axis = 0; axis < 5; ++axis) {
    if (sizes[axis] <= 1)
      continue;
    bool isFirst = runs.bytes == elementBytes && runs.count == 1;
    if (strides[axis] == 0 && isFirst)
      continue;
    if (isJoined && strides[axis] == int64_t(runs.bytes)) {
      runs.bytes *= sizes[axis];
      continue;
    }
    isJoined = false;
    runs.count *= sizes[axis];
  }
  return runs;
}

/// The bus carries the stream while the decoder writes what it gives.
static CommandCost costOfStream(const Copy &copy, const Machine &machine) {
  CommandCost cost;
  cost.startCycles = machine.dmaStartCycles + machine.ddrLatencyCycles;
  auto wholeBursts = [&](uint64_t bytes) {
    return divideUp(bytes, machine.ddrBurstBytes) * machine.ddrBurstBytes;
  };
  cost.ddrReadBytes = wholeBursts(copy.streamBytes);
  cost.ddrSparedBytes =
      std::max(wholeBursts(copy.size0), cost.ddrReadBytes) - cost.ddrReadBytes;
  cost.ddrCycles = ddrCyclesOf(cost.ddrReadBytes, machine);
  cost.sramWrittenBytes = copy.size0;
  cost.sramCycles =
      divideUp(copy.size0, std::max(1u, machine.weightDecoder.bytesPerCycle));
  cost.exposedCycles = machine.weightDecoder.startCycles;
  return cost;
}

CommandCost isa::costOf(const Copy &copy, const Machine &machine) {
  if (copy.streamBytes != 0)
    return costOfStream(copy, machine);
  CommandCost cost;
  cost.startCycles = machine.dmaStartCycles;
  std::array<uint32_t, 5> sizes{copy.size0, copy.size1, copy.size2, copy.size3,
                                copy.size4};
  uint64_t portCycles = 0, ddrBytes = 0;
  auto addSide = [&](bool isSram, bool isRead, const Runs &runs) {
    if (isSram) {
      (isRead ? cost.sramReadBytes : cost.sramWrittenBytes) +=
          runs.bytes * runs.count;
      // SRAM is made of banks as wide as the DDR bus, which together give its
      // bandwidth. The engine reaches each once per cycle: scattered elements
      // take a bank's turn each, long runs are limited by the engine's own
      // data path, which is as wide as the bus.
      uint64_t width = machine.ddrBytesPerCycle;
      uint64_t banks = std::max<uint64_t>(1, machine.sramBytesPerCycle / width);
      uint64_t turns = runs.count * divideUp(runs.bytes, width);
      portCycles = std::max({portCycles, divideUp(turns, banks),
                             divideUp(runs.count * runs.bytes, width)});
      return;
    }
    uint64_t bursts = runs.count * divideUp(runs.bytes, machine.ddrBurstBytes);
    uint64_t bytes = bursts * machine.ddrBurstBytes;
    (isRead ? cost.ddrReadBytes : cost.ddrWrittenBytes) += bytes;
    ddrBytes += bytes;
  };
  if (!copy.fill)
    addSide(copy.srcRegion == kSramRegion, true,
            runsOf(copy.elementBytes, sizes,
                   {copy.srcStride0, copy.srcStride1, copy.srcStride2,
                    copy.srcStride3, copy.srcStride4}));
  addSide(copy.dstRegion == kSramRegion, false,
          runsOf(copy.elementBytes, sizes,
                 {copy.dstStride0, copy.dstStride1, copy.dstStride2,
                  copy.dstStride3, copy.dstStride4}));
  // One latency per command: the requests that follow overlap.
  if (ddrBytes != 0)
    cost.startCycles += machine.ddrLatencyCycles;
  cost.ddrCycles = ddrCyclesOf(ddrBytes, machine);
  cost.sramCycles = portCycles;
  return cost;
}
