//===- Reduce.h - Reduction kernels ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reductions over any set of axes. Integer form: docs/operators/reduce.md. MIN
// and MAX copy a value, SUM and MEAN requantize sum(x + zp) (1/n is in the
// scale), VARIANCE requantizes the sum of squared differences from the rounded
// mean. Work is split by output elements.
//
// Kernels: Reduce.def; the table of yk_reduce_norm_int is the square root (L2).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_REDUCE_H
#define YARROW_KERNELS_REDUCE_REDUCE_H

#include "kernels/Signature.h"
#include "kernels/reduce/ReduceParams.h"

namespace yarrow::kernels {

#define YARROW_KERNELS "kernels/reduce/Reduce.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_REDUCE_H
