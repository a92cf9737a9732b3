//===- WindowCalls.cpp - Calls of pooling, images and windows -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

/// First and last cell of \p count equal areas of \p size cells, for each of
/// the axes.
static std::vector<double> areaBounds(uint32_t count, uint32_t size,
                                      uint32_t axes) {
  std::vector<double> bounds;
  for (uint32_t axis = 0; axis < axes; ++axis)
    for (uint32_t i = 0; i < count; ++i) {
      bounds.push_back(i * size);
      bounds.push_back((i + 1) * size);
    }
  return bounds;
}

void KernelCalls::addWindows() {
  constexpr uint32_t channels = 64, inSize = 32, outSize = 16;
  constexpr uint32_t n = inSize * inSize * channels;
  constexpr uint32_t results = outSize * outSize * channels;
  ResizeShape resize{.inH = inSize,
                     .inW = inSize,
                     .channels = channels,
                     .outH = 2 * inSize,
                     .outW = 2 * inSize};
  add<ResizeInt>(Use::Common, "[32, 32, 64] to [64, 64, 64] int8",
                 {.shape = resize}, {in(DType::I8, n), out(DType::I8, 4 * n)},
                 4 * n);
  add<ResizeFloat>(Use::Common, "[32, 32, 64] to [64, 64, 64] float32",
                   {.shape = resize},
                   {in(DType::F32, n), out(DType::F32, 4 * n)}, 4 * n);
  add<ResizeFloat>(
      Use::Common, "[32, 32, 64] to [64, 64, 64] float16",
      {.shape = resize, .inType = DType::F16, .outType = DType::F16},
      {in(DType::F16, n), out(DType::F16, 4 * n)}, 4 * n);
  // As segmentations and flows grow: few channels, corners on corners.
  ResizeShape corners{.inH = 60,
                      .inW = 80,
                      .channels = 2,
                      .outH = 120,
                      .outW = 160,
                      .coordMode = CoordMode::AlignCorners};
  constexpr uint32_t few = 2 * 60 * 80;
  add<ResizeInt>(Use::Other, "[60, 80, 2] to [120, 160, 2] int8, corners",
                 {.shape = corners},
                 {in(DType::I8, few), out(DType::I8, 4 * few)}, 4 * few);
  add<ResizeInt>(Use::Other, "[60, 80, 2] to [120, 160, 2] int16, corners",
                 {.shape = corners,
                  .inType = DType::I16,
                  .outType = DType::I16,
                  .weightShift = 11,
                  .lo = -32768,
                  .hi = 32767},
                 {in(DType::I16, few), out(DType::I16, 4 * few)}, 4 * few);
  add<ResizeFloat>(
      Use::Other, "[60, 80, 2] to [120, 160, 2] float16, corners",
      {.shape = corners, .inType = DType::F16, .outType = DType::F16},
      {in(DType::F16, few), out(DType::F16, 4 * few)}, 4 * few);
  corners.inH = corners.inW = 33, corners.channels = 19;
  corners.outH = corners.outW = 65;
  add<ResizeInt>(Use::Other, "[33, 33, 19] to [65, 65, 19] int8, corners",
                 {.shape = corners},
                 {in(DType::I8, 33 * 33 * 19), out(DType::I8, 65 * 65 * 19)},
                 65 * 65 * 19);

  PoolShape pool{.inH = inSize,
                 .inW = inSize,
                 .channels = channels,
                 .outH = outSize,
                 .outW = outSize,
                 .kernelH = 3,
                 .kernelW = 3,
                 .strideH = 2,
                 .strideW = 2};
  pool.padTop = pool.padLeft = 1;
  constexpr uint64_t cells = uint64_t(results) * 9;
  add<PoolInt>(Use::Common, "AVG 3x3 stride 2, [32, 32, 64] int8",
               {.shape = pool, .inZp = 3, .zp = 3},
               {in(DType::I8, n), out(DType::I8, results)}, cells);
  add<PoolFloat>(Use::Common, "AVG 3x3 stride 2, [32, 32, 64] float32",
                 {.shape = pool}, {in(DType::F32, n), out(DType::F32, results)},
                 cells);
  PoolShape maximum = pool;
  maximum.method = PoolMethod::Max;
  add<PoolFloat>(
      Use::Common, "MAX 3x3 stride 2, [32, 32, 64] float16",
      {.shape = maximum, .inType = DType::F16, .outType = DType::F16},
      {in(DType::F16, n), out(DType::F16, results)}, cells);
  add<MaxPoolArgInt>(
      Use::Other, "3x3 stride 2, [32, 32, 64] int8", {.shape = pool},
      {in(DType::I8, n), out(DType::I8, results), out(DType::I32, results)},
      cells);
  add<MaxPoolArgFloat>(
      Use::Other, "3x3 stride 2, [32, 32, 64] float32",
      {.shape = pool, .inType = DType::F32, .outType = DType::F32},
      {in(DType::F32, n), out(DType::F32, results), out(DType::I32, results)},
      cells);
  PoolShape norm = pool;
  norm.method = PoolMethod::L2;
  add<PoolNormInt>(
      Use::Other, "L2 3x3 stride 2, [32, 32, 64] int8",
      {.shape = norm,
       .log2TableSize = 8,
       .requant = {.scale = 160, .shift = 9, .lo = 0, .hi = 65535}},
      {in(DType::I8, n), in(DType::U8, 256), out(DType::U8, results)}, cells);
  PoolVolume volume{.inD = 16,
                    .inH = 8,
                    .inW = 8,
                    .channels = channels,
                    .outD = 8,
                    .outH = 4,
                    .outW = 4,
                    .kernelD = 2,
                    .kernelH = 2,
                    .kernelW = 2,
                    .strideD = 2,
                    .strideH = 2,
                    .strideW = 2};
  add<PoolAverage3DInt>(Use::Other, "2x2x2, [16, 8, 8, 64] int8",
                        {.shape = volume},
                        {in(DType::I8, n), out(DType::I8, n / 8)}, n);
  PoolAreas areas{
      .inH = inSize, .inW = inSize, .channels = channels, .outH = 8, .outW = 8};
  std::vector<double> bounds = areaBounds(1, 1, 1);
  for (double bound : areaBounds(8, inSize / 8, 2))
    bounds.push_back(bound);
  add<PoolAreasInt>(
      Use::Other, "AVG [32, 32, 64] to [8, 8, 64] int8", {.shape = areas},
      {in(DType::I8, n), valuesIn(DType::I32, bounds), out(DType::I8, n / 16)},
      n);
  add<PoolAreasFloat>(Use::Other, "AVG [32, 32, 64] to [8, 8, 64] float32",
                      {.shape = areas},
                      {in(DType::F32, n), valuesIn(DType::I32, bounds),
                       out(DType::F32, n / 16)},
                      n);
  // Each value goes to the first cell of its window of 2x2.
  std::vector<double> places;
  for (uint32_t y = 0; y < outSize; ++y)
    for (uint32_t x = 0; x < outSize; ++x)
      for (uint32_t c = 0; c < channels; ++c)
        places.push_back((2 * y * inSize + 2 * x) * channels + c);
  add<Unpool>(
      Use::Other, "[16, 16, 64] to [32, 32, 64] int8",
      {.inH = outSize,
       .inW = outSize,
       .channels = channels,
       .outH = inSize,
       .outW = inSize},
      {in(DType::I8, results), valuesIn(DType::I32, places), out(DType::I8, n)},
      n);

  PoolShape dense = pool;
  dense.outH = dense.outW = inSize, dense.strideH = dense.strideW = 1;
  constexpr uint64_t denseCells = uint64_t(n) * 9;
  add<MorphologyInt>(
      Use::Other, "3x3, [32, 32, 64] int8",
      {.shape = dense,
       .scaleInput = 160,
       .scaleWeights = 200,
       .requant = {.scale = 160, .shift = 16}},
      {in(DType::I8, n), in(DType::I8, 9 * channels), out(DType::I8, n)},
      denseCells);
  add<MorphologyFloat>(
      Use::Other, "3x3, [32, 32, 64] float32", {.shape = dense},
      {in(DType::F32, n), in(DType::F32, 9 * channels), out(DType::F32, n)},
      denseCells);

  // col2im of 3x3 windows over 64 maps.
  FoldAxis axis{.image = inSize, .kernel = 3, .windows = inSize, .pad = 1};
  FoldShape fold{.outer = channels, .axes = {{}, axis, axis}};
  add<FoldInt>(Use::Other, "3x3 to [64, 32, 32] int8",
               {.shape = fold, .most = 9, .requant = byteRequant()},
               {in(DType::I8, 9 * n), out(DType::I8, n)}, denseCells);
  fold.outer = 16;
  add<FoldFloat>(Use::Other, "3x3 to [16, 32, 32] float32", {.shape = fold},
                 {in(DType::F32, 9 * n / 4), out(DType::F32, n / 4)},
                 denseCells / 4);
}
