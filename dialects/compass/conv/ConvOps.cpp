//===- ConvOps.cpp - Kernels of convolutions and products -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvShapes.h"
#include "dialects/compass/conv/Winograd.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"

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

//===----------------------------------------------------------------------===//
// Convolution and DepthwiseConv
//===----------------------------------------------------------------------===//

/// Refuses element types that the kernels of convolutions and fully connected
/// layers do not read. Whether they are integers or floats has weightsOf told.
static LogicalResult checkElementTypes(Operation *op, const TensorInfo &in,
                                       const ConstantView &weights) {
  bool ok = true;
  auto check = [&](StringRef key, DType type, ArrayRef<DType> known) {
    if (llvm::is_contained(known, type))
      return;
    ok = false;
    std::string names;
    for (DType k : known)
      names += (names.empty() ? "" : " or ") + dtypeName(k).str();
    layerError(op, DiagId::OpUnsupported, key,
               "layers with such a " + key + " are not executed")
        .found(dtypeName(type))
        .expected(names);
  };
  DType bias = viewConstant(tensorKey(op, "biases"))->dtype;
  constexpr DType kFloats[] = {DType::F32, DType::F16, DType::BF16};
  if (isIntegerLayer(op)) {
    check("layer_bottom_type", in.dtype,
          {DType::I8, DType::U8, DType::I16, DType::U16});
    check("weights_type", weights.dtype, {DType::I8, DType::I16});
    check("biases_type", bias, {DType::I32});
  } else {
    check("layer_bottom_type", in.dtype, kFloats);
    check("weights_type", weights.dtype, kFloats);
    check("biases_type", bias, kFloats);
  }
  return success(ok);
}

/// The geometry as the keys have it: with Winograd the window is a tile.
static kernels::Conv2DShape shapeOfKeys(Operation *op, const WindowKeys &w,
                                        const TensorInfo &in,
                                        const TensorInfo &out) {
  kernels::Conv2DShape s;
  s.batch = in.shape[0], s.inH = in.shape[1], s.inW = in.shape[2],
  s.inC = in.shape[3];
  s.outH = out.shape[1], s.outW = out.shape[2], s.outC = out.shape[3];
  s.kernelH = w.kernelY, s.kernelW = w.kernelX;
  s.strideH = w.strideY, s.strideW = w.strideX;
  s.dilationH = w.dilationY, s.dilationW = w.dilationX;
  s.padTop = w.padTop, s.padLeft = w.padLeft;
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    s.groups = convolution.getGroup();
  return s;
}

static LogicalResult setIntKernel(Operation *op,
                                  const kernels::Conv2DShape &shape,
                                  DType weightType, LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::Conv2DIntParams p;
  p.shape = shape;
  p.inType = in.dtype;
  p.weightType = weightType;
  p.padValue = -in.zp;
  p.inZp = in.zp;
  auto weightZp = weightZeroPoint(op);
  if (failed(weightZp) || failed(buildRequant(op, out, p.requant)))
    return failure();
  p.weightZp = *weightZp;
  if (!boolKey(op, "with_winograd")) {
    if (isa<DepthwiseConvOp>(op))
      program.call<kernels::DepthwiseConv2DInt>(p);
    else
      program.call<kernels::Conv2DInt>(p);
    return success();
  }
  auto winograd = winogradParams(op, p);
  if (failed(winograd))
    return failure();
  program.call<kernels::Conv2DWinogradInt>(*winograd);
  return success();
}

static LogicalResult setFloatKernel(Operation *op,
                                    const kernels::Conv2DShape &shape,
                                    DType weightType, LayerProgram &program) {
  if (boolKey(op, "with_winograd"))
    return layerError(op, DiagId::OpUnsupported, "with_winograd",
                      "with_winograd=true is executed in integer IR only")
        .hint("quantize the layer in its plain form");
  kernels::Conv2DFloatParams p;
  p.shape = shape;
  p.inType = describe(op->getOperand(0)).dtype;
  p.weightType = weightType;
  p.biasType = viewConstant(tensorKey(op, "biases"))->dtype;
  p.outType = describe(op->getResult(0)).dtype;
  if (failed(buildFloatAct(op, p.act)))
    return failure();
  if (isa<DepthwiseConvOp>(op))
    program.call<kernels::DepthwiseConv2DFloat>(p);
  else
    program.call<kernels::Conv2DFloat>(p);
  return success();
}

static LogicalResult buildConvKernel(Operation *op, LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  auto weights = weightsOf(op, 4);
  if (failed(weights))
    return failure();
  WindowKeys w = windowKeys(op);
  // The key may be absent: the weights tell it as well.
  w.kernelY = weights->shape[1], w.kernelX = weights->shape[2];
  if (failed(checkWindow(op, w)) || failed(checkElementTypes(op, in, *weights)))
    return failure();
  kernels::Conv2DShape shape = shapeOfKeys(op, w, in, out);
  auto setKernel = isIntegerLayer(op) ? setIntKernel : setFloatKernel;
  if (failed(setKernel(op, shape, weights->dtype, program)))
    return failure();
  bindWeighted(op, program.last());
  if (boolKey(op, "with_winograd"))
    program.last()["tapShifts"] = constant(tensorKey(op, "winograd_tap_shift"));
  return success();
}

LogicalResult ConvolutionOp::buildProgram(LayerProgram &program) {
  return buildConvKernel(*this, program);
}
LogicalResult DepthwiseConvOp::buildProgram(LayerProgram &program) {
  return buildConvKernel(*this, program);
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
    return layerError(*this, DiagId::OpInvalid, "weights_shape",
                      "the input is not made of rows as long as the weights'")
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

LogicalResult FullyConnectedOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto weights = weightsOf(*this, 2);
  if (failed(weights))
    return failure();
  if (viewConstant(*getBiases())->numElements() != weights->shape[0])
    return layerError(*this, DiagId::OpUnsupported, "biases_shape",
                      "biases that broadcast are not supported yet");
  if (failed(checkElementTypes(*this, in, *weights)))
    return failure();
  uint32_t features = weights->shape[1], outputs = weights->shape[0];
  uint32_t rows = in.numElements() / features;
  if (isIntegerLayer(*this)) {
    kernels::FullyConnectedIntParams p;
    p.rows = rows, p.inFeatures = features, p.outFeatures = outputs;
    p.inType = in.dtype, p.weightType = weights->dtype;
    auto weightZp = weightZeroPoint(*this);
    if (failed(weightZp) || failed(buildRequant(*this, out, p.requant)))
      return failure();
    p.weightZp = *weightZp;
    program.call<kernels::FullyConnectedInt>(p);
  } else {
    kernels::FullyConnectedFloatParams p;
    p.rows = rows, p.inFeatures = features, p.outFeatures = outputs;
    p.inType = in.dtype, p.weightType = weights->dtype, p.outType = out.dtype;
    p.biasType = viewConstant(*getBiases())->dtype;
    if (failed(buildFloatAct(*this, p.act)))
      return failure();
    program.call<kernels::FullyConnectedFloat>(p);
  }
  bindWeighted(*this, program.last());
  return success();
}

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

LogicalResult MatMulOp::buildProgram(LayerProgram &program) {
  TensorInfo a = describe(getOperand(0)), b = describe(getOperand(1)),
             out = describe(getResult(0));
  if (out.shape.size() > 8)
    return layerError(*this, DiagId::OpUnsupported, "layer_top_shape",
                      "products of more than 8 axes are not supported yet");
  kernels::MatMulShape s;
  s.m = out.shape[out.shape.size() - 2];
  s.n = out.shape.back();
  s.k = a.shape[a.shape.size() - (getTransA() ? 2 : 1)];
  s.transA = getTransA(), s.transB = getTransB();
  s.batchRank = out.shape.size() - 2;
  auto strides = [&](const TensorInfo &t, uint32_t *dest) {
    int64_t step = t.shape[t.shape.size() - 1] * t.shape[t.shape.size() - 2];
    for (int i = int(s.batchRank) - 1, j = int(t.shape.size()) - 3; i >= 0;
         --i, --j) {
      int64_t dim = j >= 0 ? t.shape[j] : 1;
      dest[i] = dim == 1 ? 0 : step;
      if (dim != 1 && dim != out.shape[i])
        return false; // integer multiples do not occur for products
      step *= dim;
    }
    return true;
  };
  for (uint32_t i = 0; i < s.batchRank; ++i)
    s.batchDims[i] = out.shape[i];
  if (!strides(a, s.batchStrideA) || !strides(b, s.batchStrideB))
    return layerError(
        *this, DiagId::OpUnsupported, "layer_bottom_shape",
        "batch dimensions that repeat by a multiple are not supported yet");
  if (isIntegerLayer(*this)) {
    kernels::MatMulIntParams p;
    p.shape = s;
    p.typeA = a.dtype, p.typeB = b.dtype, p.zpA = a.zp, p.zpB = b.zp;
    if (failed(buildRequant(*this, out, p.requant)))
      return failure();
    if (getRemainShift() && (a.bits() == 16 || b.bits() == 16))
      return layerError(*this, DiagId::OpUnsupported, "remain_shift",
                        "remain_shift is not supported yet");
    program.call<kernels::MatMulInt>(p);
  } else {
    kernels::MatMulFloatParams p;
    p.shape = s;
    p.typeA = a.dtype, p.typeB = b.dtype, p.outType = out.dtype;
    if (getFusedMultiplier() && *getFusedMultiplier() != APFloat(1.0))
      return layerError(*this, DiagId::OpUnsupported, "fused_multiplier",
                        "fused_multiplier is not supported yet in float IR");
    program.call<kernels::MatMulFloat>(p);
  }
  program.last().bindBinary();
  return success();
}
