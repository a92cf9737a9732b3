//===- Division.cpp - Layers among several cores --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/Division.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

Division npu::findDivision(
    ArrayRef<Operation *> order,
    llvm::function_ref<bool(Operation *)> isDivided,
    llvm::function_ref<SmallVector<Value>(Operation *)> touchedBy) {
  Division division;
  llvm::DenseMap<Value, unsigned> blockOf; // the first that uses a storage
  unsigned block = 0;
  for (Operation *op : order) {
    bool isPart = isDivided(op);
    if (isPart) {
      division.layers.insert(op);
      ++block;
    }
    for (Value storage : touchedBy(op))
      if (isPart || blockOf.try_emplace(storage, block).first->second != block)
        division.crossing.insert(storage);
    block += isPart;
  }
  return division;
}

SmallVector<OutputRange> npu::rangesOf(const ConvLayer &layer, uint32_t cores,
                                       DivideBy by,
                                       const isa::Machine &machine) {
  bool byRows = by == DivideBy::Rows;
  uint32_t all = byRows ? layer.outH : layer.outC;
  // A part of a block of output lanes costs the array as much as a whole.
  uint32_t lanes = machine.macArray.outputLanes;
  uint32_t unit = byRows ? layer.tileRows
                  : layer.splitsInput()
                      ? uint32_t(llvm::alignTo(lanes, layer.channelUnit()))
                      : lanes;
  auto each = uint32_t(llvm::alignTo(llvm::divideCeil(all, cores), unit));
  SmallVector<OutputRange> ranges;
  for (uint32_t begin = 0; begin < all; begin += each) {
    OutputRange range = OutputRange::all(layer);
    (byRows ? range.row : range.channel) = begin;
    (byRows ? range.endRow : range.endChannel) = std::min(all, begin + each);
    ranges.push_back(range);
  }
  return ranges;
}

namespace {
/// Time of one core, and what it takes of the bus.
struct PartTime {
  uint64_t tensorCycles = 0, cycles = 0, ddrCycles = 0;
};
} // namespace

/// Nothing is loaded before the part begins, and the bus brings what the others
/// begin with at the same time.
static PartTime timeOf(const ConvLayer &layer, const ConvTiling &tiling,
                       const ConvResidents &resident, const OutputRange &range,
                       size_t parts, const isa::Machine &machine,
                       isa::WorkCost &all) {
  ConvCost cost(layer, resident, machine);
  visitTiles(layer, tiling, resident, cost, range);
  all.add(cost.work);
  uint64_t compute = cost.work.tensorCycles(machine);
  uint64_t edges = cost.fillCycles * parts + cost.drainCycles;
  return {compute, std::max(compute + edges, cost.work.leastCycles(machine)),
          cost.work.ddrCycles};
}

std::optional<DividedConv> npu::cutForCores(const ConvLayer &layer,
                                            TilingLimits limits,
                                            const ConvResidents &resident,
                                            uint32_t cores,
                                            const isa::Machine &machine) {
  std::optional<DividedConv> best;
  for (DivideBy by : {DivideBy::Rows, DivideBy::Channels}) {
    DividedConv cut;
    cut.ranges = rangesOf(layer, cores, by, machine);
    if (cut.ranges.size() == 1)
      continue;
    limits.range = cut.ranges.front();
    // Of several bands, all but the first are loaded beside the computation.
    for (uint32_t bands : {1, 2, 4, 8}) {
      if (bands > limits.range->rows())
        break;
      limits.inputBands = bands;
      cut.tiling = chooseTiling(layer, limits, resident, machine);
      if (cut.tiling.rows == 0)
        break;
      cut.work = {};
      cut.tensorCycles = cut.slowestCycles = cut.busCycles = 0;
      for (const OutputRange &range : cut.ranges) {
        PartTime time = timeOf(layer, cut.tiling, resident, range,
                               cut.ranges.size(), machine, cut.work);
        cut.tensorCycles = std::max(cut.tensorCycles, time.tensorCycles);
        cut.slowestCycles = std::max(cut.slowestCycles, time.cycles);
        cut.busCycles += time.ddrCycles;
      }
      cut.cycles = std::max(cut.slowestCycles, cut.busCycles) + kBarrierCycles;
      if (!best || cut.cycles < best->cycles)
        best = cut;
    }
  }
  return best;
}
