//===- CostModel.h - What a command costs on a machine --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Cycles and traffic of one engine command, as pure functions of descriptor and
// machine. The simulator's clocks and the compiler's choices use the same
// functions, so a compiler is never surprised. The comments give the reason for
// each term; docs/machine.md describes the hardware they stand for.
//
//   CommandCost cost = costOf(conv, machine);
//   cost.aloneCycles();     // on an otherwise idle machine
//   cost.computeCycles;     // of these, what the multiplier array needs
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TIMING_COSTMODEL_H
#define YARROW_SIMULATOR_TIMING_COSTMODEL_H

#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include <cstdint>

namespace yarrow::sim {

struct CommandCost {
  /// From the first cycle of the command to its first useful one.
  uint64_t startCycles = 0;
  /// Cycles of the multiplier array (tensor engine).
  uint64_t computeCycles = 0;
  /// Cycles in which SRAM moves the command's operands.
  uint64_t sramCycles = 0;
  /// Of these, what nothing overlaps: filling the first buffer, draining the
  /// last one.
  uint64_t exposedCycles = 0;
  /// Cycles of the DDR bus, which all channels and TECs share.
  uint64_t ddrCycles = 0;

  /// Multiplications done: by Winograd's algorithm fewer than the layer's.
  uint64_t macs = 0;
  uint64_t ddrReadBytes = 0, ddrWrittenBytes = 0; ///< Whole bursts.
  uint64_t sramReadBytes = 0, sramWrittenBytes = 0;

  /// Without waiting for DDR.
  uint64_t busyCycles() const {
    uint64_t longer = computeCycles > sramCycles ? computeCycles : sramCycles;
    return longer + exposedCycles;
  }
  uint64_t aloneCycles() const {
    return startCycles + (busyCycles() > ddrCycles ? busyCycles() : ddrCycles);
  }
};

CommandCost costOf(const isa::Conv &conv, const isa::Machine &machine);
CommandCost costOf(const isa::MatMul &matmul, const isa::Machine &machine);
CommandCost costOf(const isa::Pool &pool, const isa::Machine &machine);
CommandCost costOf(const isa::Copy &copy, const isa::Machine &machine);
CommandCost costOf(const isa::AnyDescriptor &descriptor,
                   const isa::Machine &machine);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_TIMING_COSTMODEL_H
