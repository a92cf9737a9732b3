//===- Arena.h - Places for buffers that are alive at times -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Places intervals of time in one memory, each at the lowest address that is
// free for it.
//
//   Arena arena(machine.dataSramBytes());
//   if (std::optional<uint64_t> address = arena.find(life, life.first))
//     arena.place(life, *address);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PLAN_ARENA_H
#define YARROW_PASSES_PLAN_ARENA_H

#include "isa/ElfLayout.h"
#include "isa/Types.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <climits>
#include <optional>
#include <vector>

namespace yarrow::npu {

/// When a buffer is in use.
struct Life {
  unsigned number = 0; ///< The buffer's.
  unsigned region = 0;
  unsigned core = 0;                   ///< Whose SRAM it is in.
  unsigned first = UINT_MAX, last = 0; ///< slots, inclusive
  unsigned earliest = 0;               ///< a load may not start before
  bool isLoaded = false;               ///< written by loads only
  bool staysInPlace = false;           ///< crosses a loop: no prefetch
  uint64_t sizeBytes = 0, address = 0;
  bool placed = false;
};

/// First-fit placement of intervals in one memory. What is alive is kept by
/// stretches of time: a life is compared with those near to it, not with all,
/// so that a plan takes time in proportion to the commands.
class Arena {
public:
  explicit Arena(uint64_t limitBytes) : limitBytes(limitBytes) {}

  /// The lowest free address for [first, last], or nullopt.
  std::optional<uint64_t> find(const Life &life, unsigned first) {
    taken.clear();
    unsigned from = first / kStretch, to = life.last / kStretch;
    for (unsigned stretch = from; stretch <= to && stretch < alive.size();
         ++stretch)
      for (const Life *other : alive[stretch])
        // In the first stretch that both have, once.
        if (std::max(other->first, first) / kStretch == stretch &&
            other->first <= life.last && first <= other->last)
          taken.push_back({other->address, other->address + other->sizeBytes});
    llvm::sort(taken);
    uint64_t at = 0;
    for (auto [begin, end] : taken) {
      if (at + life.sizeBytes <= begin)
        break;
      at = std::max(at, llvm::alignTo(end, isa::kBufferAlignBytes));
    }
    if (at + life.sizeBytes > limitBytes)
      return std::nullopt;
    return at;
  }
  void place(Life &life, uint64_t address) {
    life.address = address;
    life.placed = true;
    unsigned to = life.last / kStretch;
    if (alive.size() <= to)
      alive.resize(to + 1);
    for (unsigned stretch = life.first / kStretch; stretch <= to; ++stretch)
      alive[stretch].push_back(&life);
  }
  void remove(Life &life) {
    for (unsigned stretch = life.first / kStretch;
         stretch <= life.last / kStretch; ++stretch)
      llvm::erase(alive[stretch], &life);
  }

private:
  /// Slots; most lives are shorter.
  static constexpr unsigned kStretch = 64;

  uint64_t limitBytes;
  std::vector<std::vector<Life *>> alive;           ///< By stretch.
  std::vector<std::pair<uint64_t, uint64_t>> taken; ///< Of find, kept.
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_PLAN_ARENA_H
