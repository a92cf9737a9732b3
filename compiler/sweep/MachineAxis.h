//===- MachineAxis.h - What a sweep varies of a machine ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --vary: a key of a machine's file and the numbers that it takes, as a list or
// as a range with a factor or a step. Numbers may end in K or M (1024 and its
// square).
//
//   sramBytes=256K:8M:x2        262144, 524288, ... 8388608
//   ddrBytesPerCycle=8,16,32
//   tec.floatCycles=2:8:+2      2, 4, 6, 8
//
//   auto axis = parseMachineAxis("sramBytes=1M,2M", base, diags);
//   auto machines = machinesOf(base, {*axis}, diags);   // two
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SWEEP_MACHINEAXIS_H
#define YARROW_COMPILER_SWEEP_MACHINEAXIS_H

#include "isa/Machine.h"
#include "support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct MachineAxis {
  std::string key; ///< "sramBytes", "macArray.pixels"
  std::vector<uint64_t> values;
};

/// Ascending numbers, none twice. Nullopt after TargetInvalid: \p base has no
/// such key, or the rest is no list and no range.
std::optional<MachineAxis> parseMachineAxis(const std::string &text,
                                            const isa::Machine &base,
                                            DiagnosticEngine &diags);

/// Every combination, the last axis the fastest, all with the name of \p base.
/// Nullopt after TargetInvalid: some number is none
/// that the key can have, or there are too many machines.
std::optional<std::vector<isa::Machine>>
machinesOf(const isa::Machine &base, const std::vector<MachineAxis> &axes,
           DiagnosticEngine &diags);

/// "256K", "8M", "24"
std::string shortNumber(uint64_t value);

} // namespace yarrow

#endif // YARROW_COMPILER_SWEEP_MACHINEAXIS_H
