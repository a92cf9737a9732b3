//===- SramLoads.h - Constants on their way into SRAM -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a program's copies of its constants left in SRAM: from which address of
// DDR the bytes came, so that weights that were packed for the host once are
// known again without a look at them; and whether they are in SRAM already.
// Weights that nothing but the tensor engine reads, which has them packed, are
// never copied.
//
// Whoever reads or writes SRAM says so before, and finds everything in place:
//
//   SramLoads loads(memory);
//   loads.load(offset, sizeBytes, address);       // a copy of constants
//   auto source = loads.sourceOf(offset, sizeBytes); // address
//   loads.read(begin, end);                       // now the bytes are there
//   loads.write(begin, end, /*isWhole=*/false);   // no longer constants
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_SRAMLOADS_H
#define YARROW_SIMULATOR_ENGINE_SRAMLOADS_H

#include "simulator/Memory.h"
#include <map>
#include <optional>

namespace yarrow::sim {

class SramLoads {
public:
  explicit SramLoads(Memory &memory) : memory(memory) {}

  /// Loads that reach beyond [0, limitBytes) of SRAM are copied and forgotten:
  /// what lies there (stacks) is accessed without a word.
  void setLimit(uint64_t limitBytes) { limit = limitBytes; }

  /// A copy of \p sizeBytes at DDR address \p source, which stays as it is as
  /// long as this remembers it.
  void load(uint64_t begin, uint64_t sizeBytes, uint32_t source);

  /// Bytes [begin, end) are about to be read.
  void read(int64_t begin, int64_t end);
  /// Or to be written: all of them, if \p isWhole, else some.
  void write(int64_t begin, int64_t end, bool isWhole);
  void readAll();
  void forgetAll();

  /// The DDR address of what [begin, begin + sizeBytes) holds.
  std::optional<uint32_t> sourceOf(uint64_t begin, uint64_t sizeBytes) const;
  bool isEmpty() const { return sources.empty(); }

private:
  struct Piece {
    uint64_t end;
    uint32_t source;
  };
  /// By begin; apart from one another.
  using Pieces = std::map<uint64_t, Piece>;

  /// Takes [begin, end) out; calls fn(begin, end, source) for what was there.
  template <typename Fn>
  static void cut(Pieces &pieces, uint64_t begin, uint64_t end, Fn fn);
  void copy(uint64_t begin, uint64_t end, uint32_t source);

  Memory &memory;
  uint64_t limit = UINT64_MAX;
  Pieces sources; ///< All that is remembered.
  Pieces waiting; ///< What of it is not in SRAM yet.
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_SRAMLOADS_H
