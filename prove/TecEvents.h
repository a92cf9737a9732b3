//===- TecEvents.h - What the TECs' program does ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The waits, signals and submitted lists of a program are instructions, not
// data. So the program itself is executed, once for each TEC, on memory that
// holds text, parameters and descriptors, but no tensors. Kernels return at
// once: the provenance states which memory they use. Their results matter only
// for the integers of If and Loop, which come from a plan of decisions.
//
//   TecEventsResult result = runTecs(executable, /*group=*/0, decisions);
//   for (const TecEvent &event : result.tecs[0]) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_TECEVENTS_H
#define YARROW_PROVE_TECEVENTS_H

#include "runtime/Executable.h"
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::prove {

struct TecEvent {
  enum class Kind : uint8_t {
    Submit,    ///< To queue `unit`: the list of `value` bytes at `offset`.
    SetOrigin, ///< Of counter `unit`: `value`.
    Wait,      ///< For counter `unit` to reach `value`.
    Step,      ///< Begins step `value` of the provenance.
    Call,      ///< Of its kernel. A decision is read where its step begins.
    Signal,
  };
  Kind kind = Kind::Signal;
  uint32_t unit = 0, value = 0;
  uint32_t offset = 0; ///< Of a list, in note "desc".
};

struct TecEventsResult {
  /// By TEC, in the order of its program.
  std::vector<std::vector<TecEvent>> tecs;
  /// What went another way than any program of Yarrow does; "" if nothing did.
  std::string problem;
  /// Decisions that were asked for beyond those that were given, which were
  /// taken to be "no".
  size_t numOpen = 0;
  size_t numDecisions = 0; ///< Taken by TEC 0.
};

/// Where regions begin in the memory in which the program runs; region 0 is the
/// SRAM as TECs see it.
std::vector<uint32_t> regionBases(const runtime::Executable &executable);

/// Samples that the program computes one after the other or side by side: each
/// has the same groups of commands, with parameter blocks of its own.
uint32_t numSamples(const runtime::Executable &executable);

/// Bytes of each region of a sample, as the file tells them; of the SRAM those
/// below the stacks.
std::vector<uint64_t> regionSizes(const runtime::Executable &executable);

/// The TECs' programs of \p group (of the first sample). The n-th decision that
/// a TEC reads is \p decisions [n], those beyond are no.
TecEventsResult runTecs(const runtime::Executable &executable, uint32_t group,
                        const std::vector<bool> &decisions);

} // namespace yarrow::prove

#endif // YARROW_PROVE_TECEVENTS_H
