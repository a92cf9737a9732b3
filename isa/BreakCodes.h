//===- BreakCodes.h - Why a program stops itself ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A program that cannot go on executes ebreak with a code in a7 that says why,
// and with what it found in a0 and a1. The device's fault tells it in words.
//
//   if (a7 == isa::kIndexOutOfBounds) // index a0 of an axis of a1 elements
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_BREAKCODES_H
#define YARROW_ISA_BREAKCODES_H

#include <cstdint>

namespace yarrow::isa {

/// An index that was read from data, a0, is none of an axis of a1 elements
/// (kernels::CheckIndices, which knows the number by itself).
constexpr uint32_t kIndexOutOfBounds = 0x1d8;

} // namespace yarrow::isa

#endif // YARROW_ISA_BREAKCODES_H
