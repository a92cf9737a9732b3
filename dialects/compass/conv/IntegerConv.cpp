//===- IntegerConv.cpp - Convolution of plain integers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowParams.h"
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/ConvShapes.h"
#include "kernels/conv/Conv.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// A zero point of ConvInteger, which is subtracted.
static FailureOr<int64_t> subtractedZeroPoint(Operation *op, IntKey key) {
  int64_t value = intKey(op, key);
  if (std::abs(value) <= 65535)
    return value;
  return layerError(op, diag::OpIntegerParameters, key,
                    "the key " + key + " is out of range")
      .found(Twine(value))
      .expected("-65535 to 65535");
}

LogicalResult ConvIntegerOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto weights = weightsOf(*this, 4);
  WindowKeys w = windowKeys(*this);
  auto inputZp = subtractedZeroPoint(*this, keys::x_zero_point),
       weightZp = subtractedZeroPoint(*this, keys::w_zero_point);
  if (failed(weights) || failed(inputZp) || failed(weightZp))
    return failure();
  w.kernelY = weights->shape[1], w.kernelX = weights->shape[2];
  if (failed(checkWindow(*this, w)))
    return failure();
  if (out.dtype != DType::I32)
    return layerError(*this, diag::OpElementType, "layer_top_type",
                      "the type of the sums is not int32")
        .found(dtypeName(out.storedType()))
        .expected("int32");
  // The quantizer puts the input's zero point into its type and into the bias;
  // a layer as the parser writes it has neither.
  bool isInBias = in.zp != 0;
  ElementsAttr stored = tensorKey(*this, keys::biases);
  auto storedBias = stored ? viewConstant(stored) : std::nullopt;
  auto filters = weightConstants(*this, "w_zero_point", {-*weightZp});
  if (failed(filters))
    return failure();
  int64_t outputs = weights->shape[0],
          perFilter = weights->numElements() / outputs;
  std::vector<int32_t> biases;
  for (int64_t o = 0; o < outputs; ++o) {
    int64_t bias = storedBias ? storedBias->intAt(o) : 0;
    for (int64_t i = 0; i < perFilter && !isInBias; ++i)
      bias -= *inputZp * filters->view.intAt(o * perFilter + i);
    if (!llvm::isInt<32>(bias))
      return layerError(*this, diag::OpUnsupported, keys::x_zero_point,
                        "a bias together with the input's zero point exceeds "
                        "32 bits")
          .found(Twine(bias))
          .expected("-2147483648 to 2147483647");
    biases.push_back(int32_t(bias));
  }
  kernels::Conv2DIntParams p;
  kernels::Conv2DShape &s = p.shape;
  setWindow(s, in, out, w);
  s.inC = in.shape[3], s.outC = out.shape[3];
  s.groups = getGroup();
  p.inType = in.dtype, p.weightType = filters->view.dtype;
  p.padValue = int32_t(*inputZp);
  p.requant.outType = DType::I32;
  p.requant.lo = INT32_MIN, p.requant.hi = INT32_MAX;
  KernelCall &call = program.call<kernels::Conv2DInt>(p).bindInOut();
  call["weights"] = *filters;
  std::vector<char> bytes(4 * biases.size());
  std::memcpy(bytes.data(), biases.data(), bytes.size());
  call["bias"] = constant({outputs}, DType::I32, std::move(bytes));
  return success();
}
