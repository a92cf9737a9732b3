//===- BreakCodes.h - Why a program stops itself ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A program that cannot continue executes ebreak with a code in a7 for the
// reason, and with details in a0 and a1. The device's fault describes it in
// words.
//
//   if (a7 == kIndexOutOfBounds) // index a0 of an axis of a1 elements
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_BREAKCODES_H
#define YARROW_SUPPORT_BREAKCODES_H

#include <stdint.h> // freestanding: <cstdint> needs a C++ library

namespace yarrow {

/// An index a0, which was read from data, is out of bounds: the axis has a1
/// elements (kernels::CheckIndices).
constexpr uint32_t kIndexOutOfBounds = 0x1d8;

} // namespace yarrow

#endif // YARROW_SUPPORT_BREAKCODES_H
