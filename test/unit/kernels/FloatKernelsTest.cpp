//===- FloatKernelsTest.cpp - Float kernels -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/FloatTile.h"
#include "test/unit/kernels/KernelTesting.h"

#include <cmath>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {

using Floats = std::vector<float>;

TEST(FloatConv, depthwiseEqualsGrouped) {
  Floats x(5 * 5 * 3), w(9 * 3), bias = {1, 2, 3}, a(75), b(75);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i * 7 % 11) - 5) * 0.25f;
  for (size_t i = 0; i < w.size(); ++i)
    w[i] = float(int(i * 5 % 7) - 3) * 0.5f;
  // One output of each group in a block of its own.
  Floats blocks(3 * 9 * packedColumns(1));
  for (size_t i = 0; i < w.size(); ++i)
    blocks[(i % 3 * 9 + i / 3) * packedColumns(1)] = w[i];
  Conv2DFloatParams p;
  p.shape = {.inH = 5,
             .inW = 5,
             .inC = 3,
             .outH = 5,
             .outW = 5,
             .outC = 3,
             .kernelH = 3,
             .kernelW = 3,
             .padTop = 1,
             .padLeft = 1,
             .groups = 3};
  runKernel("yk_conv2d_float", p,
            {x.data(), blocks.data(), bias.data(), nullptr, a.data()});
  runKernel("yk_depthwise_conv2d_float", p,
            {x.data(), w.data(), bias.data(), nullptr, b.data()});
  EXPECT_EQ(a, b); // exact: all values are small multiples of 1/8
}

TEST(FloatUnary, halfStorage) {
  std::vector<uint16_t> x = {floatToHalf(1.0f), floatToHalf(-2.0f)}, y(2);
  UnaryFloatParams p{.count = 2,
                     .inType = DType::F16,
                     .outType = DType::F16,
                     .fn = UnaryFn::Exp};
  runKernel("yk_unary_float", p, {x.data(), y.data()});
  EXPECT_EQ(y[0], floatToHalf(std::exp(1.0f)));
  EXPECT_EQ(y[1], floatToHalf(std::exp(-2.0f)));
}

TEST(FloatSoftmax, sumsToOneAlongAMiddleAxis) {
  Floats x(2 * 5 * 3), y(30);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 7) - 100;
  SoftmaxFloatParams p;
  p.shape = {2, 5, 3};
  runKernel("yk_softmax_float", p, {x.data(), y.data()});
  for (int o = 0; o < 2; ++o)
    for (int i = 0; i < 3; ++i) {
      float sum = 0;
      for (int k = 0; k < 5; ++k)
        sum += y[(o * 5 + k) * 3 + i];
      EXPECT_NEAR(sum, 1, 1e-6);
    }
}

TEST(FloatNorm, zeroMeanUnitVariance) {
  Floats x(64), w(64, 1), b(64, 0), y(64);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i * i % 17) + 1000;
  LayerNormFloatParams p;
  p.shape.inner = 64, p.shape.innerAffineStride = 1;
  runKernel("yk_layer_norm_float", p, {x.data(), w.data(), b.data(), y.data()});
  double mean = 0, square = 0;
  for (float v : y) {
    mean += v / 64;
    square += double(v) * v / 64;
  }
  EXPECT_NEAR(mean, 0, 1e-5);
  EXPECT_NEAR(square, 1, 1e-4);
}

TEST(FloatReduce, everyOperation) {
  Floats x = {1, -2, 3, 4}, y(1);
  ReduceFloatParams p;
  p.shape = {.rank = 1, .dims = {4}, .reducedMask = 1};
  struct {
    ReduceOp op;
    double want;
  } cases[] = {{ReduceOp::Sum, 6},
               {ReduceOp::Mean, 1.5},
               {ReduceOp::Min, -2},
               {ReduceOp::Max, 4},
               {ReduceOp::L1, 10},
               {ReduceOp::L2, std::sqrt(30.0)},
               {ReduceOp::Prod, -24},
               {ReduceOp::Variance, 5.25},
               {ReduceOp::UnbiasedVariance, 7},
               {ReduceOp::All, 1}};
  for (auto &c : cases) {
    p.op = c.op;
    runKernel("yk_reduce_float", p, {x.data(), y.data()});
    EXPECT_FLOAT_EQ(y[0], float(c.want)) << int(c.op);
  }
}

} // namespace
