//===- X2.h - The machine that tests of costs count on ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   CommandCost cost = costOf(command, x2());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_ISA_X2_H
#define YARROW_TEST_UNIT_ISA_X2_H

#include "isa/Machine.h"

namespace yarrow::isa {

inline Machine x2() {
  DiagnosticEngine diags;
  return *findTarget("X2_1204", diags);
}

} // namespace yarrow::isa

#endif // YARROW_TEST_UNIT_ISA_X2_H
