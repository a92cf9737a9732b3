//===- ConvOperands.h - A checked convolution command ---------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Host pointers to everything that a `conv` descriptor names, after every field
// has been found legal. What follows need not check again.
//
//   ConvOperands operands;
//   if (Fault f = resolveConv(conv, sram, operands))
//     return f;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H
#define YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H

#include "isa/Descriptors.h"
#include "simulator/engine/Sram.h"

namespace yarrow::sim {

struct ConvOperands {
  uint8_t *input = nullptr, *weights = nullptr, *output = nullptr;
  // Null unless the command uses them.
  uint8_t *bias = nullptr, *scales = nullptr, *shifts = nullptr;
  uint8_t *slopes = nullptr, *partials = nullptr;
  uint8_t *residual = nullptr, *lut = nullptr;
  uint64_t weightBytes = 0;
};

Fault resolveConv(const isa::Conv &conv, const Sram &sram,
                  ConvOperands &operands);

/// Weights of one output channel.
inline uint64_t filterSize(const isa::Conv &conv) {
  return uint64_t(conv.kernelY) * conv.kernelX *
         (conv.depthwise ? 1 : conv.inChannels / conv.groups);
}

/// The type of the elements written.
inline isa::ElementType writtenType(const isa::Conv &conv) {
  return conv.hasLut ? conv.lutType : conv.outType;
}

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H
