//===- SimulatorCode.h - The number of a target in a driver's words -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The number with which a driver asks a simulator for a target
// (yarrow_sim_config.code of SimulatorApi.h).
//
//   simulatorCode(*isa::findTarget("X2_1204MP3", diags)); // 2
//   simulatorCode(*isa::findTarget("X3P_1304", diags));   // 0x80001124
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_SIMULATORCODE_H
#define YARROW_ISA_SIMULATORCODE_H

#include "isa/Machine.h"

namespace yarrow::isa {

/// Nothing if a driver has no number for such a machine.
std::optional<int32_t> simulatorCode(const Machine &machine);

/// How many cores a number of version 3.2 asks for.
uint32_t coresOfSimulatorCode(int32_t code);

} // namespace yarrow::isa

#endif // YARROW_ISA_SIMULATORCODE_H
