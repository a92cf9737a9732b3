//===- SelectionCalls.cpp - Calls that choose, and of sequences -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

void KernelCalls::addSelections() {
  constexpr uint32_t n = kElements;
  WhereShape same{.rank = 1, .dims = {n}, .strides = {{1}, {1}, {1}}};
  add<Where>(Use::Common, "int8", {.shape = same, .conditionType = DType::Bool},
             {in(DType::Bool, n), in(DType::I8, n), in(DType::I8, n),
              out(DType::I8, n)});
  WhereChoice choice{.zp = 3, .scale = 145, .shift = 8};
  add<WhereInt>(Use::Common, "int8, requantized",
                {.shape = same,
                 .conditionType = DType::Bool,
                 .choices = {choice, choice},
                 .requant = byteRequant()},
                {in(DType::Bool, n), in(DType::I8, n), in(DType::I8, n),
                 out(DType::I8, n)});
  add<ArgMinMax>(Use::Other, "512 rows of 128 int8",
                 {.outer = 512, .axis = 128},
                 {in(DType::I8, n), out(DType::U16, 512)});
  add<ArgMinMax>(Use::Common, "3072 rows of 21 int8",
                 {.outer = 3072, .axis = 21},
                 {in(DType::I8, 3072 * 21), out(DType::U16, 3072)}, 3072 * 21);
  add<ArgMinMax>(Use::Common, "21 x 3072 columns int8",
                 {.axis = 21, .inner = 3072},
                 {in(DType::I8, 21 * 3072), out(DType::I32, 3072)}, 21 * 3072);
  add<ArgMinMax>(Use::Other, "512 rows of 128 float32",
                 {.outer = 512, .axis = 128, .inType = DType::F32},
                 {in(DType::F32, n), out(DType::U16, 512)});
  add<TopK>(
      Use::Other, "5 of 1024, 64 rows of int8",
      {.outer = 64, .axis = 1024, .k = 5},
      {in(DType::I8, n), out(DType::I8, 64 * 5), out(DType::U16, 64 * 5)});
  add<InTopK>(
      Use::Other, "5 of 1024, 64 rows of int8",
      {.rows = 64, .classes = 1024, .k = 5},
      {in(DType::I8, n), in(DType::I32, 64, 0, 1023), out(DType::U8, 64)});

  constexpr uint32_t speech = 8, steps = 512, merged = speech * steps;
  add<CtcMerge>(Use::Other, "8 rows of 512 steps",
                {.rows = speech, .steps = steps, .capacity = steps},
                {in(DType::I32, merged, 0, 28),
                 valuesIn(DType::I32, std::vector<double>(speech, steps)),
                 out(DType::U16, merged)},
                merged);
  add<AccidentalHits>(
      Use::Other, "64 true classes, 1024 candidates",
      {.rows = 64, .trues = 1, .candidates = 1024, .capacity = 1024},
      {in(DType::I32, 64, 0, 999), in(DType::I32, 1024, 0, 999),
       out(DType::I32, 1024), out(DType::I32, 1024), out(DType::I32, 1)});

  GateSumsParams gates{.rows = 64,
                       .columns = 1024,
                       .strideA = 1024,
                       .strideB = 1024,
                       .requant = sumRequant(20)};
  gates.requant.perChannel = 1;
  add<GateSums>(Use::Common, "64 x 1024 int32 to int8", gates,
                {in(DType::I32, n), in(DType::I32, n), in(DType::U16, 1024),
                 in(DType::I8, 1024, 20, 24), out(DType::I8, n)});
  LstmCellParams lstm{.cells = 256,
                      .strideX = 1024,
                      .areHigh = 1,
                      .kept = {20000, 20},
                      .argument = {20000, 20},
                      .nextCell = {20000, 20},
                      .state = {20000, 22}};
  add<LstmCell>(Use::Common, "256 cells of int8", lstm,
                {in(DType::I32, 1024), in(DType::I32, 1024), in(DType::I8, 256),
                 in(DType::I8, 256), in(DType::I8, 256), in(DType::I8, 256),
                 in(DType::I8, 256), in(DType::I8, 256),
                 in(DType::I32, 1024, 0, 1 << 24), none(), none(), none(),
                 out(DType::I8, 256), out(DType::I8, 256)},
                256);
  GruCellParams gru{.cells = 256,
                    .strideX = 512,
                    .strideCandidates = 256,
                    .areHigh = 1,
                    .gates = {20000, 32},
                    .hidden = {1, 8},
                    .reset = {20000, 10},
                    .candidates = {20000, 32},
                    .replaced = {20000, 15},
                    .next = {20000, 22}};
  add<GruReset>(Use::Common, "256 cells of int8", gru,
                {in(DType::I32, 512), in(DType::I32, 512), in(DType::I8, 256),
                 in(DType::I8, 256), out(DType::I8, 256)},
                256);
  add<GruCell>(Use::Common, "256 cells of int8", gru,
               {in(DType::I32, 512), in(DType::I32, 512), in(DType::I32, 256),
                in(DType::I8, 256), none(), in(DType::I8, 256),
                in(DType::I8, 256), in(DType::I8, 256), out(DType::I8, 256)},
               256);
  RotaryShape heads{.heads = 8, .steps = 64, .size = 128};
  heads.batchStride = n, heads.headStride = 128, heads.stepStride = 8 * 128;
  heads.rotated = 128, heads.cacheRows = 64, heads.cacheWidth = 64;
  add<RotaryFloat>(Use::Other, "64 steps of 8 heads of 128 float32",
                   {.shape = heads},
                   {in(DType::F32, n), in(DType::F32, 64 * 64),
                    in(DType::F32, 64 * 64), none(), out(DType::F32, n)});
  add<RotaryInt>(Use::Other, "64 steps of 8 heads of 128 int8",
                 {.shape = heads, .cosFactor = 0.007f, .sinFactor = 0.007f},
                 {in(DType::I8, n), in(DType::I8, 64 * 64),
                  in(DType::I8, 64 * 64), none(), out(DType::I8, n)});

  constexpr StoredScale kScale{1 << 30, 36};
  StoredLstmGateParams cell{.batches = 16,
                            .inputs = 64,
                            .outputs = 64,
                            .units = 64,
                            .x = kScale,
                            .h = kScale,
                            .norm = kScale};
  add<StoredLstmGate>(Use::Other, "16 batches of 64 units", cell,
                      {in(DType::I8, 16 * 64), in(DType::I8, 16 * 64),
                       in(DType::I8, 64 * 64), in(DType::I8, 64 * 64),
                       in(DType::I32, 64), none(), none(), in(DType::I16, 64),
                       out(DType::I16, 16 * 64)});
  add<StoredLstmCell>(Use::Other, "4096 elements", {.count = 4096},
                      {in(DType::I16, 4096), in(DType::I16, 4096),
                       in(DType::I16, 4096), in(DType::I16, 4096),
                       out(DType::I16, 4096)});
  add<StoredLstmHidden>(
      Use::Other, "4096 elements", {.count = 4096, .scale = {1 << 30, 53}},
      {in(DType::I16, 4096), in(DType::I16, 4096), out(DType::I8, 4096)});
  add<StoredLstmProjection>(
      Use::Other, "16 batches, 64 to 64",
      {.batches = 16, .units = 64, .outputs = 64, .scale = {1 << 30, 40}},
      {in(DType::I8, 16 * 64), in(DType::I8, 64 * 64), in(DType::I32, 64),
       out(DType::I8, 16 * 64)});
}
