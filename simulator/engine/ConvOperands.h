//===- ConvOperands.h - A checked convolution command -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Host pointers to everything that a `conv` descriptor names, after every field
// has been found legal. What follows need not check again.
//
//   ConvOperands operands;
//   if (Fault f = resolveConv(conv, sram, machine.winograd, operands))
//     return f;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H
#define YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H

#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include "simulator/engine/Sram.h"

namespace yarrow::sim {

/// Null unless the command uses them.
struct ConvOperands : isa::Conv::PerAddress<uint8_t *> {
  uint8_t *tapShifts = nullptr; ///< Behind the weights, or null.
  uint64_t weightBytes = 0;     ///< With the tap shifts.
};

/// \p winograd is that of the machine.
Fault resolveConv(const isa::Conv &conv, const Sram &sram,
                  const isa::WinogradUnit &winograd, ConvOperands &operands);

/// The type of the elements written.
inline isa::ElementType writtenType(const isa::Conv &conv) {
  return conv.hasLut ? conv.lutType : conv.outType;
}

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H
