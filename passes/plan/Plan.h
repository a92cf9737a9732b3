//===- Plan.h - Addresses for all buffers ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Gives every npu.buffer its address and moves the loads of each tile ahead of
// its use as far as the SRAM allows, so that copies overlap with computation.
// Buffers whose live ranges do not overlap can share memory.
//
//   if (!planMemory(module, machine, {})) ... // lower with less resident
//   memory
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PLAN_PLAN_H
#define YARROW_PASSES_PLAN_PLAN_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace yarrow::npu {

class CommandTable;
struct MemoryPlan;

/// When loads start.
enum class Prefetch {
  None,          ///< With their use.
  WhereRoom,     ///< As early as their memory can be had.
  WhenBusIsFree, ///< When the loads before are done, by the commands' costs.
  /// WhereRoom; of several cores, constants that would be late are loaded
  /// before the barrier, while the bus is free.
  AcrossBarriers
};

struct PlanOptions {
  Prefetch prefetch = Prefetch::WhereRoom;
  /// Slots for which a buffer that is stored stays as it is, so that the
  /// command behind the store need not wait for it: stored tiles alternate
  /// between buffers.
  unsigned storeSlots = 0;
};

/// Nullopt if the buffers do not fit the SRAM. \p table has costs if loads
/// start when the bus is free.
std::optional<MemoryPlan> planMemory(const CommandTable &table,
                                     const isa::Machine &machine,
                                     const PlanOptions &options);

/// Changes the order of loads and sets addresses. False, and the module is left
/// as it is, if the buffers do not fit the SRAM.
bool planMemory(mlir::ModuleOp module, const isa::Machine &machine,
                const PlanOptions &options);

/// Checks independently that every buffer has a place, and that those that are
/// in use at the same time do not overlap. Returns a description of the first
/// violation, or "".
std::string verifyPlan(mlir::ModuleOp module, const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_PLAN_PLAN_H
