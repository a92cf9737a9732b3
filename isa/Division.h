//===- Division.h - Steps that a number of things takes -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A last step that is not full counts as a whole step.
//
//   divideUp(65, 32) == 3 // cycles for 65 bytes, 32 per cycle
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_DIVISION_H
#define YARROW_ISA_DIVISION_H

#include <cstdint>

namespace yarrow::isa {

/// \p a / \p b, rounded up. No overflow: counts of bytes, cycles and elements
/// of one command are far below 2^63, and so are the divisors.
constexpr uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

} // namespace yarrow::isa

#endif // YARROW_ISA_DIVISION_H
