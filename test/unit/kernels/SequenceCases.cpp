//===- SequenceCases.cpp - Calls of kernels of recurrent layers -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"

using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

void KernelCaseBuilder::addSequences() {
  uint32_t columns = between(1, 300);
  GateSumsParams sums{.rows = between(1, 4), .columns = columns};
  sums.strideA = int32_t(columns + random.below(100));
  sums.strideB = flip() ? 0 : int32_t(columns);
  sums.requant = requant(false, false, columns);
  sums.requant.perChannel = 1;
  add("yk_gate_sums_int", sums, {{3, kShiftSlot}});
}
