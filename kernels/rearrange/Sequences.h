//===- Sequences.h - Repeating and reversing as data says -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels: Sequences.def. Counts and lengths come from the network's data: they
// are limited to the tensors, and negative ones count as 0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REARRANGE_SEQUENCES_H
#define YARROW_KERNELS_REARRANGE_SEQUENCES_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// Of the input [outer, slices, inner] slice 0 repeats[0] times, slice 1
/// repeats[1] times, ...; zero bytes fill the rest of the output [outer,
/// length, inner]. Work is split by positions of `length`. A TEC adds up the
/// counts of the slices before its own in vectors, then moves runs along
/// `inner` or along the repeats of a slice, whichever is longer.
struct RepeatParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  DType repeatType = DType::I32;
  uint32_t outer = 1, slices = 1, length = 1, inner = 1;
  uint32_t repeatCount = 1; // `slices`, or 1: the same for all
};
static_assert(sizeof(RepeatParams) == 28);

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
