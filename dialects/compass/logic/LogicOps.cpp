//===- LogicOps.cpp - Bits, truth values and choices ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/logic/LogicOps.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/logic/LogicShapes.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"

#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/logic/LogicOps.cpp.inc"

void compass::registerLogicOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/logic/LogicOps.cpp.inc"
      >();
}

using kernels::BinaryOp;

//===----------------------------------------------------------------------===//
// Truths of single values
//===----------------------------------------------------------------------===//

/// The truth value of \p binary of the operand and itself: NotEqual holds of
/// NaN alone, Less of nothing.
static LogicalResult buildOfItself(Operation *op, BinaryOp binary,
                                   LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::BroadcastShape shape = {.rank = 1,
                                   .dims = {uint32_t(in.numElements())},
                                   .strideA = {1},
                                   .strideB = {1}};
  if (in.isFloat()) {
    kernels::EltwiseFloatParams p{
        .shape = shape, .op = binary, .typeA = in.dtype, .typeB = in.dtype};
    p.outType = out.dtype;
    program.call<kernels::EltwiseFloat>(p);
  } else {
    kernels::EltwiseIntParams p{.shape = shape, .op = binary, .isStored = 1};
    p.typeA = p.typeB = in.dtype;
    p.requant.outType = out.dtype;
    program.call<kernels::EltwiseInt>(p);
  }
  program.last()["a"] = program.last()["b"] = operand(0);
  program.last()["output"] = result(0);
  return success();
}

LogicalResult IsNaNOp::buildProgram(LayerProgram &program) {
  return buildOfItself(*this, BinaryOp::NotEqual, program);
}

static BufferBinding magnitudeOf(Operation *op, LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0));
  kernels::UnaryFloatParams p;
  p.count = uint32_t(in.numElements());
  p.inType = p.outType = in.dtype;
  p.fn = kernels::UnaryFn::Abs;
  BufferBinding magnitude = program.intermediate("magnitude", in);
  KernelCall &call = program.call<kernels::UnaryFloat>(p);
  call["input"] = operand(0), call["output"] = magnitude;
  return magnitude;
}

/// Compares with the infinity that counts, or the magnitude if both do.
LogicalResult IsInfOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  bool negative = getDetectNegative(), positive = getDetectPositive();
  if (in.isInteger() || !(negative || positive))
    return buildOfItself(*this, BinaryOp::Less, program);
  bool both = negative && positive;
  BufferBinding compared = both ? magnitudeOf(*this, program) : operand(0);
  kernels::EltwiseFloatParams p;
  p.shape = {.rank = 1,
             .dims = {uint32_t(in.numElements())},
             .strideA = {1},
             .strideB = {0}};
  p.op = BinaryOp::Equal;
  p.typeA = in.dtype;
  p.outType = out.dtype;
  float infinity = std::numeric_limits<float>::infinity();
  infinity = positive ? infinity : -infinity;
  const char *bytes = reinterpret_cast<const char *>(&infinity);
  KernelCall &call = program.call<kernels::EltwiseFloat>(p);
  call["a"] = compared;
  call["b"] = constant({1}, DType::F32, {bytes, bytes + sizeof(infinity)});
  call["output"] = result(0);
  return success();
}
