//===- ConvCost.h - What the tiles of a convolution cost --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums the commands of tiles by the cost model that the simulator runs on.
//
//   ConvCost cost(layer, resident, machine);
//   visitTiles(layer, tiling, resident, cost);
//   uint64_t cycles = cost.work.leastCycles(machine);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_CONVCOST_H
#define YARROW_PASSES_LOWER_CHOOSE_CONVCOST_H

#include "isa/Cost.h"
#include "passes/lower/describe/ConvTile.h"

namespace yarrow::npu {

/// Which queue brings a tile's input. A copy within SRAM waits for the layer
/// before: loads of what is to come must not wait behind it.
inline isa::Unit inputQueue(bool isInSram) {
  return isInSram ? isa::Unit::DmaStore : isa::Unit::DmaLoad;
}

/// Of a copy from DDR to SRAM.
isa::CommandCost costOfLoad(isa::Copy copy, const isa::Machine &machine);

class ConvCost final : public ConvTileVisitor {
public:
  /// What is resident is neither loaded nor stored, whatever tiles describe.
  ConvCost(const ConvLayer &layer, const ConvResidents &resident,
           const isa::Machine &machine)
      : layer(layer), resident(resident), machine(machine) {}

  isa::WorkCost work;
  uint64_t fillCycles = 0;  ///< Loads before the first command can start.
  uint64_t drainCycles = 0; ///< The store behind the last one.

  void loadWeights(const WeightPart &part) override;
  void begin(const ConvTile &tile, bool hasNewInput) override;
  void compute(const ConvTile &tile, const WeightPart &part, uint32_t phase,
               const isa::Conv &command) override;
  void end(const ConvTile &tile) override;

  /// When everything is done. The loads in front of the first command count
  /// where they cannot begin before the layer; while the bus is what the layer
  /// waits for, they are a part of its time anyway.
  uint64_t readyCycles(bool isFilled) const;

private:
  void addLoad(const isa::Copy &copy) {
    work.add(isa::Unit::DmaLoad, costOfLoad(copy, machine));
  }

  const ConvLayer &layer;
  const ConvResidents resident;
  const isa::Machine &machine;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_CONVCOST_H
