//===- TaskCountTest.cpp - Shares do not change results -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every kernel's result must be the same bytes for any number of tasks. Inputs
// are pseudo-random bytes; sizes are odd so that shares end anywhere.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelTesting.h"

#include <random>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {

constexpr size_t kBytes = 1 << 16;

std::vector<uint8_t> noise(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(kBytes);
  // Floats made of these bytes have exponents near 0.
  for (size_t i = 0; i < kBytes; ++i)
    bytes[i] = i % 4 == 3 ? 0x3f : uint8_t(random());
  return bytes;
}

/// Runs with 1, 2, 3 and 7 tasks into poisoned outputs and compares.
template <typename Params>
void expectSame(const char *symbol, const Params &params) {
  const KernelInfo *info = findKernel(symbol);
  ASSERT_NE(info, nullptr);
  uint32_t count = info->bufferCount ? info->bufferCount : 3;
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<const void *> buffers;
  for (uint32_t i = 0; i + 1 < count; ++i) {
    inputs.push_back(noise(i));
    buffers.push_back(inputs.back().data());
  }
  std::vector<uint8_t> first;
  for (uint32_t tasks : {1u, 2u, 3u, 7u}) {
    std::vector<uint8_t> output(kBytes, 0xaa);
    buffers.resize(count - 1);
    buffers.push_back(output.data());
    runKernel(symbol, params, buffers, tasks);
    if (tasks == 1)
      first = output;
    else
      EXPECT_TRUE(output == first) << symbol << " with " << tasks << " tasks";
  }
}

BroadcastShape broadcast() {
  return {.rank = 3,
          .dims = {3, 5, 7},
          .strideA = {35, 7, 1},
          .strideB = {0, 1, 0}};
}

TEST(TaskCount, convolutions) {
  Conv2DIntParams i;
  i.shape = {.batch = 2,
             .inH = 6,
             .inW = 7,
             .inC = 6,
             .outH = 6,
             .outW = 7,
             .outC = 6,
             .kernelH = 3,
             .kernelW = 3,
             .padTop = 1,
             .padLeft = 1,
             .groups = 2};
  i.padValue = -3;
  Conv2DFloatParams f;
  f.shape = i.shape;
  for (const char *symbol :
       {"yk_conv2d_int", "yk_depthwise_conv2d_int", "yk_conv_transpose2d_int"})
    expectSame(symbol, i);
  for (const char *symbol : {"yk_conv2d_float", "yk_depthwise_conv2d_float",
                             "yk_conv_transpose2d_float"})
    expectSame(symbol, f);
}

TEST(TaskCount, products) {
  expectSame(
      "yk_fully_connected_int",
      FullyConnectedIntParams{.rows = 3, .inFeatures = 33, .outFeatures = 131});
  expectSame("yk_fully_connected_float",
             FullyConnectedFloatParams{
                 .rows = 3, .inFeatures = 33, .outFeatures = 70});
  MatMulShape shape{.m = 5,
                    .n = 9,
                    .k = 140,
                    .batchRank = 1,
                    .batchDims = {3},
                    .batchStrideA = {700}};
  expectSame("yk_matmul_int", MatMulIntParams{.shape = shape});
  expectSame("yk_matmul_float", MatMulFloatParams{.shape = shape});
}

TEST(TaskCount, elementwise) {
  expectSame("yk_eltwise_int", EltwiseIntParams{.shape = broadcast()});
  expectSame("yk_eltwise_float", EltwiseFloatParams{.shape = broadcast()});
  expectSame("yk_div_int", DivIntParams{.shape = broadcast()});
  expectSame("yk_prelu_int", PReluIntParams{.shape = broadcast()});
  expectSame("yk_prelu_float", PReluFloatParams{.shape = broadcast()});
  expectSame("yk_activation_int", ActivationIntParams{.count = 999});
  expectSame("yk_lut", LutParams{.count = 999});
  expectSame("yk_periodic_lut", PeriodicLutParams{.count = 999});
  expectSame("yk_unary_float",
             UnaryFloatParams{.count = 999, .fn = UnaryFn::Mish});
}

TEST(TaskCount, normalizations) {
  expectSame("yk_batch_norm_int",
             BatchNormIntParams{.outer = 5, .channels = 3, .inner = 7});
  expectSame("yk_batch_norm_float",
             BatchNormFloatParams{.outer = 5, .channels = 3, .inner = 7});
  NormShape shape{
      .outer = 3, .reduced = 5, .groups = 2, .groupInner = 3, .affineCount = 6};
  expectSame("yk_layer_norm_int", LayerNormIntParams{.shape = shape});
  expectSame("yk_layer_norm_float", LayerNormFloatParams{.shape = shape});
  SoftmaxShape softmax{.outer = 3, .axis = 11, .inner = 4};
  expectSame("yk_softmax_lut_int",
             SoftmaxLutParams{.shape = softmax, .extraBits = 24});
  expectSame(
      "yk_softmax_exp_int",
      SoftmaxExpParams{.shape = softmax, .inputScale = 5363, .inputShift = 17});
  expectSame("yk_softmax_float", SoftmaxFloatParams{.shape = softmax});
}

TEST(TaskCount, imagesAndReductions) {
  PoolShape pool{.inH = 9,
                 .inW = 9,
                 .channels = 5,
                 .outH = 5,
                 .outW = 5,
                 .kernelH = 3,
                 .kernelW = 3,
                 .strideH = 2,
                 .strideW = 2,
                 .padTop = 1,
                 .padLeft = 1};
  expectSame("yk_pool_int", PoolIntParams{.shape = pool});
  expectSame("yk_pool_float", PoolFloatParams{.shape = pool});
  ResizeShape resize{.inH = 5, .inW = 7, .channels = 3, .outH = 9, .outW = 11};
  expectSame("yk_resize_int", ResizeIntParams{.shape = resize});
  expectSame("yk_resize_float", ResizeFloatParams{.shape = resize});
  for (uint32_t mask : {1u, 2u, 5u, 7u}) {
    ReduceShape reduce{.rank = 3, .dims = {5, 7, 13}, .reducedMask = mask};
    expectSame("yk_reduce_int", ReduceIntParams{.shape = reduce});
    for (ReduceOp op : {ReduceOp::L1, ReduceOp::L2})
      expectSame("yk_reduce_norm_int",
                 ReduceNormIntParams{.shape = reduce, .op = op});
    expectSame("yk_reduce_float", ReduceFloatParams{.shape = reduce});
  }
}

TEST(TaskCount, conversionsAndMovement) {
  expectSame("yk_quantize", QuantizeParams{.count = 999, .scale = 50});
  expectSame("yk_dequantize", DequantizeParams{.count = 999, .scale = 50});
  expectSame("yk_cast", CastParams{.count = 999, .inType = DType::I16});
  ConcatParams concat{.outer = 7, .outInner = 12, .inputCount = 2};
  concat.branches[0] = {5, DType::I8, 1, 77, 6};
  concat.branches[1] = {7, DType::U8, 0, 1, 0};
  expectSame("yk_concat", concat);
  expectSame("yk_copy", CopyParams{.elemBytes = 2,
                                   .rank = 3,
                                   .dims = {3, 5, 7},
                                   .srcStride = {1, 21, 3},
                                   .dstStride = {35, 7, 1}});
  expectSame("yk_pad", PadParams{.elemBytes = 4,
                                 .rank = 2,
                                 .mode = PadMode::Reflect,
                                 .inDims = {5, 7},
                                 .outDims = {8, 10},
                                 .padBefore = {2, 1}});
  expectSame("yk_gather", GatherParams{.outer = 3,
                                       .axisSize = 200,
                                       .inner = 5,
                                       .indexCount = 4,
                                       .indexType = DType::U8});
}

} // namespace
