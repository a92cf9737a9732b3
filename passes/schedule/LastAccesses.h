//===- LastAccesses.h - Who touched which bytes last ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A command must wait for the last write to the bytes that it uses and, if it
// writes, for their reads since then. Earlier accesses are complete by then. So
// a region is kept as segments of bytes that the same commands used last. An
// access looks only at its own segments, so networks of 100,000 commands stay
// fast.
//
//   LastAccesses region;
//   region.forEachBefore({0, 64}, /*isWrite=*/true, [&](unsigned unit, uint64_t
//   n) {
//     waits[unit] = std::max(waits[unit], n + 1);
//   });
//   region.add({0, 64}, /*isWrite=*/true, unit, ordinal);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_SCHEDULE_LASTACCESSES_H
#define YARROW_PASSES_SCHEDULE_LASTACCESSES_H

#include "isa/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <cstdint>
#include <map>

namespace yarrow::npu {

/// Bytes from `begin` to before `end`.
struct ByteRange {
  uint64_t begin, end;
};

class LastAccesses {
public:
  /// Calls \p visit with units and ordinals of commands whose access to \p
  /// range has to come before one that comes now. May name a command several
  /// times.
  void forEachBefore(
      ByteRange range, bool isWrite,
      llvm::function_ref<void(unsigned unit, uint64_t ordinal)> visit) const;
  /// An access of the `ordinal`-th command of \p unit.
  void add(ByteRange range, bool isWrite, unsigned unit, uint64_t ordinal);

private:
  /// Counted from 1; 0 if there is none.
  using Ordinals = std::array<uint64_t, isa::kNumCounters>;
  struct Segment {
    uint64_t end;
    Ordinals writes = {}; ///< At most one of them is not 0.
    Ordinals reads = {};  ///< Since the write.
  };
  using Segments = std::map<uint64_t, Segment>; ///< By where they begin.

  void splitAt(uint64_t address);
  void addWrite(ByteRange range, unsigned unit, uint64_t ordinal);
  void addRead(ByteRange range, unsigned unit, uint64_t ordinal);

  Segments segments; ///< Do not overlap.
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_SCHEDULE_LASTACCESSES_H
