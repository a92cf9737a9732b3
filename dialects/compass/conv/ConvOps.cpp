//===- ConvOps.cpp - Shapes and kernels of convolutions and products ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/Layers.h"
#include "kernels/Conv.h"
#include "kernels/Gemm.h"

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

/// Weights of a layer, checked to have \p rank axes and a bias per output.
static FailureOr<ConstantView> weightsOf(Operation *op, size_t rank) {
  ElementsAttr attr = tensorKey(op, "weights");
  auto weights = attr ? viewConstant(attr) : std::nullopt;
  if (!weights)
    return op->emitOpError("needs the constant weights");
  if (weights->shape.size() != rank)
    return op->emitOpError("weights have ")
           << weights->shape.size() << " axes, expected " << rank;
  ElementsAttr biasAttr = tensorKey(op, "biases");
  auto biases = biasAttr ? viewConstant(biasAttr) : std::nullopt;
  if (!biases || biases->numElements() != weights->shape[0])
    return op->emitOpError("needs one bias per output channel (")
           << weights->shape[0] << ")";
  return *weights;
}

/// Weights transformed for Winograd's F(2,3) along the width. The IR then
/// states the tile, 4 columns wide with step 2, in place of the window and its
/// step.
static bool isWinograd(Operation *op) {
  auto conv = dyn_cast<ConvolutionOp>(op);
  return conv && conv.getWithWinograd();
}

static LogicalResult checkWinograd(Operation *op, const WindowKeys &w) {
  if (!isIntegerLayer(op))
    return op->emitOpError(
        "with_winograd=true is not supported yet in float IR");
  if (w.kernelX != 4 || w.strideX != 2 || w.strideY != 1 || w.dilationX != 1 ||
      w.dilationY != 1 || cast<ConvolutionOp>(op).getGroup() != 1)
    return op->emitOpError("with_winograd=true is not supported yet but for "
                           "F(2,3) along the width: kernel_x 4, "
                           "stride_x 2, stride_y 1, dilations and group 1");
  return success();
}

static LogicalResult
inferConvShape(Operation *op, bool depthwise,
               SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  if (op->getNumOperands() != 1)
    return op->emitOpError("has one input");
  TensorInfo in = describe(op->getOperand(0));
  auto weights = weightsOf(op, 4);
  WindowKeys w = windowKeys(op);
  if (failed(weights) || failed(checkWindow(op, w)))
    return failure();
  if (in.shape.size() != 4)
    return op->emitOpError("needs an NHWC input, found rank ")
           << in.shape.size();
  if (weights->shape[1] != w.kernelY || weights->shape[2] != w.kernelX)
    return op->emitOpError("weights are ")
           << weights->shape[1] << "x" << weights->shape[2]
           << ", the kernel is " << w.kernelY << "x" << w.kernelX;
  int64_t channels = in.shape[3], outputs = weights->shape[0];
  if (depthwise) {
    if (outputs % channels || weights->shape[3] != 1)
      return op->emitOpError("weights [")
             << outputs << ",..," << weights->shape[3] << "] do not fit "
             << channels << " input channels";
  } else {
    int64_t group = cast<ConvolutionOp>(op).getGroup();
    if (group < 1 || channels % group || outputs % group)
      return op->emitOpError("group ")
             << group << " does not divide " << channels << " input and "
             << outputs << " output channels";
    if (weights->shape[3] != channels / group)
      return op->emitOpError("weights have ")
             << weights->shape[3] << " input channels, expected "
             << channels / group;
    if (isWinograd(op)) {
      if (failed(checkWinograd(op, w)))
        return failure();
      w.kernelX = 3, w.strideX = 1; // the window behind the tiles
    }
  }
  int64_t spanY = (w.kernelY - 1) * w.dilationY + 1,
          spanX = (w.kernelX - 1) * w.dilationX + 1;
  int64_t height = in.shape[1] + w.padTop + w.padBottom,
          width = in.shape[2] + w.padLeft + w.padRight;
  if (height < spanY || width < spanX)
    return op->emitOpError("the kernel is larger than the padded input");
  shapes.push_back({in.shape[0], (height - spanY) / w.strideY + 1,
                    (width - spanX) / w.strideX + 1, outputs});
  return success();
}

static LogicalResult buildConvKernel(Operation *op, bool depthwise,
                                     KernelCall &call) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  auto weights = weightsOf(op, 4);
  if (failed(weights))
    return failure();
  WindowKeys w = windowKeys(op);
  kernels::Conv2DShape s;
  s.batch = in.shape[0], s.inH = in.shape[1], s.inW = in.shape[2],
  s.inC = in.shape[3];
  s.outH = out.shape[1], s.outW = out.shape[2], s.outC = out.shape[3];
  s.kernelH = w.kernelY, s.kernelW = w.kernelX;
  s.strideH = w.strideY, s.strideW = w.strideX;
  s.dilationH = w.dilationY, s.dilationW = w.dilationX;
  if (isWinograd(op))
    s.strideW = 1;
  s.padTop = w.padTop, s.padLeft = w.padLeft;
  s.groups = depthwise ? 1 : cast<ConvolutionOp>(op).getGroup();
  if (isIntegerLayer(op)) {
    kernels::Conv2DIntParams p;
    p.shape = s;
    p.inType = in.dtype;
    p.weightType = weights->dtype;
    p.padValue = -in.zp;
    p.inZp = in.zp;
    if (failed(buildRequant(op, out, p.requant)))
      return failure();
    call.set(depthwise        ? "yk_depthwise_conv2d_int"
             : isWinograd(op) ? "yk_conv2d_winograd_int"
                              : "yk_conv2d_int",
             p);
  } else {
    kernels::Conv2DFloatParams p;
    p.shape = s;
    p.inType = in.dtype;
    p.weightType = weights->dtype;
    p.biasType = viewConstant(tensorKey(op, "biases"))->dtype;
    p.outType = out.dtype;
    if (failed(buildFloatAct(op, p.act)))
      return failure();
    call.set(depthwise ? "yk_depthwise_conv2d_float" : "yk_conv2d_float", p);
  }
  call.addInput(0);
  call.addConstant(tensorKey(op, "weights"));
  call.addConstant(tensorKey(op, "biases"));
  addRequantConstants(op, call);
  call.addOutput(0);
  return success();
}

LogicalResult
ConvolutionOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  return inferConvShape(*this, /*depthwise=*/false, shapes);
}
LogicalResult ConvolutionOp::buildKernel(KernelCall &call) {
  return buildConvKernel(*this, /*depthwise=*/false, call);
}
LogicalResult
DepthwiseConvOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  return inferConvShape(*this, /*depthwise=*/true, shapes);
}
LogicalResult DepthwiseConvOp::buildKernel(KernelCall &call) {
  return buildConvKernel(*this, /*depthwise=*/true, call);
}

//===----------------------------------------------------------------------===//
// FullyConnected
//===----------------------------------------------------------------------===//

LogicalResult
FullyConnectedOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  if (getNumOperands() != 1)
    return emitOpError("has one input");
  TensorInfo in = describe(getOperand(0));
  auto weights = weightsOf(*this, 2);
  if (failed(weights))
    return failure();
  // The reference flattens to rows of the weights' length and keeps [rows,
  // outputs]; inputs of higher rank keep their leading axes when the last one
  // fits.
  int64_t features = weights->shape[1];
  if (features < 1 || in.numElements() % features)
    return emitOpError("weights read rows of ")
           << features << " values, the input has " << in.numElements();
  if (in.shape.size() > 2 && in.shape.back() == features) {
    SmallVector<int64_t> shape(in.shape);
    shape.back() = weights->shape[0];
    SmallVector<int64_t> found(
        cast<RankedTensorType>(getResult(0).getType()).getShape());
    if (found == shape) {
      shapes.push_back(shape);
      return success();
    }
  }
  shapes.push_back({in.numElements() / features, weights->shape[0]});
  return success();
}

LogicalResult FullyConnectedOp::buildKernel(KernelCall &call) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto weights = weightsOf(*this, 2);
  if (failed(weights))
    return failure();
  uint32_t features = weights->shape[1], outputs = weights->shape[0];
  uint32_t rows = in.numElements() / features;
  if (isIntegerLayer(*this)) {
    kernels::FullyConnectedIntParams p;
    p.rows = rows, p.inFeatures = features, p.outFeatures = outputs;
    p.inType = in.dtype, p.weightType = weights->dtype;
    if (failed(buildRequant(*this, out, p.requant)))
      return failure();
    call.set("yk_fully_connected_int", p);
  } else {
    kernels::FullyConnectedFloatParams p;
    p.rows = rows, p.inFeatures = features, p.outFeatures = outputs;
    p.inType = in.dtype, p.weightType = weights->dtype, p.outType = out.dtype;
    p.biasType = viewConstant(*getBiases())->dtype;
    if (failed(buildFloatAct(*this, p.act)))
      return failure();
    call.set("yk_fully_connected_float", p);
  }
  call.addInput(0);
  call.addConstant(*getWeights());
  call.addConstant(*getBiases());
  addRequantConstants(*this, call);
  call.addOutput(0);
  return success();
}

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

LogicalResult
MatMulOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  if (getNumOperands() != 2)
    return emitOpError("has two inputs");
  TensorInfo a = describe(getOperand(0)), b = describe(getOperand(1));
  if (a.shape.size() < 2 || b.shape.size() < 2 || a.shape.size() > 8 ||
      b.shape.size() > 8)
    return emitOpError("needs operands of rank 2 to 8");
  ArrayRef<int64_t> aShape = a.shape, bShape = b.shape;
  int64_t m = aShape[aShape.size() - (getTransA() ? 1 : 2)];
  int64_t k = aShape[aShape.size() - (getTransA() ? 2 : 1)];
  int64_t kb = bShape[bShape.size() - (getTransB() ? 1 : 2)];
  int64_t n = bShape[bShape.size() - (getTransB() ? 2 : 1)];
  if (k != kb)
    return emitOpError("inner dimensions differ: ") << k << " and " << kb;
  auto batch = broadcastShapes(aShape.drop_back(2), bShape.drop_back(2));
  if (!batch)
    return emitOpError("batch dimensions do not broadcast");
  batch->append({m, n});
  shapes.push_back(*batch);
  return success();
}

LogicalResult MatMulOp::buildKernel(KernelCall &call) {
  TensorInfo a = describe(getOperand(0)), b = describe(getOperand(1)),
             out = describe(getResult(0));
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
    return emitOpError(
        "batch dimensions that repeat by a multiple are not supported");
  if (isIntegerLayer(*this)) {
    kernels::MatMulIntParams p;
    p.shape = s;
    p.typeA = a.dtype, p.typeB = b.dtype, p.zpA = a.zp, p.zpB = b.zp;
    if (failed(buildRequant(*this, out, p.requant)))
      return failure();
    if (getRemainShift() && (a.bits() == 16 || b.bits() == 16))
      return emitOpError("remain_shift is not supported yet");
    call.set("yk_matmul_int", p);
  } else {
    kernels::MatMulFloatParams p;
    p.shape = s;
    p.typeA = a.dtype, p.typeB = b.dtype, p.outType = out.dtype;
    if (getFusedMultiplier() && *getFusedMultiplier() != APFloat(1.0))
      return emitOpError("fused_multiplier is not supported in float IR yet");
    call.set("yk_matmul_float", p);
  }
  call.addInput(0);
  call.addInput(1);
  call.addOutput(0);
  return success();
}
