//===- PlanLoads.cpp - When loads start -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/ElfLayout.h"
#include "passes/plan/Planner.h"

using namespace yarrow;
using namespace yarrow::npu;
using llvm::ArrayRef;

/// Starts loads ahead of their use, in order of use: an engine that waits for
/// data is worse than memory that waits for its use.
void Planner::prefetch(std::vector<Arena> &arenas) {
  if (slots.empty()) // Nothing uses what is loaded.
    return;
  isEarly.assign(lives.size(), false);
  if (options.prefetch == Prefetch::AcrossBarriers && table.usesCores())
    prefetchBeforeBarriers(arenas);
  std::vector<std::vector<Life *>> byCore(arenas.size());
  for (Life &life : lives)
    if (life.isLoaded && life.placed && !life.staysInPlace &&
        !isEarly[life.number])
      byCore[life.core].push_back(&life);
  std::vector<uint64_t> slotCycle, loadCycles;
  if (options.prefetch == Prefetch::WhenBusIsFree)
    findTimes(slotCycle, loadCycles);
  for (auto [arena, loads] : llvm::zip_equal(arenas, byCore)) {
    std::stable_sort(
        loads.begin(), loads.end(),
        [](const Life *a, const Life *b) { return a->first < b->first; });
    if (options.prefetch == Prefetch::WhenBusIsFree)
      prefetchByTime(arena, loads, slotCycle,
                     [&](const Life &life) { return loadCycles[life.number]; });
    else
      prefetchByRoom(arena, loads);
  }
  // A load follows its buffer.
  for (unsigned entry : llvm::reverse(commands)) {
    if (!isLoad(entry))
      continue;
    unsigned &slot = slotOf[entry];
    for (const TableAccess &a : touched(entry))
      if (const Life &life = lives[a.buffer];
          a.isWrite && life.isLoaded && !life.staysInPlace &&
          !isEarly[a.buffer] && life.region == isa::kSramRegion)
        slot =
            std::max(std::min(slot, life.first), blocks[blockOf[entry]].first);
  }
}

/// Blocks with what they load, in the order of time.
std::vector<CoreBlock> Planner::coreBlocks() {
  std::vector<CoreBlock> found;
  std::vector<unsigned> numberOf(blocks.size(), UINT_MAX);
  std::vector<uint64_t> slotCycle(slots.size(), 0);
  for (auto [i, block] : llvm::enumerate(blocks)) {
    if (!block.hasCommands)
      continue;
    numberOf[i] = unsigned(found.size());
    CoreBlock &made = found.emplace_back();
    made.core = block.core, made.epoch = block.epoch;
    made.firstSlot = block.first, made.endSlot = block.end;
    for (unsigned slot = block.first; slot < block.end; ++slot) {
      slotCycle[slot] = made.computeCycles;
      const isa::CommandCost &cost = table.cost(slots[slot]);
      if (table.entries()[slots[slot]].unit != Unit::DmaStore)
        made.computeCycles += cost.startCycles + cost.busyCycles();
    }
  }
  // Loads of what something else writes, too, stay where they are.
  std::vector<bool> isConstant(lives.size(), true);
  for (unsigned number : commands) {
    const TableEntry &entry = table.entries()[number];
    bool readsConstants = entry.isLoad();
    for (const TableAccess &a : touched(number))
      readsConstants &=
          a.isWrite || lives[a.buffer].region == isa::kWeightRegion;
    for (const TableAccess &a : touched(number))
      if (a.isWrite && !readsConstants)
        isConstant[a.buffer] = false;
  }
  std::vector<bool> isSeen(lives.size(), false);
  for (unsigned number : commands) {
    const TableEntry &entry = table.entries()[number];
    if (!entry.unit)
      continue;
    CoreBlock &block = found[numberOf[blockOf[number]]];
    uint64_t busCycles = table.cost(number).ddrCycles;
    if (!entry.isLoad()) {
      block.otherBusCycles += busCycles;
      continue;
    }
    BlockLoad load{nullptr, busCycles, 0};
    if (slotOf[number] < slots.size())
      load.neededCycle = slotCycle[slotOf[number]];
    for (const TableAccess &a : touched(number)) {
      Life &life = lives[a.buffer];
      // One with several loads stays, so that all of them do.
      if (a.isWrite && isConstant[a.buffer] && life.isLoaded && life.placed &&
          !life.staysInPlace && !isSeen[a.buffer])
        load.life = &life;
      if (a.isWrite && isSeen[a.buffer])
        for (BlockLoad &other : block.loads)
          if (other.life == &life)
            other.life = nullptr;
      isSeen[a.buffer] = isSeen[a.buffer] || a.isWrite;
    }
    block.loads.push_back(load);
  }
  return found;
}

void Planner::prefetchBeforeBarriers(std::vector<Arena> &arenas) {
  std::vector<unsigned> loadOf(lives.size(), UINT_MAX);
  for (unsigned entry : commands)
    if (isLoad(entry))
      for (const TableAccess &a : touched(entry))
        if (a.isWrite)
          loadOf[a.buffer] = entry;
  prefetchAcrossBarriers(arenas, coreBlocks(),
                         [&](Life &life, const CoreBlock &block) {
                           // Behind the block's own loads.
                           slotOf[loadOf[life.number]] = block.endSlot - 1;
                           isEarly[life.number] = true;
                         });
}

/// When slots begin if nothing waits for a load, and what each load takes, by
/// buffer.
void Planner::findTimes(std::vector<uint64_t> &slotCycle,
                        std::vector<uint64_t> &loadCycles) {
  uint64_t now = 0;
  for (unsigned entry : slots) {
    slotCycle.push_back(now);
    std::optional<Unit> unit = table.entries()[entry].unit;
    // Copies and stores run beside the engine.
    if (!unit || *unit == Unit::DmaStore)
      continue;
    const isa::CommandCost &cost = table.cost(entry);
    now += cost.startCycles + std::max(cost.busyCycles(), cost.ddrCycles);
  }
  loadCycles.resize(lives.size());
  for (unsigned entry : commands)
    if (isLoad(entry))
      for (const TableAccess &a : touched(entry))
        if (a.isWrite)
          loadCycles[a.buffer] += table.cost(entry).ddrCycles;
}
