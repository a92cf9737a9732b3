//===- BiasAddProgram.cpp - Sums with one value per channel ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/eltwise/EltwiseOps.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// An addition of a constant. The bias of integers holds the zero point of x
/// (spec: integer semantics 4.20).
LogicalResult BiasAddOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  ElementsAttr biasKey = tensorKey(*this, "biases");
  auto bias = biasKey ? viewConstant(biasKey) : std::nullopt;
  if (!bias)
    return missingKey(*this, "biases");
  auto shape = broadcastOf(*this, in.shape, bias->shape, out.shape);
  if (failed(shape))
    return failure();
  if (dtypeIsFloat(bias->dtype) != in.isFloat())
    return layerError(*this, DiagId::OpElementType, "biases_type",
                      "the biases do not have the kind of type of the input")
        .found(dtypeName(bias->dtype))
        .expected(in.isFloat() ? "a float type" : "int32");
  if (*arithmetic == Arithmetic::Float) {
    kernels::EltwiseFloatParams p;
    p.shape = *shape;
    p.typeA = in.dtype, p.typeB = bias->dtype, p.outType = out.dtype;
    program.call<kernels::EltwiseFloat>(p);
  } else {
    kernels::EltwiseIntParams p;
    p.shape = *shape;
    p.typeA = in.dtype, p.typeB = bias->dtype;
    if (failed(buildRequant(*this, out, p.requant)))
      return failure();
    if (p.requant.perChannel)
      return layerError(*this, DiagId::OpUnsupported, "scale_shape",
                        "scale per channel is not supported yet");
    program.call<kernels::EltwiseInt>(p);
  }
  KernelCall &call = program.last();
  call["a"] = operand(0), call["b"] = constant(biasKey);
  call["output"] = result(0);
  return success();
}
