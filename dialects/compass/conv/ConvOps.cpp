//===- ConvOps.cpp - Kernels of convolutions and products -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvProgram.h"
#include "dialects/compass/conv/ConvShapes.h"
#include "dialects/compass/conv/PackedWeights.h"
#include "kernels/conv/Gemm.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/conv/ConvOps.cpp.inc"

void compass::registerConvOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/conv/ConvOps.cpp.inc"
      >();
}

LogicalResult ConvolutionOp::buildProgram(LayerProgram &program) {
  return buildImageConv(*this, ConvKind::Direct, program);
}
LogicalResult DepthwiseConvOp::buildProgram(LayerProgram &program) {
  return buildImageConv(*this, ConvKind::Depthwise, program);
}
LogicalResult ConvTransposeOp::buildProgram(LayerProgram &program) {
  return buildImageConv(*this, ConvKind::Transposed, program);
}

//===----------------------------------------------------------------------===//
// FullyConnected
//===----------------------------------------------------------------------===//

LogicalResult FullyConnectedOp::inferShapes(ResultShapes &shapes) {
  TensorInfo in = describe(getOperand(0));
  auto weights = weightsOf(*this, 2);
  if (failed(weights))
    return failure();
  if (failed(checkRequant(*this, {.channels = weights->shape[0]})))
    return failure();
  // The reference flattens to rows of the weights' length and keeps [rows,
  // outputs]; inputs of higher rank keep their leading axes when the last one
  // fits.
  int64_t features = weights->shape[1];
  if (features < 1 || in.numElements() % features)
    return layerError(
               *this, diag::OpInvalid, "weights_shape",
               "the input cannot be divided into rows of the weights' length")
        .found(Twine(in.numElements()) + " values")
        .expected("a multiple of " + Twine(features));
  if (in.shape.size() > 2 && in.shape.back() == features) {
    SmallVector<int64_t> shape(in.shape);
    shape.back() = weights->shape[0];
    if (declaredShape(*this, 0) == ArrayRef<int64_t>(shape)) {
      shapes.push_back(shape);
      return checkFusedActivation(*this, shape);
    }
  }
  shapes.push_back({in.numElements() / features, weights->shape[0]});
  return checkFusedActivation(*this, shapes.back());
}

/// Floats whose biases are not one for each output: one for all of them, or a
/// row of them for each row.
static LogicalResult buildBroadcastBiases(FullyConnectedOp op,
                                          const BufferBinding &constants,
                                          LayerProgram &program) {
  const ConstantView &weights = constants.view;
  TensorInfo in = describe(op.getOperand(0));
  auto biases = viewConstant(*op.getBiases());
  kernels::GemmFloatParams p;
  kernels::MatMulShape &s = p.product.shape;
  s.k = weights.shape[1], s.n = weights.shape[0];
  s.m = in.numElements() / s.k;
  s.transB = 1;
  p.product.typeA = in.dtype, p.product.typeB = weights.dtype;
  p.product.outType = describe(op.getResult(0)).dtype;
  int64_t columns = biases->numElements() == 1 ? 1 : s.n,
          biasRows = biases->numElements() / columns;
  p.c = {biases->dtype, uint32_t(biasRows), uint32_t(columns)};
  bool isPlain = wordKey(op, keys::with_activation, "NONE") == "NONE";
  if (isIntegerLayer(op) || !isPlain || (biasRows != 1 && biasRows != s.m))
    return layerError(
               op, diag::OpUnsupported, "biases_shape",
               "biases that broadcast are supported only in float layers "
               "without an activation, as one value or one value per output")
        .found(shapeText(biases->shape));
  KernelCall &call = program.call<kernels::GemmFloat>(p);
  call["a"] = operand(0), call["output"] = result(0);
  call["b"] = constants, call["c"] = constant(*op.getBiases());
  return success();
}

LogicalResult FullyConnectedOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto weights = weightsOf(*this, 2);
  if (failed(weights))
    return failure();
  if (failed(checkWeightedTypes(*this)))
    return failure();
  auto constants = weightConstants(*this);
  if (failed(constants))
    return failure();
  if (viewConstant(*getBiases())->numElements() != weights->shape[0])
    return buildBroadcastBiases(*this, *constants, program);
  uint32_t features = weights->shape[1], outputs = weights->shape[0];
  uint32_t rows = in.numElements() / features;
  if (isIntegerLayer(*this)) {
    kernels::FullyConnectedIntParams p;
    p.rows = rows, p.inFeatures = features, p.outFeatures = outputs;
    p.inType = in.dtype, p.weightType = constants->view.dtype;
    p.biasType = viewConstant(*getBiases())->dtype;
    if (failed(buildRequant(*this, out, p.requant)) ||
        failed(checkWeightedSums(*this, p.requant, constants->view)))
      return failure();
    program.call<kernels::FullyConnectedInt>(p);
  } else {
    kernels::FullyConnectedFloatParams p;
    p.rows = rows, p.inFeatures = features, p.outFeatures = outputs;
    p.inType = in.dtype, p.outType = out.dtype;
    p.biasType = viewConstant(*getBiases())->dtype;
    if (failed(buildFloatAct(*this, p.act)))
      return failure();
    program.call<kernels::FullyConnectedFloat>(p);
    *constants = packedMatrix(constants->view);
  }
  bindWeighted(*this, program.last());
  program.last()["weights"] = *constants;
  return success();
}
