//===- Prefetch.cpp - Loads ahead of their use ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/Prefetch.h"

using namespace yarrow;
using namespace yarrow::npu;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Moves a load's start to \p slot, if its memory can be had from then on.
static bool startAt(Arena &arena, Life &life, unsigned slot) {
  std::optional<uint64_t> address = arena.find(life, slot);
  if (!address)
    return false;
  life.first = slot;
  arena.place(life, *address);
  return true;
}

void npu::prefetchByRoom(Arena &arena, ArrayRef<Life *> loads) {
  for (Life *life : loads) {
    unsigned use = life->first;
    uint64_t home = life->address;
    arena.remove(*life);
    bool isMoved = false;
    for (unsigned distance :
         {64u, 48u, 32u, 24u, 16u, 12u, 8u, 6u, 4u, 3u, 2u, 1u}) {
      unsigned start = use > distance ? use - distance : 0;
      start = std::max(start, life->earliest);
      if ((isMoved = start < use && startAt(arena, *life, start)))
        break;
    }
    if (!isMoved)
      arena.place(*life, home);
  }
}

void npu::prefetchByTime(
    Arena &arena, ArrayRef<Life *> loads, ArrayRef<uint64_t> slotCycle,
    llvm::function_ref<uint64_t(const Life &)> loadCycles) {
  // Slots are late by what the engines have waited for loads.
  uint64_t busFree = 0, lateCycles = 0;
  for (Life *life : loads) {
    unsigned use = life->first;
    uint64_t home = life->address;
    auto slotAt = [&](uint64_t cycle) {
      uint64_t early = cycle > lateCycles ? cycle - lateCycles : 0;
      auto it = llvm::upper_bound(slotCycle, early);
      return it == slotCycle.begin() ? 0u
                                     : unsigned(it - slotCycle.begin()) - 1;
    };
    arena.remove(*life);
    unsigned start = std::max(slotAt(busFree), life->earliest);
    // Room comes with the end of what holds it now.
    constexpr unsigned kMostTries = 64;
    unsigned last = std::min(use, start + kMostTries);
    while (start < last && !startAt(arena, *life, start))
      ++start;
    if (start >= last) {
      arena.place(*life, home);
      start = use;
    }
    uint64_t begin = std::max(busFree, slotCycle[start] + lateCycles);
    busFree = begin + loadCycles(*life);
    uint64_t needed = slotCycle[use] + lateCycles;
    if (busFree > needed)
      lateCycles += busFree - needed;
  }
}

namespace {
/// All blocks between two barriers.
struct Epoch {
  std::vector<const CoreBlock *> blocks;
  uint64_t computeCycles = 0, busCycles = 0;
  uint64_t spareCycles = 0; ///< Of the bus, that later epochs may use.
};
} // namespace

static std::vector<Epoch> epochsOf(ArrayRef<CoreBlock> blocks) {
  std::vector<Epoch> epochs;
  for (const CoreBlock &block : blocks) {
    epochs.resize(std::max<size_t>(epochs.size(), block.epoch + 1));
    Epoch &epoch = epochs[block.epoch];
    epoch.blocks.push_back(&block);
    epoch.computeCycles = std::max(epoch.computeCycles, block.computeCycles);
    epoch.busCycles += block.otherBusCycles;
    for (const BlockLoad &load : block.loads)
      epoch.busCycles += load.busCycles;
  }
  return epochs;
}

/// Reserves memory for the load from a slot of \p block on; false if there is
/// none.
static bool moveInto(const CoreBlock &block, Arena &arena, Life &life) {
  uint64_t home = life.address;
  arena.remove(life);
  unsigned last = block.endSlot - 1;
  for (unsigned start :
       {block.firstSlot, block.firstSlot + (last - block.firstSlot) / 2, last})
    if (startAt(arena, life, start))
      return true;
  arena.place(life, home);
  return false;
}

namespace {

/// Moves loads of one epoch after the other.
class BarrierPrefetch {
public:
  BarrierPrefetch(std::vector<Arena> &arenas, std::vector<Epoch> epochs,
                  llvm::function_ref<void(Life &, const CoreBlock &)> move)
      : arenas(arenas), epochs(std::move(epochs)), move(move) {}
  void run() {
    for (size_t e = 0; e < epochs.size(); ++e)
      visit(e);
  }

private:
  struct Load {
    BlockLoad load;
    const CoreBlock *block;
  };
  void visit(size_t e);
  bool tryMove(size_t e, Load &load);

  std::vector<Arena> &arenas;
  std::vector<Epoch> epochs;
  llvm::function_ref<void(Life &, const CoreBlock &)> move;
};

} // namespace

/// Into the next epoch before that has room for it, in memory and on the bus.
bool BarrierPrefetch::tryMove(size_t e, Load &load) {
  if (!load.load.life)
    return false;
  for (size_t k = e; k-- > 0;) {
    auto earlier = llvm::find_if(epochs[k].blocks, [&](const CoreBlock *other) {
      return other->core == load.block->core &&
             other->endSlot > other->firstSlot;
    });
    if (earlier == epochs[k].blocks.end() ||
        epochs[k].spareCycles < load.load.busCycles)
      continue;
    if (!moveInto(**earlier, arenas[load.block->core], *load.load.life))
      return false; // Nor from an earlier one on.
    epochs[k].spareCycles -= load.load.busCycles;
    epochs[e].busCycles -= load.load.busCycles;
    move(*load.load.life, **earlier);
    return true;
  }
  return false;
}

/// Where the bus is late for a load, those before it in the epoch are what it
/// waits for as well: the first ones hold their memory for the shortest time.
void BarrierPrefetch::visit(size_t e) {
  Epoch &epoch = epochs[e];
  std::vector<Load> loads;
  for (const CoreBlock *block : epoch.blocks)
    for (const BlockLoad &load : block->loads)
      loads.push_back({load, block});
  llvm::stable_sort(loads, [](const Load &a, const Load &b) {
    return a.load.neededCycle < b.load.neededCycle;
  });
  // When the bus is through with what was not moved, and by how much the
  // computation is late.
  uint64_t now = 0, lateCycles = 0;
  size_t firstUntried = 0;
  for (size_t i = 0; i < loads.size(); ++i) {
    now += loads[i].load.busCycles;
    uint64_t needed = loads[i].load.neededCycle + lateCycles;
    for (; now > needed && firstUntried <= i; ++firstUntried)
      if (tryMove(e, loads[firstUntried]))
        now -= loads[firstUntried].load.busCycles;
    if (now > needed)
      lateCycles += now - needed;
  }
  uint64_t cycles = epoch.computeCycles + lateCycles;
  if (cycles > epoch.busCycles)
    epoch.spareCycles = cycles - epoch.busCycles;
}

void npu::prefetchAcrossBarriers(
    std::vector<Arena> &arenas, ArrayRef<CoreBlock> blocks,
    llvm::function_ref<void(Life &, const CoreBlock &)> move) {
  BarrierPrefetch(arenas, epochsOf(blocks), move).run();
}
