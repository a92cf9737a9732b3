//===- StoredLstm.h - An LSTM cell in integers ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One step of an LSTM whose input and output have 8 bits, whose cell and gates
// have 16, with scales that the model gives (NNAPI's QUANTIZED_LSTM).
// Multipliers round as requantizeTwice does.
//
// Kernels:
//   yk_stored_lstm_gate
//     A gate of all units, 15 fractional bits: sigmoid or tanh of the sums of
//     16 bits of x and h with their weights (and of the cell with a weight a
//     unit), perhaps normalized over the units. Work is split by batches.
//   yk_stored_lstm_cell
//     cell' = forget * cell + input * candidate; without an input gate, 1 -
//     forget is in its place. Work is split by elements.
//   yk_stored_lstm_hidden
//     gate * tanh(cell), in 8 bits. Work is split by elements.
//   yk_stored_lstm_projection
//     weights * hidden + bias, in 8 bits. Work is split by elements.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SEQUENCE_STOREDLSTM_H
#define YARROW_KERNELS_SEQUENCE_STOREDLSTM_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// multiplier / 2^shift, for requantizeTwice.
struct StoredScale {
  int32_t multiplier = 0;
  int32_t shift = 31; // 0 .. 62
};

/// At most 2^16 inputs and outputs, zero points of 8 bits: sums of products
/// stay within 32 bits.
struct StoredLstmGateParams {
  uint32_t batches = 1, inputs = 1, outputs = 1, units = 1;
  int32_t zeroX = 0, zeroH = 0; // stored zero points
  StoredScale x, h, peephole;   // to the sums, or to 12 fractional bits
  StoredScale norm;             // of the norm's weights to 12 fractional bits
  uint32_t isTanh = 0;
};
static_assert(sizeof(StoredLstmGateParams) == 60);

struct StoredLstmCellParams {
  uint32_t count = 1;
  int32_t fractionBits = 15;              // of the cell, 9 .. 15
  int32_t lo = INT16_MIN, hi = INT16_MAX; // of the cell
};
static_assert(sizeof(StoredLstmCellParams) == 16);

struct StoredLstmHiddenParams {
  uint32_t count = 1;
  int32_t fractionBits = 15; // of the cell
  StoredScale scale;         // of products with 30 fractional bits
  int32_t zero = 0;          // of the result
};
static_assert(sizeof(StoredLstmHiddenParams) == 20);

struct StoredLstmProjectionParams {
  uint32_t batches = 1, units = 1, outputs = 1;
  int32_t zeroIn = 0, zeroOut = 0; // of 8 bits
  StoredScale scale;
  int32_t lo = INT8_MIN, hi = INT8_MAX; // of the result
};
static_assert(sizeof(StoredLstmProjectionParams) == 36);

#define YARROW_KERNELS "kernels/sequence/StoredLstm.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SEQUENCE_STOREDLSTM_H
