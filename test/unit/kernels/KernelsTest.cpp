//===- KernelsTest.cpp - Integer kernels by hand --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/WinogradAxes.h"

#include <cmath>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::winogradAxis;

namespace {

template <typename T> using V = std::vector<T>;

TEST(Registry, hasEveryKernelOnce) {
  for (const KernelInfo &info : allKernels()) {
    EXPECT_EQ(findKernel(info.symbol), &info);
    EXPECT_EQ(info.paramsBytes % 4, 0u);
  }
  EXPECT_EQ(lookupKernel("yk_nothing"), nullptr);
}

TEST(Conv, padsWithMinusZeroPoint) {
  // A 2x2 image of real zeros (q = -5 with zp = 5) gives the bias alone, since
  // the bias holds zp * sum(w) = 5 * 9.
  V<int8_t> x(4, -5), w(9, 1), y(4);
  V<int32_t> bias = {45 + 7};
  Conv2DIntParams p;
  p.shape = {.inH = 2,
             .inW = 2,
             .outH = 2,
             .outW = 2,
             .kernelH = 3,
             .kernelW = 3,
             .padTop = 1,
             .padLeft = 1};
  p.padValue = -5;
  runKernel(
      "yk_conv2d_int", p,
      {x.data(), w.data(), bias.data(), nullptr, nullptr, nullptr, y.data()});
  EXPECT_EQ(y, V<int8_t>(4, 7));
}

TEST(Conv, groupsAndStride) {
  // Two groups of one channel: y = (1 * x0, 10 * x1) at columns 0 and 2.
  V<int8_t> x = {1, 2, 3, 4, 5, 6}, w = {1, 10}, y(4);
  V<int32_t> bias = {0, 0};
  Conv2DIntParams p;
  p.shape = {
      .inW = 3, .inC = 2, .outW = 2, .outC = 2, .strideW = 2, .groups = 2};
  runKernel(
      "yk_conv2d_int", p,
      {x.data(), w.data(), bias.data(), nullptr, nullptr, nullptr, y.data()});
  EXPECT_EQ(y, (V<int8_t>{1, 20, 5, 60}));
}

TEST(Conv, transposedSpreadsTheKernel) {
  V<int8_t> x = {1, 2}, w = {1, 2, 3}, y(5);
  V<int32_t> bias = {0};
  Conv2DIntParams p;
  p.shape = {.inW = 2, .outW = 5, .kernelW = 3, .strideW = 2};
  runKernel(
      "yk_conv_transpose2d_int", p,
      {x.data(), w.data(), bias.data(), nullptr, nullptr, nullptr, y.data()});
  EXPECT_EQ(y, (V<int8_t>{1, 2, 3 + 2, 4, 6}));
}

TEST(MatMul, addsZeroPointsAndTransposes) {
  V<int8_t> a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, y(4);
  MatMulIntParams p;
  p.shape = {.m = 2, .n = 2, .k = 2, .transB = 1};
  p.zpA = 1;
  runKernel("yk_matmul_int", p, {a.data(), b.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{2 * 5 + 3 * 6, 2 * 7 + 3 * 8, 4 * 5 + 5 * 6,
                          4 * 7 + 5 * 8}));
}

TEST(Pool, averageDividesByTheCellsInside) {
  V<int8_t> x = {8, 4, 4, 4}, y(4);
  PoolIntParams p;
  p.shape = {
      .inH = 2, .inW = 2, .outH = 2, .outW = 2, .kernelH = 2, .kernelW = 2};
  runKernel("yk_pool_int", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{5, 4, 4, 4}));
  p.shape.method = PoolMethod::Max;
  runKernel("yk_pool_int", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{8, 4, 4, 4}));
}

TEST(Eltwise, broadcastsBothOperands) {
  V<int8_t> a = {1, 2, 3}, b = {10, 20}, y(6);
  EltwiseIntParams p;
  p.shape = {.rank = 2, .dims = {2, 3}, .strideA = {0, 1}, .strideB = {1, 0}};
  runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y.data()});
  EXPECT_EQ(y, (V<int8_t>{11, 12, 13, 21, 22, 23}));
  p.op = BinaryOp::Mul;
  p.requant.shift = 1; // halves go to even
  runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y.data()});
  EXPECT_EQ(y, (V<int8_t>{5, 10, 15, 10, 20, 30}));
}

TEST(Lut, interpolatesDownwards) {
  V<int16_t> x = {-32768, -32768 + 100, 32767}, table = {0, 100, -100, 50},
             y(3);
  LutParams p{3, DType::I16, DType::I16, -32768, 16, 2};
  runKernel("yk_lut", p, {x.data(), table.data(), y.data()});
  // 100 of 2^14 on the way from 0 to 100 is 0.61; the last entry repeats.
  EXPECT_EQ(y, (V<int16_t>{0, 0, 50}));
}

TEST(Softmax, equalInputsShareEqually) {
  V<int8_t> x = {7, 7, 7, 7};
  V<uint32_t> table(256, 0);
  table[255] = 1 << 20;
  V<uint8_t> y(4);
  SoftmaxLutParams p;
  p.shape.axis = 4;
  p.scale = 128; // 255 / 2^-1 ...
  p.shift = -1;  // ... as the packs have it: 256 * E / S
  p.extraBits = 31 - 7;
  runKernel("yk_softmax_lut_int", p, {x.data(), table.data(), y.data()});
  EXPECT_EQ(y, V<uint8_t>(4, 64));
}

TEST(Reduce, innerOuterAndBothAxes) {
  V<int8_t> x = {1, 2, 3, 4, 5, 6};
  ReduceIntParams p;
  p.shape = {.rank = 2, .dims = {2, 3}, .reducedMask = 2};
  V<int8_t> rows(2), columns(3), all(1);
  runKernel("yk_reduce_int", p, {x.data(), rows.data()});
  EXPECT_EQ(rows, (V<int8_t>{6, 15}));
  p.shape.reducedMask = 1;
  runKernel("yk_reduce_int", p, {x.data(), columns.data()});
  EXPECT_EQ(columns, (V<int8_t>{5, 7, 9}));
  p.shape.reducedMask = 3;
  p.op = ReduceOp::Max;
  runKernel("yk_reduce_int", p, {x.data(), all.data()});
  EXPECT_EQ(all, (V<int8_t>{6}));
}

TEST(Reduce, normsShiftByTheLargestSum) {
  V<int16_t> x = {30000, -30000, 30000, -30000, 4, 4, -4, 4};
  V<uint16_t> y(2);
  ReduceNormIntParams p;
  p.shape = {.rank = 2, .dims = {2, 4}, .reducedMask = 2};
  p.inType = DType::I16;
  p.requant.outType = DType::U16;
  p.requant.lo = 0;
  p.requant.hi = 65535;
  p.requant.shift = 2; // a mean
  runKernel("yk_reduce_norm_int", p, {x.data(), nullptr, y.data()});
  // 120000 needs 17 bits, so one is lost: 60000 and 8, shifted by 2 - 1.
  EXPECT_EQ(y, (V<uint16_t>{30000, 4}));
}

TEST(Conv, winogradColumnsAlternate) {
  // Even columns see the kernel 1, 10 - 100, 10 + 100 - 1, odd ones
  // 10 + 100 - 1000, 10 - 100, 1000.
  V<int8_t> x = {1, 2, 3, 4, 5};
  V<int16_t> w = {1, 10, 100, 1000}, y(3);
  V<int32_t> bias = {0};
  Conv2DWinogradParams p;
  p.y = winogradAxis(1, 1), p.x = winogradAxis(2, 3);
  p.conv.shape = {.inW = 5, .outW = 3, .kernelW = 3};
  p.conv.weightType = DType::I16;
  p.conv.requant.outType = DType::I16;
  p.conv.requant.lo = -32768;
  p.conv.requant.hi = 32767;
  runKernel("yk_conv2d_winograd_int", p,
            {x.data(), w.data(), bias.data(), nullptr, nullptr, nullptr,
             nullptr, y.data()});
  EXPECT_EQ(y, (V<int16_t>{148, 1950, 188}));
}

TEST(Resize, nearestAndBilinear) {
  V<int8_t> x = {0, 10}, y(4);
  ResizeIntParams p;
  p.shape = {.inW = 2, .outW = 4};
  runKernel("yk_resize_int", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{0, 2, 8, 10})); // 2.5 and 7.5 go to even
  p.shape.method = ResizeMethod::Nearest;
  p.shape.coordMode = CoordMode::Asymmetric;
  p.shape.nearestMode = NearestMode::Floor;
  runKernel("yk_resize_int", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{0, 0, 10, 10}));
}

TEST(Cast, modes) {
  V<int16_t> x = {300, -300, 5, -5};
  V<int8_t> y(4);
  CastParams p{.count = 4, .inType = DType::I16, .outType = DType::I8};
  runKernel("yk_cast", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{127, -128, 5, -5}));
  p.mode = CastMode::Wrap;
  runKernel("yk_cast", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{44, -44, 5, -5}));
  p.mode = CastMode::Requantize;
  p.shift = 1;
  runKernel("yk_cast", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{127, -128, 2, -2}));
  p.mode = CastMode::RequantizeTowardsZero;
  p.shift = 3;
  runKernel("yk_cast", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{37, -37, 0, 0}));
}

TEST(Concat, requantizesEachBranch) {
  V<int8_t> a = {1, 2}, b = {10, 20, 30, 40}, y(6);
  ConcatParams p;
  p.outer = 2;
  p.outInner = 3;
  p.inputCount = 2;
  p.branches[0] = {1, DType::I8, 0, 1, 0};
  p.branches[1] = {2, DType::I8, 1, 1, 1};
  runKernel("yk_concat", p, {a.data(), b.data(), y.data()});
  EXPECT_EQ(y, (V<int8_t>{1, 6, 10, 2, 16, 20}));
}

TEST(Movement, copyTransposesAndReverses) {
  V<uint16_t> x = {1, 2, 3, 4, 5, 6}, y(6);
  CopyParams p{.elemBytes = 2,
               .rank = 2,
               .dims = {3, 2},
               .srcStride = {1, 3},
               .dstStride = {2, 1}};
  runKernel("yk_copy", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<uint16_t>{1, 4, 2, 5, 3, 6}));
  CopyParams reverse{.elemBytes = 2,
                     .rank = 1,
                     .dims = {6},
                     .srcStride = {-1},
                     .dstStride = {1},
                     .srcOffset = 5};
  runKernel("yk_copy", reverse, {x.data(), y.data()});
  EXPECT_EQ(y, (V<uint16_t>{6, 5, 4, 3, 2, 1}));
}

TEST(Movement, padModes) {
  V<uint8_t> x = {1, 2, 3}, y(7);
  PadParams p{.elemBytes = 1,
              .rank = 1,
              .inDims = {3},
              .outDims = {7},
              .padBefore = {2},
              .fill = {9, 0}};
  runKernel("yk_pad", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<uint8_t>{9, 9, 1, 2, 3, 9, 9}));
  p.mode = PadMode::Reflect;
  runKernel("yk_pad", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<uint8_t>{3, 2, 1, 2, 3, 2, 1}));
  p.mode = PadMode::Symmetric;
  runKernel("yk_pad", p, {x.data(), y.data()});
  EXPECT_EQ(y, (V<uint8_t>{2, 1, 1, 2, 3, 3, 2}));
}

TEST(Movement, gatherOutOfRangeIsZero) {
  V<uint32_t> x = {1, 2, 3, 4, 5, 6}, y(6);
  V<int32_t> index = {2, -3, 7};
  GatherParams p{.elemBytes = 4, .axisSize = 3, .inner = 2, .indexCount = 3};
  runKernel("yk_gather", p, {x.data(), index.data(), y.data()});
  EXPECT_EQ(y, (V<uint32_t>{5, 6, 1, 2, 0, 0}));
}

TEST(Quantize, roundsBeforeTheZeroPoint) {
  V<float> x = {0.5f, 1.5f, -0.5f, -2.5f, 1e30f, -1e30f, NAN};
  V<int8_t> q(7);
  QuantizeParams p{.count = 7, .zp = 3}; // -3 in TFLite's convention
  p.rounding = QuantizeRounding::First;
  runKernel("yk_quantize", p, {x.data(), q.data()});
  EXPECT_EQ(q, (V<int8_t>{-3, -1, -3, -5, 127, -128, -3}));
  p.rounding = QuantizeRounding::FirstAway;
  runKernel("yk_quantize", p, {x.data(), q.data()});
  EXPECT_EQ(q, (V<int8_t>{-2, -1, -4, -6, 127, -128, -3}));
}

TEST(Quantize, roundsToEvenAndSaturates) {
  V<float> x = {0.5f, 1.5f, 1e30f, -1e30f, NAN}, back(5);
  V<int8_t> q(5);
  QuantizeParams p{.count = 5};
  runKernel("yk_quantize", p, {x.data(), q.data()});
  EXPECT_EQ(q, (V<int8_t>{0, 2, 127, -128, 0}));
  DequantizeParams d{.count = 5, .scale = 2.0f, .zp = 4};
  runKernel("yk_dequantize", d, {q.data(), back.data()});
  EXPECT_EQ(back, (V<float>{2, 3, 65.5f, -62, 2}));
}

} // namespace
