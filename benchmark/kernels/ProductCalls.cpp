//===- ProductCalls.cpp - Calls of convolutions and matrix products -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tensor engine computes nearly all of them; on TECs run what it does not
// take: floats, and zero points of both operands.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"
#include "test/unit/kernels/WinogradAxes.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

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
