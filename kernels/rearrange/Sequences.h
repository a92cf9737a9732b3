//===- Sequences.h - Repeating and reversing as data says -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels: Sequences.def. Counts and lengths come from the network's data: what
// they say beyond the tensors is cut off, negative ones count as 0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REARRANGE_SEQUENCES_H
#define YARROW_KERNELS_REARRANGE_SEQUENCES_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// sources = 0 repeats[0] times, 1 repeats[1] times, ...; the rest of `length`
/// is `slices`, which no slice is: yk_gather makes zeros of it. A TEC goes over
/// all counts, a scalar load each, and stores 4 bytes for each of its sources.
struct RepeatSourcesParams {
  uint32_t slices = 1, length = 1;
  uint32_t repeatCount = 1; // `slices`, or 1: the same for all
  DType repeatType = DType::I32;
};
static_assert(sizeof(RepeatSourcesParams) == 16);

/// The first lengths[s] steps of sequence s in reverse, the others as they are.
/// The input is [outer, sequences, middle, time, inner], or with time and
/// sequences exchanged. It moves runs along `inner` or along time, whichever is
/// longer: a load and a store per vector, strided along time.
struct ReverseSequenceParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  DType lengthType = DType::I32;
  uint32_t isTimeFirst = 0;
  uint32_t outer = 1, sequences = 1, middle = 1, time = 1, inner = 1;
};
static_assert(sizeof(ReverseSequenceParams) == 32);

#define YARROW_KERNELS "kernels/rearrange/Sequences.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REARRANGE_SEQUENCES_H
