//===- Multinomial.h - Kernel of random choices -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels: Multinomial.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SELECT_MULTINOMIAL_H
#define YARROW_KERNELS_SELECT_MULTINOMIAL_H

#include "kernels/Signature.h"

namespace yarrow::kernels {

/// Choices [rows, samples] among classes that are as likely as their weights
/// [rows, classes], which are not negative: the first class up to which the
/// weights exceed u times their sum, in doubles and in their order; u in [0, 1)
/// has 53 bits of the generator (Philox.h) with the two seeds as its key and
/// {sample, row, 0, 0} as its counter. A row without weight gives its last
/// class. Work is split by samples of all rows.
struct MultinomialParams {
  uint32_t rows = 1, classes = 1, samples = 1;
};
static_assert(sizeof(MultinomialParams) == 12);

#define YARROW_KERNELS "kernels/select/Multinomial.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SELECT_MULTINOMIAL_H
