//===- RecurrentCells.h - Steps of LSTMs and GRUs ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a step of an integer LSTM or GRU computes from the products of its input
// and its state (docs/operators/sequence.md). Every cell is independent: sums
// with a table each, then cell and state, without waits. The results are the
// bytes of the formula as a sequence of kernels (LstmProgram.cpp,
// GruProgram.cpp), which defines them. Since a step has few values, those
// kernels would mostly wait for each other.
//
// Kernels; work is split by cells of all entries of the batch:
//   yk_lstm_cell
//     i, f, o, g = table(RQ(x + h)), in this order of columns
//     c          = RQ(f * cell) + RQ(i * g), clipped to 32 bits
//     next_cell  = RQ(c), state = RQ(o * table(RQ(c)))
//   yk_gru_reset
//     hidden     = RQ(r * state), with the reset gate r = table(RQ(x + h)) in
//                  the first columns
//   yk_gru_cell
//     reset      = RQ(r * hidden), where it is not given
//     c          = table(RQ(x_candidates + reset))
//     next       = RQ(u * state - RQ((u - one) * c)), with the update gate u
//                  in the columns after those of r
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SEQUENCE_RECURRENTCELLS_H
#define YARROW_KERNELS_SEQUENCE_RECURRENTCELLS_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// round(x * scale / 2^shift), half to even.
struct CellScale {
  int32_t scale = 1; // 0 .. 65535, or as parameters say
  int32_t shift = 0; // 0 .. 62
};

/// Entries of tables are a power of two of at most as many as `type` has
/// values; between fewer of them is interpolated (activation/Lookup.h).
struct LstmCellParams {
  uint32_t batch = 1, cells = 1;
  int32_t strideX = 0;    // elements from entry to entry of x
  DType type = DType::I8; // of states and tables: I8 or I16
  // 1: sums are scaled by multiplier / 2^32, with one from a buffer for each
  // column. The sum saturates at 32 bits first: where it does so, its result
  // must be beyond the type's range.
  uint32_t areHigh = 0;
  // 1: scales and shifts of the sums come from buffers, one for each column.
  uint32_t perChannel = 0;
  DType scaleType = DType::U16;
  CellScale gates, candidates; // of the sums, unless one of the above
  uint32_t scalesH = 0;        // 1: h is requantized before it is added, by
  CellScale products;          // this; its shift from shift_h if perChannel
  uint32_t log2Gates = 8, log2Candidates = 8, log2Cell = 8;
  int32_t addedShift = 0; // of i * g, 0 .. 62
  CellScale kept;         // of f * cell
  CellScale argument, nextCell, state;
};
static_assert(sizeof(LstmCellParams) == 104);

struct GruCellParams {
  uint32_t batch = 1, cells = 1;
  // Elements from entry to entry of x and x_candidates.
  int32_t strideX = 0, strideCandidates = 0;
  DType type = DType::I8; // of states and tables: I8 or I16
  uint32_t log2Gates = 8, log2Candidates = 8;
  // 1: scales of gates and candidates are below 2^31, their shifts 32, and
  // sums saturate as those of an LSTM that areHigh.
  uint32_t areHigh = 0;
  CellScale gates;      // of x + h
  CellScale hidden;     // yk_gru_reset: of r * state
  CellScale reset;      // of r * hidden
  CellScale candidates; // of x_candidates + reset
  CellScale replaced;   // of (u - one) * c
  CellScale next;
};
static_assert(sizeof(GruCellParams) == 80);

#define YARROW_KERNELS "kernels/sequence/RecurrentCells.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SEQUENCE_RECURRENTCELLS_H
