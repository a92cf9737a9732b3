//===- SequenceCases.cpp - Calls of kernels of recurrent layers -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"

using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;
using yarrow::testing::kShiftSlot;

void KernelCaseBuilder::addSequences() {
  uint32_t columns = between(1, 300);
  GateSumsParams sums{.rows = between(1, 4), .columns = columns};
  sums.strideA = int32_t(columns + random.below(100));
  sums.strideB = flip() ? 0 : int32_t(columns);
  sums.requant = requant(false, false, columns);
  sums.requant.perChannel = 1;
  add("yk_gate_sums_int", sums, {{3, kShiftSlot}});

  // Tables of at most 2^10 entries of 16 bits, 4 * 4 * 100 sums.
  auto by = [&](uint32_t mostShift) {
    return CellScale{int32_t(random.below(1 << 15)),
                     int32_t(random.below(mostShift + 1))};
  };
  LstmCellParams lstm{.batch = between(1, 4), .cells = between(1, 100)};
  lstm.strideX = int32_t(4 * lstm.cells);
  lstm.type = signedInt();
  lstm.perChannel = flip(), lstm.scalesH = flip();
  lstm.areHigh = flip();
  lstm.scaleType = flip() ? DType::U8 : DType::U16;
  lstm.gates = by(40), lstm.candidates = by(40), lstm.products = by(30);
  uint32_t mostLog2 = lstm.type == DType::I8 ? 8 : 10;
  lstm.log2Gates = between(6, mostLog2);
  lstm.log2Candidates = between(6, mostLog2);
  lstm.log2Cell = between(6, mostLog2);
  lstm.addedShift = int32_t(random.below(5));
  lstm.kept = by(20), lstm.argument = by(30), lstm.nextCell = by(30);
  lstm.state = by(30);
  add("yk_lstm_cell", lstm, {{10, kShiftSlot}, {11, kShiftSlot}},
      /*inputCount=*/12, /*outputCount=*/2);

  GruCellParams gru{.batch = between(1, 4), .cells = between(1, 100)};
  gru.strideX = int32_t(2 * gru.cells + random.below(9));
  gru.strideCandidates = int32_t(gru.cells + random.below(9));
  gru.type = signedInt();
  mostLog2 = gru.type == DType::I8 ? 8 : 10;
  gru.log2Gates = between(6, mostLog2);
  gru.log2Candidates = between(6, mostLog2);
  gru.areHigh = flip();
  gru.gates = by(40), gru.hidden = by(20), gru.reset = by(20);
  gru.candidates = by(40), gru.replaced = by(20), gru.next = by(30);
  add("yk_gru_reset", gru);
  add("yk_gru_cell", gru);

  // Heads inside of steps or outside; at most 3 * 4 * 5 * 66 values.
  RotaryShape rotary{.batch = between(1, 3),
                     .heads = between(1, 4),
                     .steps = between(1, 5),
                     .size = between(2, 66)};
  bool isOutside = flip();
  rotary.batchStride = rotary.heads * rotary.steps * rotary.size;
  rotary.headStride = isOutside ? rotary.steps * rotary.size : rotary.size;
  rotary.stepStride = isOutside ? rotary.size : rotary.heads * rotary.size;
  rotary.rotated = 2 * between(1, rotary.size / 2);
  rotary.interleaved = flip();
  rotary.cacheRows = rotary.steps + random.below(4);
  rotary.cacheWidth = rotary.rotated / 2 + random.below(3);
  rotary.cacheBatchStride = flip() ? rotary.cacheRows * rotary.cacheWidth : 0;
  rotary.hasPositions = flip();
  rotary.positionType = random.of({DType::I8, DType::U8, DType::I32});
  add("yk_rotary_float", RotaryFloatParams{.shape = rotary,
                                           .inType = floating(),
                                           .cosType = floating(),
                                           .sinType = floating(),
                                           .outType = floating()});
  Requant range = requant();
  DType out = range.outType == DType::I32 ? DType::I16 : range.outType;
  add("yk_rotary_int",
      RotaryIntParams{.shape = rotary,
                      .inType = smallInt(),
                      .cosType = smallInt(),
                      .sinType = smallInt(),
                      .outType = out,
                      .cosFactor = real(0.0001f, 0.01f),
                      .sinFactor = real(0.0001f, 0.01f),
                      .keptFactor = real(0.1f, 2),
                      .lo = range.outType == out ? range.lo : -32768,
                      .hi = range.outType == out ? range.hi : 32767});

  // At most 4 * 300 elements of 16 bits, and 40 * 40 weights.
  auto scale = [&](int32_t least, int32_t most) {
    return StoredScale{int32_t((1u << 30) + random.below(1u << 30)),
                       int32_t(between(uint32_t(least), uint32_t(most)))};
  };
  StoredLstmGateParams gate{.batches = between(1, 4),
                            .inputs = between(1, 40),
                            .outputs = between(1, 40),
                            .units = between(1, 40),
                            .zeroX = around(100),
                            .zeroH = around(100)};
  gate.x = scale(30, 40), gate.h = scale(30, 40);
  gate.peephole = scale(40, 50), gate.norm = scale(32, 36);
  gate.isTanh = flip();
  add("yk_stored_lstm_gate", gate, {{4, kBiasSlot}});
  uint32_t count = between(1, 1000);
  int32_t fractionBits = int32_t(between(9, 15));
  add("yk_stored_lstm_cell",
      StoredLstmCellParams{.count = count, .fractionBits = fractionBits});
  add("yk_stored_lstm_hidden",
      StoredLstmHiddenParams{.count = count,
                             .fractionBits = fractionBits,
                             .scale = scale(50, 56),
                             .zero = around(100)});
  add("yk_stored_lstm_projection",
      StoredLstmProjectionParams{.batches = between(1, 4),
                                 .units = between(1, 40),
                                 .outputs = between(1, 40),
                                 .zeroIn = around(100),
                                 .zeroOut = around(100),
                                 .scale = scale(36, 44)},
      {{2, kBiasSlot}});
}
