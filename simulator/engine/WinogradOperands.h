//===- WinogradOperands.h - Legality of a Winograd command ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the engine's Winograd mode does not do is a fault that says so; see the
// description of `conv` in docs/isa.md.
//
//   if (Fault f = checkWinograd(conv, machine.winograd))
//     return f;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_WINOGRADOPERANDS_H
#define YARROW_SIMULATOR_ENGINE_WINOGRADOPERANDS_H

#include "isa/Machine.h"
#include "simulator/engine/ConvOperands.h"

namespace yarrow::sim {

/// The fields of any conv, whose sizes are not 0. A command without the mode
/// must not set the mode's fields.
Fault checkWinograd(const isa::Conv &conv, const isa::WinogradUnit &unit);

/// What lies in SRAM: weights must fit the multipliers, tap shifts 4 bits.
Fault checkWinogradWeights(const isa::Conv &conv, const ConvOperands &operands,
                           const isa::WinogradUnit &unit);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_WINOGRADOPERANDS_H
