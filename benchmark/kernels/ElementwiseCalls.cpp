//===- ElementwiseCalls.cpp - Calls of elementwise kernels ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

void KernelCalls::addElementwise() {
  constexpr uint32_t n = kElements, rows = 512, columns = 128;
  // Operands of one shape, and one operand for each row.
  BroadcastShape same{.rank = 1, .dims = {n}, .strideA = {1}, .strideB = {1}};
  BroadcastShape perColumn{.rank = 2,
                           .dims = {rows, columns},
                           .strideA = {int32_t(columns), 1},
                           .strideB = {0, 1}};
  Requant relu = byteRequant();
  relu.act = Act::Relu;
  add<ActivationInt>(Use::Common, "RELU, int8", {.count = n, .requant = relu},
                     {in(DType::I8, n), none(), out(DType::I8, n)});
  Requant prelu = byteRequant();
  prelu.slopeType = DType::I8;
  prelu.slopeShift = 7;
  add<PReluInt>(Use::Common, "slope per channel, int8",
                {.shape = perColumn, .requant = prelu},
                {in(DType::I8, n), in(DType::I8, columns), out(DType::I8, n)});
  add<PReluFloat>(
      Use::Common, "slope per channel, float32", {.shape = perColumn},
      {in(DType::F32, n), in(DType::F32, columns), out(DType::F32, n)});
  add<PReluFloat>(
      Use::Common, "slope per channel, float16",
      {.shape = perColumn,
       .inType = DType::F16,
       .slopeType = DType::F16,
       .outType = DType::F16},
      {in(DType::F16, n), in(DType::F16, columns), out(DType::F16, n)});
  add<Lut>(Use::Common, "int8, 256 entries", {.count = n},
           {in(DType::I8, n), in(DType::I8, 256), out(DType::I8, n)});
  add<PeriodicLut>(
      Use::Other, "int16, 1024 entries",
      {.count = n, .scale = 20000, .shift = 16},
      {in(DType::I16, n), in(DType::I16, 1024), out(DType::I16, n)});
  add<UnaryFloat>(Use::Common, "SIGMOID, float32",
                  {.count = n, .fn = UnaryFn::Sigmoid},
                  {in(DType::F32, n, -8, 8), out(DType::F32, n)});
  add<UnaryFloat>(Use::Common, "SILU, float16",
                  {.count = n,
                   .inType = DType::F16,
                   .outType = DType::F16,
                   .fn = UnaryFn::Silu},
                  {in(DType::F16, n, -8, 8), out(DType::F16, n)});
  add<UnaryFloat>(Use::Common, "SIGN, float16",
                  {.count = n,
                   .inType = DType::F16,
                   .outType = DType::F16,
                   .fn = UnaryFn::Sign},
                  {in(DType::F16, n, -8, 8), out(DType::F16, n)});

  EltwiseIntParams sum{.shape = same, .op = BinaryOp::Add};
  sum.scaleA = 180, sum.scaleB = 255;
  sum.zpA = 5, sum.zpB = -7;
  sum.requant = byteRequant();
  sum.requant.scale = 157, sum.requant.shift = 16;
  add<EltwiseInt>(
      Use::Common, "ADD, int8", sum,
      {in(DType::I8, n), in(DType::I8, n), none(), out(DType::I8, n)});
  add<EltwiseFloat>(
      Use::Common, "ADD, float32", {.shape = same},
      {in(DType::F32, n), in(DType::F32, n), none(), out(DType::F32, n)});
  add<EltwiseFloat>(
      Use::Common, "MAX, float32", {.shape = same, .op = BinaryOp::Max},
      {in(DType::F32, n), in(DType::F32, n), none(), out(DType::F32, n)});
  EltwiseFloatParams halves{.shape = same,
                            .op = BinaryOp::Add,
                            .typeA = DType::F16,
                            .typeB = DType::F16,
                            .outType = DType::F16,
                            .act = {.act = Act::Relu}};
  add<EltwiseFloat>(
      Use::Common, "ADD and RELU, float16", halves,
      {in(DType::F16, n), in(DType::F16, n), none(), out(DType::F16, n)});
  halves.shape = perColumn, halves.op = BinaryOp::Mul;
  halves.act.act = Act::None;
  add<EltwiseFloat>(
      Use::Common, "MUL by a row, float16", halves,
      {in(DType::F16, n), in(DType::F16, columns), none(), out(DType::F16, n)});
  add<DivInt>(Use::Other, "int8",
              {.shape = same, .zpA = 5, .requant = byteRequant()},
              {in(DType::I8, n), in(DType::I8, n), in(DType::U16, 256),
               out(DType::I8, n)});

  add<Quantize>(Use::Common, "float32 to int8",
                {.count = n, .scale = 100.0f, .zp = 3},
                {in(DType::F32, n), out(DType::I8, n)});
  add<Dequantize>(Use::Common, "int8 to float32",
                  {.count = n, .scale = 100.0f, .zp = 3},
                  {in(DType::I8, n), out(DType::F32, n)});
  add<Cast>(Use::Common, "int8 to int8, requantized",
            {.count = n,
             .mode = CastMode::Requantize,
             .zp = 3,
             .scale = 145,
             .shift = 8},
            {in(DType::I8, n), out(DType::I8, n)});
  add<Concat>(Use::Common, "2 x [256, 128] int8, requantized",
              {.outer = 256,
               .outInner = 256,
               .inputCount = 2,
               .branches = {{.inner = 128, .scale = 190, .shift = 8},
                            {.inner = 128, .scale = 145, .shift = 8}}},
              {in(DType::I8, n / 2), in(DType::I8, n / 2), out(DType::I8, n)});
}
