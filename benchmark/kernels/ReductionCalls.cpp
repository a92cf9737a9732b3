//===- ReductionCalls.cpp - Calls that combine values ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

/// 0 to \p most, rising, each as often as the others.
static std::vector<double> rising(uint32_t count, uint32_t most) {
  std::vector<double> values(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t whole = uint64_t(i) * (most + 1) / count;
    values[i] = double(whole);
  }
  return values;
}

void KernelCalls::addReductions() {
  constexpr uint32_t n = kElements, rows = 512, columns = 128;
  ReduceShape perRow{.rank = 2, .dims = {rows, columns}, .reducedMask = 2};
  add<ReduceInt>(Use::Common, "MEAN, 512 rows of 128 int8",
                 {.shape = perRow,
                  .op = ReduceOp::Mean,
                  .inZp = 3,
                  .requant = {.scale = 160, .shift = 15}},
                 {in(DType::I8, n), out(DType::I8, rows)});
  add<ReduceNormInt>(
      Use::Other, "L2, 512 rows of 128 int8",
      {.shape = perRow,
       .op = ReduceOp::L2,
       .requant = {.scale = 160, .shift = 10}},
      {in(DType::I8, n), in(DType::U8, 256), out(DType::U8, rows)});
  add<ReduceFloat>(Use::Common, "MEAN, 512 rows of 128 float32",
                   {.shape = perRow, .op = ReduceOp::Mean},
                   {in(DType::F32, n), out(DType::F32, rows)});

  add<CountInt>(Use::Other, "16 bins, int8", {.inner = n, .bins = 16},
                {in(DType::I8, n), valuesIn(DType::I64, rising(17, 120)),
                 out(DType::U16, 16)});
  add<CountFloat>(Use::Other, "16 bins, float32",
                  {.inner = n, .bins = 16, .inType = DType::F32},
                  {in(DType::F32, n, 0, 130),
                   valuesIn(DType::F32, rising(17, 120)), out(DType::U16, 16)});
  CumulateShape cumulate{.length = 1024, .inner = 64};
  add<CumulateSumInt>(Use::Common, "1024 x 64 int8",
                      {.shape = cumulate, .requant = sumRequant(14)},
                      {in(DType::I8, n), out(DType::I8, n)});
  CumulateShape lines{.outer = 64, .length = 1024};
  add<CumulateSumInt>(Use::Common, "64 rows of 1024 int8",
                      {.shape = lines, .requant = sumRequant(14)},
                      {in(DType::I8, n), out(DType::I8, n)});
  add<CumulateSumInt>(
      Use::Common, "64 rows of 1024 int16",
      {.shape = lines, .inType = DType::I16, .requant = sumRequant(22)},
      {in(DType::I16, n), out(DType::I8, n)});
  CumulateProductIntParams product{.shape = {.length = 16, .inner = 4096}};
  product.inZp = 3;
  product.requant = byteRequant();
  add<CumulateProductInt>(Use::Other, "16 x 4096 int8", product,
                          {in(DType::I8, n), in(DType::U16, 16),
                           in(DType::I32, 16, 8, 24), out(DType::I8, n)});
  add<CumulateFloat>(
      Use::Common, "64 rows of 1024 float16",
      {.shape = lines, .inType = DType::F16, .outType = DType::F16},
      {in(DType::F16, n), out(DType::F16, n)});
  add<CumulateFloat>(Use::Other, "1024 x 64 float32", {.shape = cumulate},
                     {in(DType::F32, n), out(DType::F32, n)});
  add<ReduceProductInt>(
      Use::Other, "16 x 4096 int8",
      {.kept = {.rank = 1, .dims = {4096}, .strides = {1}},
       .reduced = {.rank = 1, .dims = {16}, .strides = {4096}},
       .inZp = 3,
       .shift = 90,
       .requant = byteRequant()},
      {in(DType::I8, n), out(DType::I8, 4096)});

  SegmentShape segments{.rows = 1024, .inner = 64, .segments = 64};
  add<SegmentReduceInt>(Use::Other, "1024 rows of 64 int8 to 64",
                        {.shape = segments, .requant = sumRequant(10)},
                        {in(DType::I8, n),
                         valuesIn(DType::I32, rising(1024, 63)),
                         out(DType::I8, 64 * 64)});
  add<SegmentReduceFloat>(
      Use::Other, "1024 rows of 64 float32 to 64", {.shape = segments},
      {in(DType::F32, n), valuesIn(DType::I32, rising(1024, 63)),
       out(DType::F32, 64 * 64)});
  EmbeddingShape embedding{
      .table = 1000, .inner = 64, .rows = 128, .entries = 1024};
  add<EmbeddingSums>(
      Use::Other, "1024 rows of 64 int8 to 128", {.shape = embedding},
      {in(DType::I8, 1000 * 64), valuesIn(DType::I32, rising(1024, 127)),
       in(DType::I32, 1024, 0, 999), in(DType::U8, 1024),
       out(DType::I64, 128 * 64), out(DType::I64, 128)});
  add<EmbeddingCombine>(Use::Other, "MEAN, 128 rows of 64",
                        {.rows = 128,
                         .inner = 64,
                         .op = EmbeddingOp::Mean,
                         .requant = {.scale = 160, .shift = 10}},
                        {in(DType::I64, 128 * 64), in(DType::I64, 128, 1, 4000),
                         none(), out(DType::I8, 128 * 64)},
                        128 * 64);
  embedding.tableType = embedding.weightType = DType::F32;
  add<EmbeddingFloat>(
      Use::Other, "1024 rows of 64 float32 to 128", {.shape = embedding},
      {in(DType::F32, 1000 * 64), valuesIn(DType::I32, rising(1024, 127)),
       in(DType::I32, 1024, 0, 999), in(DType::F32, 1024),
       out(DType::F32, 128 * 64), out(DType::F32, 128 * 64),
       out(DType::F32, 128)});
}
