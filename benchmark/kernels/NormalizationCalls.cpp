//===- NormalizationCalls.cpp - Calls of normalizations and Softmax -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

#include <cmath>

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

/// As kernels/norm/InverseSqrt.h describes it.
static CallBuffer inverseSqrtTable() {
  std::vector<double> values(193);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::floor(32767 / std::sqrt(1 + double(i) / 64));
  return valuesIn(DType::I16, std::move(values));
}

/// exp((i - 255) * step) * most over the differences of 8-bit values.
static CallBuffer expTable(DType type, double most) {
  std::vector<double> values(256);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::exp((double(i) - 255) * 0.05) * most;
  return valuesIn(type, std::move(values));
}

void KernelCalls::addNormalizations() {
  constexpr uint32_t n = kElements, rows = 512, columns = 128;
  NormShape shape{.inner = columns, .innerAffineStride = 1};
  shape.kept = {.rank = 1, .dims = {rows}, .strides = {columns}};
  LayerNormIntParams layerNorm{.shape = shape, .varShift = 4};
  layerNorm.normShift = 2; // as quantizer/rules/MeanVariance.cpp has them
  layerNorm.hasSmallSums = 1;
  layerNorm.requant = {.scale = 160, .shift = 15};
  add<LayerNormInt>(Use::Common, "512 rows of 128 int8", layerNorm,
                    {in(DType::I8, n), in(DType::I8, columns),
                     in(DType::I32, columns, -5000, 5000), none(), none(),
                     inverseSqrtTable(), out(DType::I8, n)});
  add<NormGains>(Use::Common, "512 rows of 128 int8", layerNorm,
                 {in(DType::I8, n), inverseSqrtTable(), none(),
                  out(DType::I32, 2 * rows)});
  LayerNormIntParams channelNorm;
  channelNorm.shape = {.inner = 32, .groupColumns = 1, .blockColumns = 32};
  channelNorm.shape.reduced = {.rank = 1, .dims = {n / 32}, .strides = {32}};
  channelNorm.shape.parts = 4;
  add<NormSums>(Use::Common, "32 channels of int8", channelNorm,
                {in(DType::I8, n), out(DType::I64, 2 * 32 * 4)});
  GroupGainsParams groupGains{
      .layer = layerNorm, .groups = rows, .terms = columns};
  add<GroupGains>(Use::Common, "512 groups of 128 int8", groupGains,
                  {in(DType::I32, rows, -1000, 1000),
                   in(DType::I32, rows * kGroupBlock, 100000, 1000000),
                   inverseSqrtTable(), out(DType::I32, 2 * rows)},
                  rows);
  groupGains.terms = 16;
  add<GroupGains>(Use::Common, "512 groups of 16 int8", groupGains,
                  {in(DType::I32, rows, -1000, 1000),
                   in(DType::I32, rows * kGroupBlock, 20000, 100000),
                   inverseSqrtTable(), out(DType::I32, 2 * rows)},
                  rows);
  add<LayerNormFloat>(Use::Common, "512 rows of 128 float32", {.shape = shape},
                      {in(DType::F32, n), in(DType::F32, columns),
                       in(DType::F32, columns), out(DType::F32, n)});
  add<LayerNormFloat>(Use::Common, "512 rows of 128 float16",
                      {.shape = shape,
                       .inType = DType::F16,
                       .outType = DType::F16,
                       .weightType = DType::F16,
                       .biasType = DType::F16},
                      {in(DType::F16, n), in(DType::F16, columns),
                       in(DType::F16, columns), out(DType::F16, n)});
  NormShape channels = channelNorm.shape;
  channels.innerAffineStride = 1;
  add<LayerNormFloat>(Use::Other, "32 channels of float16",
                      {.shape = channels,
                       .inType = DType::F16,
                       .outType = DType::F16,
                       .weightType = DType::F16,
                       .biasType = DType::F16},
                      {in(DType::F16, n), in(DType::F16, 32),
                       in(DType::F16, 32), out(DType::F16, n)});
  LpNormIntParams lpNorm{.shape = shape, .scale = 255, .shift = 4};
  lpNorm.preShift = 1;
  add<LpNormInt>(Use::Common, "L2, 512 rows of 128 int8", lpNorm,
                 {in(DType::I8, n), inverseSqrtTable(), out(DType::I8, n)});
  add<LpNormFloat>(Use::Common, "L2, 512 rows of 128 float32",
                   {.shape = shape, .epsilon = 1e-6f},
                   {in(DType::F32, n), out(DType::F32, n)});
  LocalResponseShape lrn{.height = 32, .width = 32, .channels = 64, .size = 5};
  add<LocalResponseInt>(
      Use::Common, "5 of 64 channels, int8",
      {.shape = lrn,
       .sumScale = 200,
       .sumShift = 8,
       .requant = {.scale = 160, .shift = 22}},
      {in(DType::I8, n), in(DType::U16, 256), out(DType::I8, n)});
  add<LocalResponseFloat>(Use::Common, "5 of 64 channels, float32",
                          {.shape = lrn, .alpha = 1e-4f, .beta = 0.75f},
                          {in(DType::F32, n), out(DType::F32, n)});
  ReduceShape perRow{.rank = 2, .dims = {rows, columns}, .reducedMask = 2};
  add<MomentsInt>(
      Use::Other, "512 rows of 128 int8",
      {.shape = perRow,
       .inScale = 2,
       .variance = {.outType = DType::U8,
                    .scale = 160,
                    .shift = 15,
                    .lo = 0,
                    .hi = 255}},
      {in(DType::I8, n), out(DType::I8, rows), out(DType::U8, rows)});
  add<DifferenceSumsInt>(Use::Other, "512 rows of 128 int32",
                         {.shape = perRow,
                          .sum = {.scale = 160, .shift = 24},
                          .squareSum = {.scale = 160, .shift = 30}},
                         {in(DType::I32, n, -1000, 1000), out(DType::I8, rows),
                          out(DType::I8, rows)});
  Requant wide = sumRequant(20);
  add<BatchNormInt>(Use::Common, "512 x 128 channels, int8",
                    {.outer = rows, .channels = columns, .requant = wide},
                    {in(DType::I8, n), in(DType::I16, columns),
                     in(DType::I32, columns), none(), none(), none(),
                     out(DType::I8, n)});
  add<BatchNormFloat>(Use::Common, "512 x 128 channels, float32",
                      {.outer = rows, .channels = columns},
                      {in(DType::F32, n), in(DType::F32, columns),
                       in(DType::F32, columns), out(DType::F32, n)});

  SoftmaxShape softmax{.outer = rows, .axis = columns};
  add<SoftmaxLutInt>(
      Use::Common, "512 rows of 128 int8, LUT",
      {.shape = softmax, .scale = 255, .extraBits = 23},
      {in(DType::I8, n), expTable(DType::U32, 1 << 24), out(DType::U8, n)});
  // Anchors with two scores, pixels with classes, and a classifier.
  struct {
    const char *what;
    uint32_t rows, columns;
  } shapes[] = {{"4096 rows of 2 int8, LUT", 4096, 2},
                {"1024 rows of 21 int8, LUT", 1024, 21},
                {"512 rows of 80 int8, LUT", 512, 80},
                {"8 rows of 1001 int8, LUT", 8, 1001}};
  for (const auto &shape : shapes) {
    uint32_t elements = shape.rows * shape.columns;
    add<SoftmaxLutInt>(Use::Common, shape.what,
                       {.shape = {.outer = shape.rows, .axis = shape.columns},
                        .scale = 255,
                        .extraBits = 23},
                       {in(DType::I8, elements), expTable(DType::U32, 1 << 24),
                        out(DType::U8, elements)},
                       elements);
  }
  constexpr uint32_t pixels = 3072, classes = 21;
  add<SoftmaxLutInt>(Use::Other, "21 channels of 3072 pixels int16, LUT",
                     {.shape = {.axis = classes, .inner = pixels},
                      .inType = DType::I16,
                      .outType = DType::U16,
                      .inBits = 16,
                      .scale = 32767,
                      .extraBits = 16,
                      .hi = 65535},
                     {in(DType::I16, classes * pixels),
                      expTable(DType::U32, 1 << 24),
                      out(DType::U16, classes * pixels)},
                     classes * pixels);
  add<SoftmaxLutInt>(Use::Other, "4096 rows of 2 int8, LUT, quotients",
                     {.shape = {.outer = 4096, .axis = 2},
                      .numeratorFirst = 1,
                      .scale = 255,
                      .extraBits = 7},
                     {in(DType::I8, 8192), expTable(DType::U32, 1 << 24),
                      out(DType::U8, 8192)},
                     8192);
  add<SoftmaxReverse>(
      Use::Common, "sums of 1024 rows",
      {.count = 1024, .scale = 255, .extraBits = 23},
      {in(DType::I32, 1024, 65535, 1 << 20), out(DType::I32, 1024)}, 1024);
  add<SoftmaxLog>(Use::Common, "sums of 1024 rows",
                  {.count = 1024, .pow2OutQ = 24},
                  {in(DType::I32, 1024, 256, 32767),
                   in(DType::I32, 1024, 0, 65535), out(DType::I16, 1024)},
                  1024);
  add<SoftmaxExpInt>(Use::Common, "512 rows of 128 int8, FAST_EXP",
                     {.shape = softmax, .inputScale = 4000, .inputShift = 12},
                     {in(DType::I8, n), out(DType::U8, n)});
  add<SoftmaxPow2Int>(Use::Other, "512 rows of 128 int8, FAST_EXP with tables",
                      {.shape = softmax, .inputScale = 4000, .inputShift = 12},
                      {in(DType::I8, n), in(DType::U16, 256, 32768, 65359),
                       in(DType::I16, 256, 0, 32676), out(DType::U8, n)});
  add<LogSoftmaxInt>(
      Use::Common, "512 rows of 128 int8",
      {.shape = softmax, .inputScale = 0.5f, .outputScale = 10},
      {in(DType::I8, n), expTable(DType::F32, 1), out(DType::I8, n)});
  // Letters of a text, step by step, and classes of pixels.
  struct {
    const char *what;
    DType type;
    SoftmaxShape shape;
  } logShapes[] = {
      {"512 rows of 29 int8", DType::I8, {.outer = 512, .axis = 29}},
      {"512 rows of 29 int16", DType::I16, {.outer = 512, .axis = 29}},
      {"21 channels of 3072 pixels int8",
       DType::I8,
       {.axis = 21, .inner = 3072}}};
  for (const auto &[what, type, shape] : logShapes) {
    uint32_t elements = shape.outer * shape.axis * shape.inner;
    bool isByte = type == DType::I8;
    add<LogSoftmaxInt>(
        isByte ? Use::Common : Use::Other, what,
        {.shape = shape,
         .inType = type,
         .inBits = isByte ? 8u : 16u,
         .inputScale = 0.5f,
         .outputScale = 10},
        {in(type, elements), expTable(DType::F32, 1), out(DType::I8, elements)},
        elements);
  }
  add<SoftmaxFloat>(Use::Common, "512 rows of 128 float32", {.shape = softmax},
                    {in(DType::F32, n, -8, 8), out(DType::F32, n)});
  add<SoftmaxFloat>(
      Use::Common, "512 rows of 128 float16",
      {.shape = softmax, .inType = DType::F16, .outType = DType::F16},
      {in(DType::F16, n, -8, 8), out(DType::F16, n)});
  add<SoftmaxFloat>(
      Use::Common, "21 channels of 3072 pixels float32",
      {.shape = {.outer = 1, .axis = 21, .inner = 3072}},
      {in(DType::F32, 21 * 3072, -8, 8), out(DType::F32, 21 * 3072)},
      21 * 3072);
}
