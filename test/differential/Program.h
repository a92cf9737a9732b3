//===- Program.h - A random program and where its parts lie -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A program sets all registers from its pool, then executes its steps in a
// loop. A step is an instruction under test, what prepares its operands and
// what appends its result to a log, so that a difference between two machines
// names the step. At the end the program writes the log, all registers and the
// scratch area to file descriptor 1 and exits, by Linux system calls.
//
//   Program program = generate(classNamed("vector-integer"), /*seed=*/1,
//                              /*steps=*/250);
//   std::vector<uint8_t> elf = program.elf();   // runs anywhere
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DIFFERENTIAL_PROGRAM_H
#define YARROW_TEST_DIFFERENTIAL_PROGRAM_H

#include "isa/TecInsts.h"
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::differential {

using isa::tec::InstId;

// Memory of a program. The scratch area, where the instructions under test load
// and store, ends where memory ends: a fault-only-first load can run over it.
inline constexpr uint32_t kTextAddress = 0x10000;
inline constexpr uint32_t kPoolAddress = 0x100000;
inline constexpr uint32_t kPoolBytes = 0x6000;
inline constexpr uint32_t kLogAddress = kPoolAddress + kPoolBytes;
inline constexpr uint32_t kLogBytes = 0x80000;
inline constexpr uint32_t kStateAddress = kLogAddress + kLogBytes;
inline constexpr uint32_t kStateBytes = 0x1000;
inline constexpr uint32_t kScratchAddress = kStateAddress + kStateBytes;
inline constexpr uint32_t kScratchBytes = 0x2000;
inline constexpr uint32_t kDataEnd = kScratchAddress + kScratchBytes;

/// Kinds of values in the pool, each kPoolPartBytes of it.
enum class Values : uint8_t {
  Integer, ///< Random, and corners of all widths.
  Single,  ///< 32-bit floats.
  Double,  ///< 64-bit floats.
  Boxed,   ///< 64-bit: singles, most of them NaN-boxed.
  Index8,  ///< Offsets into the scratch area.
  Index16,
  Index32,
  Mask,
};
inline constexpr uint32_t kPoolPartBytes = 0xC00;
static_assert(8 * kPoolPartBytes == kPoolBytes);

struct Step {
  InstId id;
  uint32_t word = 0;
  std::string context; ///< What it runs under, for people.
  uint32_t firstPc = 0;
  uint32_t logBytes = 0; ///< What it appends to the log each time.
};

struct Program {
  std::vector<uint32_t> text;
  std::vector<uint8_t> pool;
  std::vector<Step> steps;
  unsigned iterations = 1;

  uint32_t logBytesPerIteration() const;
  /// "step 17: vadd.vv (word 0x..., e8,m1, vl 3)", the one that has appended
  /// byte \p offset of the log.
  std::string stepOfLogByte(uint32_t offset) const;
  std::string stepAt(uint32_t pc) const;
  std::string describe(size_t step) const;
  /// A static executable for Linux.
  std::vector<uint8_t> elf() const;
};

/// What a machine makes of a program.
struct Outcome {
  std::string failure; ///< Why it did not reach the end; empty if it did.
  uint32_t failurePc = 0;
  std::vector<uint8_t> log, state, scratch;
  bool operator==(const Outcome &) const = default;
};

/// A name for byte \p offset of the saved state, as "v3 byte 7".
std::string stateName(uint32_t offset);

} // namespace yarrow::differential

#endif // YARROW_TEST_DIFFERENTIAL_PROGRAM_H
