//===- GateSums.h - Sums of products, requantized by column -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the gates of a recurrent layer with weights per channel add up: the
// products of input and state, each row of the weights with a multiplier and a
// shift of its own (docs/operators/sequence.md, BasicLSTM). Per tensor,
// yk_eltwise_int adds them.
//
// Kernels:
//   yk_gate_sums_int
//     output[r, c] = RQ(a[r, c] + b[r, c], scale[c], shift[c]); without b, of
//     a alone. Work is split by elements of the output
//     (kernels/registry/Work.def).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SEQUENCE_GATESUMS_H
#define YARROW_KERNELS_SEQUENCE_GATESUMS_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

struct GateSumsParams {
  uint32_t rows = 1, columns = 1;
  int32_t strideA = 0, strideB = 0; // elements from row to row; 0: one row
  Requant requant;                  // per channel, no activation
};
static_assert(sizeof(GateSumsParams) == 80);

#define YARROW_KERNELS "kernels/sequence/GateSums.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SEQUENCE_GATESUMS_H
