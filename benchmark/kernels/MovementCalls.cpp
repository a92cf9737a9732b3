//===- MovementCalls.cpp - Calls that move values -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

void KernelCalls::addMovement() {
  constexpr uint32_t n = kElements, rows = 1024, inner = 64;
  add<Copy>(Use::Other, "[1024, 64] int8 transposed",
            {.rank = 2,
             .dims = {inner, rows},
             .srcStride = {1, int32_t(inner)},
             .dstStride = {int32_t(rows), 1}},
            {in(DType::I8, n), out(DType::I8, n)});
  add<Pad>(Use::Other, "[62, 62, 16] to [64, 64, 16] int8",
           {.rank = 3,
            .inDims = {62, 62, 16},
            .outDims = {64, 64, 16},
            .padBefore = {1, 1, 0}},
           {in(DType::I8, 62 * 62 * 16), out(DType::I8, n)});
  add<Gather>(
      Use::Other, "65536 elements float32",
      {.elemBytes = 4, .axisSize = 1000, .indexCount = n},
      {in(DType::F32, 1000), in(DType::I32, n, 0, 999), out(DType::F32, n)},
      4 * n);
  add<Gather>(Use::Other, "1024 rows of 64 int8",
              {.axisSize = 1000, .inner = inner, .indexCount = rows},
              {in(DType::I8, 1000 * inner), in(DType::I32, rows, 0, 999),
               out(DType::I8, n)});
  add<Split>(
      Use::Other, "[256, 256] int8 in two",
      {.outer = 256, .inInner = 256, .outputCount = 2, .inner = {128, 128}},
      {in(DType::I8, n), out(DType::I8, n / 2), out(DType::I8, n / 2)});
  add<LoopNext>(Use::Other, "int32", {},
                {valuesIn(DType::I32, {8}), valuesIn(DType::Bool, {1}),
                 valuesIn(DType::I32, {2, 1}), out(DType::I32, 1),
                 out(DType::Bool, 1), out(DType::I32, 2)},
                1);
  add<LoopCollect>(
      Use::Other, "64 KB", {.rowBytes = n, .capacity = 4},
      {in(DType::I8, n), valuesIn(DType::I32, {2, 1}), out(DType::I8, 4 * n)});
  add<Repeat>(Use::Other, "[256, 64] int8, 4 times each",
              {.slices = 256, .length = rows, .inner = inner},
              {in(DType::I8, 256 * inner), valuesIn(DType::I32, {4}),
               out(DType::I8, n)});
  add<ReverseSequence>(
      Use::Other, "[16, 64, 64] int8",
      {.sequences = 16, .time = 64, .inner = inner},
      {in(DType::I8, n), in(DType::I32, 16, 32, 64), out(DType::I8, n)});

  add<GatherElements>(
      Use::Other, "[512, 128] int8, axis 0",
      {.rank = 2,
       .dims = {512, 128},
       .strides = {0, 1},
       .axisSize = 512,
       .axisStride = 128},
      {in(DType::I8, n), in(DType::I32, n, 0, 511), out(DType::I8, n)});
  add<GatherND>(Use::Other, "1024 rows of 64 int8",
                {.places = rows, .inner = inner, .rank = 1, .dims = {1000}},
                {in(DType::I8, 1000 * inner), in(DType::I32, rows, 0, 999),
                 out(DType::I8, n)});
  add<CheckIndices>(Use::Other, "65,536 indices",
                    {.places = n, .lengths = {1000}},
                    {in(DType::I32, n, 0, 999), out(DType::I32, 2)});
  add<OneHot>(Use::Other, "[1024, 64] int8",
              {.outer = rows, .depth = inner, .on = {1}},
              {in(DType::I32, rows, 0, inner - 1), out(DType::I8, n)});
  add<Compress>(Use::Other, "1024 rows of 64 int8, half of them",
                {.axis = rows,
                 .inner = inner,
                 .conditions = rows,
                 .capacity = rows,
                 .conditionType = DType::Bool},
                {in(DType::I8, n), in(DType::Bool, rows), out(DType::I8, n)});
  add<NonZero>(
      Use::Other, "[256, 256] int8, half of them",
      {.rank = 2, .dims = {256, 256}, .capacity = n},
      {in(DType::I8, n, 0, 1), out(DType::I32, 2 * n), out(DType::I32, 1)});
  add<Unique>(Use::Other, "4096 int8", {.axis = 4096, .capacity = 4096},
              {in(DType::I8, 4096), out(DType::I8, 4096), out(DType::I32, 4096),
               out(DType::I32, 4096), out(DType::I32, 4096),
               out(DType::I32, 2 * 4096)},
              4096);

  ScatterShape elements{.elements = n,
                        .rank = 2,
                        .dims = {512, 128},
                        .strides = {0, 1},
                        .axisSize = 512,
                        .axisStride = 128};
  add<ScatterInt>(
      Use::Other, "[512, 128] int8, axis 0, ADD",
      {.shape = elements, .op = ScatterOp::Add, .requant = byteRequant()},
      {in(DType::I8, n), in(DType::I32, n, 0, 511), in(DType::I8, n),
       out(DType::I8, n), out(DType::I32, n)});
  add<ScatterFloat>(Use::Other, "[512, 128] float32, axis 0, ADD",
                    {.shape = elements, .op = ScatterOp::Add},
                    {in(DType::F32, n), in(DType::I32, n, 0, 511),
                     in(DType::F32, n), out(DType::F32, n),
                     out(DType::F32, n)});
  std::vector<double> places(rows);
  for (uint32_t i = 0; i < rows; ++i)
    places[i] = (i * 5) % rows;
  add<SlotUpdate>(Use::Other, "[1024, 64] int8",
                  {.slots = rows,
                   .inner = inner,
                   .counts = {rows},
                   .requant = byteRequant()},
                  {in(DType::I8, n), valuesIn(DType::I32, places),
                   out(DType::I8, n), out(DType::I32, n)});
}
