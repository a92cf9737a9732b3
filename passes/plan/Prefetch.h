//===- Prefetch.h - Loads ahead of their use --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Two ways to decide when a load starts. An early load occupies its memory
// longer; a late load can make its reader wait. The cycles of the plans decide
// which way is better.
//
//   prefetchByRoom(arena, loads); // placed with their use, in order of use
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PLAN_PREFETCH_H
#define YARROW_PASSES_PLAN_PREFETCH_H

#include "passes/plan/Arena.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace yarrow::npu {

/// As early as the memory can be had, up to 64 slots ahead.
void prefetchByRoom(Arena &arena, llvm::ArrayRef<Life *> loads);

/// When the loads before are done: a load that starts when the bus is free for
/// it holds its memory for no longer than it has to. \p slotCycle is when slots
/// begin if nothing waits for a load, \p loadCycles what one takes of the bus.
void prefetchByTime(Arena &arena, llvm::ArrayRef<Life *> loads,
                    llvm::ArrayRef<uint64_t> slotCycle,
                    llvm::function_ref<uint64_t(const Life &)> loadCycles);

/// A load of a block of commands.
struct BlockLoad {
  Life *life = nullptr; ///< Null: it cannot leave the block.
  uint64_t busCycles = 0;
  uint64_t neededCycle = 0; ///< From the beginning of the block.
};

/// A block of commands of one of several cores.
struct CoreBlock {
  unsigned core = 0;
  unsigned epoch = 0; ///< Blocks between the same barriers have the same.
  unsigned firstSlot = 0, endSlot = 0;
  uint64_t computeCycles = 0, otherBusCycles = 0;
  std::vector<BlockLoad> loads;
};

/// Loads that the bus would bring too late for their block begin in an earlier
/// block of the same core, behind its own loads, where the bus is free and
/// their memory can be had. \p blocks are in the order of time; \p arenas are
/// those of the cores. Calls \p move with each such load's life and block.
void prefetchAcrossBarriers(
    std::vector<Arena> &arenas, llvm::ArrayRef<CoreBlock> blocks,
    llvm::function_ref<void(Life &, const CoreBlock &)> move);

} // namespace yarrow::npu

#endif // YARROW_PASSES_PLAN_PREFETCH_H
