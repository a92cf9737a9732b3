//===- Cost.h - What a command costs on a machine -------------------------===//
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
// Costs of several commands are summed per unit, since queues and the DDR bus
// work in parallel:
//
//   WorkCost work;
//   work.add(Unit::DmaLoad, costOf(load, machine));
//   work.add(Unit::TensorEngine, costOf(conv, machine));
//   work.leastCycles(machine);   // no order of the commands takes less
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_COST_H
#define YARROW_ISA_COST_H

#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include <array>
#include <cstdint>

namespace yarrow::isa {

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
  /// Of weight streams: what they would have been more without their code.
  uint64_t ddrSparedBytes = 0;
  uint64_t sramReadBytes = 0, sramWrittenBytes = 0;

  /// Without waiting for DDR.
  uint64_t busyCycles() const {
    uint64_t longer = computeCycles > sramCycles ? computeCycles : sramCycles;
    return longer + exposedCycles;
  }
  uint64_t aloneCycles() const {
    return startCycles + (busyCycles() > ddrCycles ? busyCycles() : ddrCycles);
  }
  uint64_t ddrBytes() const { return ddrReadBytes + ddrWrittenBytes; }

  bool operator==(const CommandCost &) const = default;
};

CommandCost costOf(const Conv &conv, const Machine &machine);
CommandCost costOf(const MatMul &matmul, const Machine &machine);
CommandCost costOf(const Pool &pool, const Machine &machine);
CommandCost costOf(const Copy &copy, const Machine &machine);
CommandCost costOf(const AnyDescriptor &descriptor, const Machine &machine);

/// What several commands come to.
struct WorkCost {
  /// Of each queue's commands, one after the other.
  std::array<uint64_t, kNumQueues> queueCycles{};
  /// Of the longest tensor command, which one engine executes. Copies can be
  /// divided among channels.
  uint64_t longestTensorCycles = 0;
  uint64_t ddrCycles = 0, ddrBytes = 0;

  void add(Unit queue, const CommandCost &cost);
  void add(const WorkCost &other);
  /// What the tensor engines need for their commands, if nothing else holds
  /// them up.
  uint64_t tensorCycles(const Machine &machine) const;
  /// Whatever the order: each queue works on its commands, on as many at a
  /// time as it has channels, and the bus carries one byte after the other.
  uint64_t leastCycles(const Machine &machine) const;

  bool operator==(const WorkCost &) const = default;
};

/// Cycles of the DDR bus for so many bytes.
uint64_t ddrCyclesOf(uint64_t bytes, const Machine &machine);
/// The roofline: no machine of this array and this bus is ready sooner.
uint64_t rooflineCycles(uint64_t macs, uint64_t ddrBytes,
                        const Machine &machine);

} // namespace yarrow::isa

#endif // YARROW_ISA_COST_H
