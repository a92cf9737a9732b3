//===- KernelCases.cpp - A small call of every kernel ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/codegen/KernelCases.h"

namespace yarrow::testing {

using namespace kernels;

namespace {

struct Cases {
  std::vector<TecStep> steps;
  uint32_t outputs = 0;

  template <typename Params>
  void add(const char *symbol, const Params &params, uint32_t bufferCount = 0,
           uint32_t outputCount = 1) {
    steps.push_back(
        makeStep(symbol, params, outputs, bufferCount, outputCount));
    outputs += outputCount;
  }
};

} // namespace

static void addProducts(Cases &cases) {
  Conv2DIntParams conv;
  conv.shape = {.batch = 2,
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
  conv.padValue = -3;
  conv.requant.scale = 160;
  conv.requant.shift = 18;
  Conv2DIntParams winograd = conv;
  winograd.shape.groups = 1;
  winograd.shape.kernelW = 4;
  cases.add("yk_conv2d_winograd_int", winograd);
  Conv2DFloatParams convFloat;
  convFloat.shape = conv.shape;
  for (const char *symbol :
       {"yk_conv2d_int", "yk_depthwise_conv2d_int", "yk_conv_transpose2d_int"})
    cases.add(symbol, conv);
  for (const char *symbol : {"yk_conv2d_float", "yk_depthwise_conv2d_float",
                             "yk_conv_transpose2d_float"})
    cases.add(symbol, convFloat);
  cases.add(
      "yk_fully_connected_int",
      FullyConnectedIntParams{.rows = 3, .inFeatures = 33, .outFeatures = 131});
  cases.add("yk_fully_connected_float",
            FullyConnectedFloatParams{
                .rows = 3, .inFeatures = 33, .outFeatures = 70});
  MatMulShape shape{.m = 5,
                    .n = 9,
                    .k = 140,
                    .batchRank = 1,
                    .batchDims = {3},
                    .batchStrideA = {700}};
  cases.add("yk_matmul_int", MatMulIntParams{.shape = shape});
  cases.add("yk_matmul_float", MatMulFloatParams{.shape = shape});
}

static void addElementwise(Cases &cases) {
  BroadcastShape shape{.rank = 3,
                       .dims = {3, 5, 7},
                       .strideA = {35, 7, 1},
                       .strideB = {0, 1, 0}};
  BroadcastShape dense{
      .rank = 1, .dims = {1001}, .strideA = {1}, .strideB = {1}};
  cases.add("yk_eltwise_int", EltwiseIntParams{.shape = shape});
  EltwiseIntParams add{.shape = dense, .typeB = DType::U8, .zpA = 3, .zpB = -4};
  add.scaleA = 16384;
  add.scaleB = 12000;
  add.requant = {.outType = DType::U8,
                 .act = Act::Relu,
                 .scale = 200,
                 .shift = 21,
                 .zp = 2,
                 .lo = 0,
                 .hi = 255};
  cases.add("yk_eltwise_int", add);
  cases.add("yk_eltwise_float", EltwiseFloatParams{.shape = shape});
  cases.add("yk_eltwise_float",
            EltwiseFloatParams{.shape = dense, .op = BinaryOp::Div});
  cases.add("yk_div_int", DivIntParams{.shape = shape});
  cases.add("yk_prelu_int", PReluIntParams{.shape = shape});
  cases.add("yk_prelu_float", PReluFloatParams{.shape = shape});
  cases.add("yk_activation_int", ActivationIntParams{.count = 999});
  cases.add("yk_lut", LutParams{.count = 999});
  cases.add("yk_lut", LutParams{.count = 999,
                                .inType = DType::I16,
                                .tableType = DType::I16,
                                .indexMin = -32768,
                                .inBits = 16,
                                .log2Size = 10});
  cases.add("yk_periodic_lut", PeriodicLutParams{.count = 999});
  for (UnaryFn fn : {UnaryFn::Mish, UnaryFn::GeluErf, UnaryFn::Tanh})
    cases.add("yk_unary_float", UnaryFloatParams{.count = 999, .fn = fn});
}

static void addNormalizations(Cases &cases) {
  cases.add("yk_batch_norm_int",
            BatchNormIntParams{.outer = 5, .channels = 3, .inner = 7});
  cases.add("yk_batch_norm_float",
            BatchNormFloatParams{.outer = 5, .channels = 3, .inner = 7});
  NormShape shape{
      .outer = 3, .reduced = 5, .groups = 2, .groupInner = 3, .affineCount = 6};
  cases.add("yk_layer_norm_int", LayerNormIntParams{.shape = shape});
  cases.add("yk_layer_norm_float", LayerNormFloatParams{.shape = shape});
  SoftmaxShape softmax{.outer = 3, .axis = 11, .inner = 4};
  cases.add("yk_softmax_lut_int",
            SoftmaxLutParams{.shape = softmax, .extraBits = 24});
  cases.add(
      "yk_softmax_exp_int",
      SoftmaxExpParams{.shape = softmax, .inputScale = 5363, .inputShift = 17});
  cases.add("yk_softmax_float", SoftmaxFloatParams{.shape = softmax});
}

static void addImagesAndReductions(Cases &cases) {
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
  cases.add("yk_pool_int", PoolIntParams{.shape = pool});
  cases.add("yk_pool_float", PoolFloatParams{.shape = pool});
  ResizeShape resize{.inH = 5, .inW = 7, .channels = 3, .outH = 9, .outW = 11};
  cases.add("yk_resize_int", ResizeIntParams{.shape = resize});
  cases.add("yk_resize_float", ResizeFloatParams{.shape = resize});
  for (uint32_t mask : {2u, 5u}) {
    ReduceShape reduce{.rank = 3, .dims = {5, 7, 13}, .reducedMask = mask};
    cases.add("yk_reduce_int", ReduceIntParams{.shape = reduce});
    cases.add("yk_reduce_float", ReduceFloatParams{.shape = reduce});
    for (ReduceOp op : {ReduceOp::L1, ReduceOp::L2})
      cases.add("yk_reduce_norm_int",
                ReduceNormIntParams{.shape = reduce, .op = op});
  }
}

static void addMovement(Cases &cases) {
  cases.add("yk_quantize", QuantizeParams{.count = 999, .scale = 50});
  cases.add("yk_dequantize", DequantizeParams{.count = 999, .scale = 50});
  cases.add("yk_cast", CastParams{.count = 999, .inType = DType::I16});
  ConcatParams concat{.outer = 7, .outInner = 12, .inputCount = 2};
  concat.branches[0] = {5, DType::I8, 1, 77, 6};
  concat.branches[1] = {7, DType::U8, 0, 1, 0};
  cases.add("yk_concat", concat, 3);
  SplitParams split{
      .elemBytes = 2, .outer = 7, .inInner = 12, .outputCount = 2};
  split.inner[0] = 5;
  split.inner[1] = 7;
  cases.add("yk_split", split, 3, 2);
  cases.add("yk_copy", CopyParams{.elemBytes = 2,
                                  .rank = 3,
                                  .dims = {3, 5, 7},
                                  .srcStride = {1, 21, 3},
                                  .dstStride = {35, 7, 1}});
  for (uint32_t elemBytes : {1u, 2u, 4u, 8u}) // more than a vector long
    cases.add("yk_copy", CopyParams{.elemBytes = elemBytes,
                                    .rank = 3,
                                    .dims = {3, 2, 301},
                                    .srcStride = {1, 3, -6},
                                    .dstStride = {602, 301, 1},
                                    .srcOffset = 1800});
  cases.add("yk_copy", CopyParams{.elemBytes = 2,
                                  .rank = 2,
                                  .dims = {3, 301},
                                  .srcStride = {301, 1},
                                  .dstStride = {1, 3}});
  cases.add("yk_pad", PadParams{.elemBytes = 4,
                                .rank = 2,
                                .mode = PadMode::Reflect,
                                .inDims = {5, 7},
                                .outDims = {8, 10},
                                .padBefore = {2, 1}});
  cases.add("yk_gather", GatherParams{.outer = 3,
                                      .axisSize = 200,
                                      .inner = 5,
                                      .indexCount = 4,
                                      .indexType = DType::U8});
}

std::vector<TecStep> kernelCases() {
  Cases cases;
  addProducts(cases);
  addElementwise(cases);
  addNormalizations(cases);
  addImagesAndReductions(cases);
  addMovement(cases);
  return cases.steps;
}

} // namespace yarrow::testing
