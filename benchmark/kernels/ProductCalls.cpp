//===- ProductCalls.cpp - Calls of convolutions and matrix products -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tensor engine computes nearly all of them; on TECs run what it does not
// take: floats, and zero points of both operands.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"
#include "kernels/FloatTile.h"
#include "test/unit/kernels/WinogradAxes.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

/// What networks of floats are made of, at widths that fill no vector, too.
void KernelCalls::addFloatProducts() {
  struct {
    const char *what;
    uint32_t size, inC, outC, kernel;
    DType type;
  } convs[] = {{"3x3, [14, 14, 32] float16", 14, 32, 32, 3, DType::F16},
               {"1x1, [28, 28, 16] to 64 float32", 28, 16, 64, 1, DType::F32},
               {"1x1, [28, 28, 64] to 80 float16", 28, 64, 80, 1, DType::F16},
               {"3x3, [56, 56, 3] to 16 float32", 56, 3, 16, 3, DType::F32}};
  for (const auto &c : convs) {
    uint32_t pixels = c.size * c.size, window = c.kernel * c.kernel;
    Conv2DFloatParams conv{.inType = c.type, .outType = c.type};
    conv.shape = {.inH = c.size,
                  .inW = c.size,
                  .inC = c.inC,
                  .outH = c.size,
                  .outW = c.size,
                  .outC = c.outC,
                  .kernelH = c.kernel,
                  .kernelW = c.kernel,
                  .padTop = int32_t(c.kernel / 2),
                  .padLeft = int32_t(c.kernel / 2)};
    add<Conv2DFloat>(Use::Common, c.what, conv,
                     {in(c.type, pixels * c.inC),
                      in(DType::F32, window * c.inC * packedColumns(c.outC)),
                      in(DType::F32, c.outC), none(),
                      out(c.type, pixels * c.outC)},
                     uint64_t(pixels) * window * c.inC * c.outC);
  }
  struct {
    const char *what;
    uint32_t size, channels, kernel, stride;
    DType type;
  } depthwise[] = {
      {"3x3, [28, 28, 64] float16", 28, 64, 3, 1, DType::F16},
      {"5x5, [14, 14, 80] float32", 14, 80, 5, 1, DType::F32},
      {"3x3 stride 2, [28, 28, 24] float32", 28, 24, 3, 2, DType::F32}};
  for (const auto &d : depthwise) {
    uint32_t outSize = d.size / d.stride, window = d.kernel * d.kernel;
    uint32_t results = outSize * outSize * d.channels;
    Conv2DFloatParams conv{.inType = d.type, .outType = d.type};
    conv.shape = {.inH = d.size,
                  .inW = d.size,
                  .inC = d.channels,
                  .outH = outSize,
                  .outW = outSize,
                  .outC = d.channels,
                  .kernelH = d.kernel,
                  .kernelW = d.kernel,
                  .strideH = d.stride,
                  .strideW = d.stride,
                  .padTop = int32_t(d.kernel / 2),
                  .padLeft = int32_t(d.kernel / 2)};
    add<DepthwiseConv2DFloat>(Use::Common, d.what, conv,
                              {in(d.type, d.size * d.size * d.channels),
                               in(DType::F32, window * d.channels),
                               in(DType::F32, d.channels), none(),
                               out(d.type, results)},
                              uint64_t(results) * window);
  }
  constexpr uint32_t m = 64, k = 64, columns = 64;
  MatMulShape shape{.m = m, .n = columns, .k = k};
  add<MatMulFloat>(Use::Common, "[64, 64] x [64, 64] float16",
                   {.shape = shape,
                    .typeA = DType::F16,
                    .typeB = DType::F16,
                    .outType = DType::F16},
                   {in(DType::F16, m * k), in(DType::F16, k * columns),
                    out(DType::F16, m * columns)},
                   uint64_t(m) * k * columns);
  shape.transB = 1;
  add<MatMulFloat>(Use::Common, "[64, 64] x [64, 64] transposed float32",
                   {.shape = shape},
                   {in(DType::F32, m * k), in(DType::F32, k * columns),
                    out(DType::F32, m * columns)},
                   uint64_t(m) * k * columns);
  add<FullyConnectedFloat>(Use::Common, "[1, 256] x [256, 256] float32",
                           {.rows = 1, .inFeatures = 256, .outFeatures = 256},
                           {in(DType::F32, 256), in(DType::F32, 256 * 256),
                            in(DType::F32, 256), none(), out(DType::F32, 256)},
                           256 * 256);
}

void KernelCalls::addProducts() {
  constexpr uint32_t channels = 32, size = 14;
  constexpr uint32_t image = size * size * channels;
  constexpr uint32_t filters = channels * 9 * channels;
  constexpr uint64_t products = uint64_t(image) * 9 * channels;
  Conv2DShape conv{.inH = size,
                   .inW = size,
                   .inC = channels,
                   .outH = size,
                   .outW = size,
                   .outC = channels,
                   .kernelH = 3,
                   .kernelW = 3,
                   .padTop = 1,
                   .padLeft = 1};
  Requant sums = sumRequant(20);
  std::vector<CallBuffer> buffers = {in(DType::I8, image),
                                     in(DType::I8, filters),
                                     in(DType::I32, channels),
                                     none(),
                                     none(),
                                     none(),
                                     out(DType::I8, image)};
  std::vector<CallBuffer> floats = {
      in(DType::F32, image), in(DType::F32, filters), in(DType::F32, channels),
      none(), out(DType::F32, image)};
  add<Conv2DInt>(Use::Other, "3x3, [14, 14, 32] int8",
                 {.shape = conv, .requant = sums}, buffers, products);
  add<Conv2DFloat>(Use::Other, "3x3, [14, 14, 32] float32", {.shape = conv},
                   floats, products);
  addFloatProducts();
  Conv2DWinogradParams winograd{.conv = {.shape = conv, .requant = sums},
                                .y = testing::winogradAxis(1, 3),
                                .x = testing::winogradAxis(2, 3)};
  winograd.outputShift = 1;
  add<Conv2DWinogradInt>(Use::Other, "F(2,3), [14, 14, 32] int8", winograd,
                         {in(DType::I8, image),
                          in(DType::I8, channels * 12 * channels),
                          in(DType::I32, channels), none(), none(), none(),
                          none(), out(DType::I8, image)},
                         products);

  Conv2DShape transposed = conv;
  transposed.outH = transposed.outW = 2 * size;
  transposed.kernelH = transposed.kernelW = 2;
  transposed.strideH = transposed.strideW = 2;
  transposed.padTop = transposed.padLeft = 0;
  constexpr uint64_t scattered = uint64_t(image) * 4 * channels;
  buffers[1] = in(DType::I8, channels * 4 * channels);
  buffers.back() = out(DType::I8, 4 * image);
  floats[1] = in(DType::F32, channels * 4 * channels);
  floats.back() = out(DType::F32, 4 * image);
  add<ConvTranspose2DInt>(Use::Other, "2x2 stride 2, [14, 14, 32] int8",
                          {.shape = transposed, .requant = sums}, buffers,
                          scattered);
  add<ConvTranspose2DFloat>(Use::Other, "2x2 stride 2, [14, 14, 32] float32",
                            {.shape = transposed}, floats, scattered);

  Conv2DShape depthwise = conv;
  depthwise.inH = depthwise.inW = depthwise.outH = depthwise.outW = 2 * size;
  constexpr uint64_t cells = uint64_t(4) * image * 9;
  add<DepthwiseConv2DInt>(Use::Other, "3x3, [28, 28, 32] int8",
                          {.shape = depthwise, .requant = sums},
                          {in(DType::I8, 4 * image),
                           in(DType::I8, 9 * channels),
                           in(DType::I32, channels), none(), none(), none(),
                           out(DType::I8, 4 * image)},
                          cells);
  add<DepthwiseConv2DFloat>(
      Use::Other, "3x3, [28, 28, 32] float32", {.shape = depthwise},
      {in(DType::F32, 4 * image), in(DType::F32, 9 * channels),
       in(DType::F32, channels), none(), out(DType::F32, 4 * image)},
      cells);

  constexpr uint32_t m = 16, k = 256, columns = 256;
  constexpr uint64_t macs = uint64_t(m) * k * columns;
  add<FullyConnectedInt>(
      Use::Other, "[16, 256] x [256, 256] int8",
      {.rows = m, .inFeatures = k, .outFeatures = columns, .requant = sums},
      {in(DType::I8, m * k), in(DType::I8, columns * k),
       in(DType::I32, columns), none(), none(), none(),
       out(DType::I8, m * columns)},
      macs);
  add<FullyConnectedFloat>(Use::Other, "[16, 256] x [256, 256] float32",
                           {.rows = m, .inFeatures = k, .outFeatures = columns},
                           {in(DType::F32, m * k), in(DType::F32, columns * k),
                            in(DType::F32, columns), none(),
                            out(DType::F32, m * columns)},
                           macs);
  MatMulShape shape{.m = m, .n = columns, .k = k};
  MatMulIntParams matMul{.shape = shape, .zpA = 3, .zpB = 5, .requant = sums};
  add<MatMulInt>(Use::Other, "[16, 256] x [256, 256] int8", matMul,
                 {in(DType::I8, m * k), in(DType::I8, k * columns),
                  out(DType::I8, m * columns)},
                 macs);
  add<MatMulFloat>(Use::Other, "[16, 256] x [256, 256] float32",
                   {.shape = shape},
                   {in(DType::F32, m * k), in(DType::F32, k * columns),
                    out(DType::F32, m * columns)},
                   macs);
  GemmAddend addend{.rows = 1, .columns = columns};
  add<GemmInt>(Use::Other, "[16, 256] x [256, 256] int8",
               {.product = matMul, .c = addend, .scaleC = 3},
               {in(DType::I8, m * k), in(DType::I8, k * columns),
                in(DType::I8, columns), out(DType::I8, m * columns)},
               macs);
  addend.type = DType::F32;
  add<GemmFloat>(Use::Other, "[16, 256] x [256, 256] float32",
                 {.product = {.shape = shape}, .c = addend},
                 {in(DType::F32, m * k), in(DType::F32, k * columns),
                  in(DType::F32, columns), out(DType::F32, m * columns)},
                 macs);
}
