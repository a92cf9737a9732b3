//===- Count.h - Histograms -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Work is split by bins: a task goes over the whole input of each of its bins,
// in vectors, so that no two write one counter. bins * inner / lanes * 5 vector
// operations, which for the few bins of a histogram is less than a scalar
// counter for each element.
//
// Kernels: Count.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_COUNT_H
#define YARROW_KERNELS_REDUCE_COUNT_H

#include "kernels/Kernel.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// output[n, i] = how many of the stored input[n, ...] are at least edges[i]
/// and below edges[i + 1]; as many as its type holds.
struct CountParams {
  uint32_t outer = 1, inner = 1, bins = 1;
  DType inType = DType::I8;
  DType outType = DType::U16;
};
static_assert(sizeof(CountParams) == 20);

#define YARROW_KERNELS "kernels/reduce/Count.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_COUNT_H
