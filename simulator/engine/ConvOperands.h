//===- ConvOperands.h - The operands of a convolution command ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Host pointers to all operands of a `conv` descriptor, after every field has
// been found legal (ConvCheck.h). Later code need not check again.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H
#define YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H

#include "isa/Descriptors.h"
#include "simulator/engine/Sram.h"

namespace yarrow::sim {

/// Null unless the command uses them.
struct ConvOperands : isa::Conv::PerAddress<uint8_t *> {
  uint8_t *tapShifts = nullptr; ///< Behind the weights, or null.
  uint64_t weightBytes = 0;     ///< With the tap shifts.
};

using isa::writtenType;

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVOPERANDS_H
