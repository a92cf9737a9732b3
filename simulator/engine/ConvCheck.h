//===- ConvCheck.h - What a convolution command must hold -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   ConvOperands operands;
//   if (Fault f = resolveConv(conv, sram, machine.winograd, operands))
//     return f;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVCHECK_H
#define YARROW_SIMULATOR_ENGINE_CONVCHECK_H

#include "isa/Machine.h"
#include "simulator/engine/ConvOperands.h"

namespace yarrow::sim {

/// Finds the operands in SRAM; a fault if the command, or what it finds there,
/// is none that the machine executes. \p winograd is that of the machine.
Fault resolveConv(const isa::Conv &conv, const Sram &sram,
                  const isa::WinogradUnit &winograd, ConvOperands &operands);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVCHECK_H
