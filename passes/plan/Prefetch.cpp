//===- Prefetch.cpp - Loads ahead of their use ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/Prefetch.h"

using namespace yarrow;
using namespace yarrow::npu;
using llvm::ArrayRef;

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
