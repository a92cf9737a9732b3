//===- ProductCases.cpp - Calls of convolutions and products --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatTile.h"
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/WinogradAxes.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::kBiasSlot;
using yarrow::testing::KernelCaseBuilder;
using yarrow::testing::kShiftSlot;

Conv2DShape KernelCaseBuilder::conv() {
  Conv2DShape s;
  s.batch = between(1, 2);
  s.groups = between(1, 3);
  s.inC = s.groups * between(1, 6);
  s.outC = s.groups * between(1, 8);
  s.kernelH = between(1, 3);
  s.kernelW = between(1, 3);
  s.strideH = between(1, 2);
  s.strideW = between(1, 2);
  s.dilationH = between(1, 2);
  s.dilationW = between(1, 2);
  s.padTop = int32_t(random.below(s.kernelH));
  s.padLeft = int32_t(random.below(s.kernelW));
  uint32_t reachH = s.dilationH * (s.kernelH - 1) + 1;
  uint32_t reachW = s.dilationW * (s.kernelW - 1) + 1;
  s.inH = reachH + random.below(5);
  s.inW = reachW + random.below(7);
  // Some padding at the other end.
  s.outH =
      (s.inH + uint32_t(s.padTop) + random.below(2) - reachH) / s.strideH + 1;
  s.outW =
      (s.inW + uint32_t(s.padLeft) + random.below(2) - reachW) / s.strideW + 1;
  return s;
}

Conv2DShape KernelCaseBuilder::transposed() {
  Conv2DShape s = conv();
  uint32_t fullH = (s.inH - 1) * s.strideH + s.dilationH * (s.kernelH - 1) + 1;
  uint32_t fullW = (s.inW - 1) * s.strideW + s.dilationW * (s.kernelW - 1) + 1;
  s.outH = fullH - uint32_t(s.padTop);
  s.outW = fullW - uint32_t(s.padLeft) + random.below(2);
  return s;
}

/// \p conv with a geometry for these tiles.
void KernelCaseBuilder::addWinograd(Conv2DIntParams conv, const WinogradAxis &y,
                                    const WinogradAxis &x) {
  // Some padding at all ends; 4 channels of 6x6 tiles fit a slot.
  Conv2DShape &s = conv.shape;
  s = {.batch = s.batch, .inC = between(1, 14), .outC = between(1, 8)};
  s.kernelH = y.kernel, s.kernelW = x.kernel;
  s.padTop = int32_t(random.below(y.kernel));
  s.padLeft = int32_t(random.below(x.kernel));
  s.inH = y.kernel + random.below(5), s.inW = x.kernel + random.below(5);
  s.outH = s.inH + uint32_t(s.padTop) + random.below(2) - (y.kernel - 1);
  s.outW = s.inW + uint32_t(s.padLeft) + random.below(2) - (x.kernel - 1);
  add("yk_conv2d_winograd_int",
      Conv2DWinogradParams{.conv = conv,
                           .y = y,
                           .x = x,
                           .hasTapShifts = flip(),
                           .outputShift = random.below(8)},
      {{2, testing::kBiasSlot},
       {4, testing::kShiftSlot},
       {6, testing::kTapShiftSlot}});
}

void KernelCaseBuilder::addProducts() {
  using testing::kBiasSlot;
  using testing::kShiftSlot;
  // Of elements of four bytes.
  auto fits = [](const Conv2DShape &s) {
    uint32_t most = std::max({s.batch * s.inH * s.inW * s.inC,
                              s.batch * s.outH * s.outW * s.outC,
                              s.groups * packedColumns(s.outC / s.groups) *
                                  s.kernelH * s.kernelW * s.inC});
    return most * 4 <= testing::kCaseBytes;
  };
  auto fitting = [&](auto make) {
    Conv2DShape shape = make();
    while (!fits(shape))
      shape = make();
    return shape;
  };
  auto anyConv = [&] { return fitting([&] { return conv(); }); };
  auto anyTransposed = [&] { return fitting([&] { return transposed(); }); };
  auto intConv = [&](const Conv2DShape &shape) {
    Conv2DIntParams p;
    p.shape = shape;
    p.inType = smallInt();
    p.weightType = signedInt();
    p.padValue = -zeroPoint(p.inType);
    p.inZp = zeroPoint(p.inType);
    p.requant = requant(true, true, shape.outC);
    return p;
  };
  auto floatConv = [&](const Conv2DShape &shape) {
    return Conv2DFloatParams{.shape = shape,
                             .inType = floating(),
                             .biasType = floating(),
                             .outType = floating(),
                             .act = floatAct(shape.outC)};
  };
  Conv2DShape depthwise = fitting([&] {
    Conv2DShape shape = conv();
    shape.outC = shape.inC * between(1, 2);
    return shape;
  });
  add("yk_conv2d_int", intConv(anyConv()), {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_conv2d_float", floatConv(anyConv()));
  add("yk_depthwise_conv2d_int", intConv(depthwise),
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_depthwise_conv2d_float", floatConv(depthwise));
  add("yk_conv_transpose2d_int", intConv(anyTransposed()),
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_conv_transpose2d_float", floatConv(anyTransposed()));
  addWinograd(intConv(conv()), winogradAxis(1, between(1, 3)),
              winogradAxis(between(1, 4), between(2, 3)));
  addWinograd(intConv(conv()), winogradAxis(2, 3), winogradAxis(2, 3));
  addWinograd(intConv(conv()), winogradAxis(between(1, 4), 3),
              winogradAxis(between(2, 3), between(1, 3)));

  uint32_t outFeatures = between(1, 150), inFeatures = between(1, 50);
  add("yk_fully_connected_int",
      FullyConnectedIntParams{.rows = between(1, 4),
                              .inFeatures = inFeatures,
                              .outFeatures = outFeatures,
                              .inType = smallInt(),
                              .weightType = signedInt(),
                              .requant = requant(true, true, outFeatures)},
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_fully_connected_float",
      FullyConnectedFloatParams{.rows = between(1, 4),
                                .inFeatures = inFeatures,
                                .outFeatures = between(1, 80),
                                .inType = floating(),
                                .biasType = floating(),
                                .outType = floating(),
                                .act = floatAct(1)});
  MatMulShape shape;
  shape.m = between(1, 8);
  shape.n = between(1, 20);
  shape.k = between(1, 60);
  shape.transA = flip();
  shape.transB = flip();
  shape.batchRank = between(0, 1);
  shape.batchDims[0] = between(1, 3);
  shape.batchStrideA[0] = flip() ? shape.m * shape.k : 0;
  shape.batchStrideB[0] = flip() ? shape.n * shape.k : 0;
  MatMulIntParams product{.shape = shape,
                          .typeA = smallInt(),
                          .typeB = smallInt(),
                          .requant = requant()};
  product.zpA = zeroPoint(product.typeA);
  product.zpB = zeroPoint(product.typeB);
  add("yk_matmul_int", product);
  add("yk_matmul_float", MatMulFloatParams{.shape = shape,
                                           .typeA = floating(),
                                           .typeB = floating(),
                                           .outType = floating()});
  shape.batchRank = 0;
  product.shape = shape;
  GemmAddend addend{.type = smallInt(),
                    .rows = flip() ? shape.m : 1,
                    .columns = flip() ? shape.n : 1};
  add("yk_gemm_int", GemmIntParams{.product = product,
                                   .c = addend,
                                   .zpC = zeroPoint(addend.type),
                                   .scaleProduct = around(1 << 24),
                                   .scaleC = around(1 << 24)});
  product.requant.shift = int32_t(between(32, 60));
  add("yk_gemm_int", GemmIntParams{.product = product,
                                   .c = addend,
                                   .scaleProduct = around(1 << 24),
                                   .scaleC = around(1 << 24)});
  addend.type = floating();
  add("yk_gemm_float", GemmFloatParams{.product = {.shape = shape,
                                                   .typeA = floating(),
                                                   .typeB = floating(),
                                                   .outType = floating()},
                                       .c = addend,
                                       .alpha = real(-2, 2),
                                       .beta = real(-2, 2)});
}
