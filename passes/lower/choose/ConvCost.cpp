//===- ConvCost.cpp - What the tiles of a convolution cost ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/ConvCost.h"
#include "isa/ElfLayout.h"

using namespace yarrow;
using namespace yarrow::npu;

/// Where in DDR does not matter.
static constexpr uint32_t kSomeDdr = isa::kWorkspaceRegion;

isa::CommandCost npu::costOfLoad(isa::Copy copy, const isa::Machine &machine) {
  copy.srcRegion = kSomeDdr;
  return isa::costOf(copy, machine);
}

void ConvCost::loadWeights(const WeightPart &part) {
  if (!resident.weights)
    addLoad(copyOfBytes(ConvBlob::layout(layer, part).sizeBytes));
}

void ConvCost::begin(const ConvTile &tile, bool hasNewInput) {
  if (!resident.input && hasNewInput) {
    isa::Unit queue = inputQueue(resident.isInputInSram);
    work.add(queue, isa::costOf(tile.loadInput, machine));
    for (const isa::Copy &pad : tile.padInput)
      work.add(queue, isa::costOf(pad, machine));
  }
  if (layer.hasResidual && !resident.residual)
    addLoad(tile.loadResidual);
}

void ConvCost::compute(const ConvTile &, const WeightPart &, uint32_t,
                       const isa::Conv &command) {
  if (work.queueCycles[unsigned(isa::Unit::TensorEngine)] == 0)
    fillCycles = work.queueCycles[unsigned(isa::Unit::DmaLoad)];
  work.add(isa::Unit::TensorEngine, isa::costOf(command, machine));
}

void ConvCost::end(const ConvTile &tile) {
  if (resident.output)
    return;
  isa::Copy copy = tile.storeOutput;
  copy.dstRegion = kSomeDdr;
  isa::CommandCost cost = isa::costOf(copy, machine);
  drainCycles = cost.startCycles + std::max(cost.busyCycles(), cost.ddrCycles);
  work.add(isa::Unit::DmaStore, cost);
}

uint64_t ConvCost::readyCycles(bool isFilled) const {
  uint64_t compute = work.tensorCycles(machine) + (isFilled ? fillCycles : 0);
  return std::max(work.leastCycles(machine), compute);
}
