//===- EltwiseOps.cpp - Arithmetic on two tensors -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/eltwise/EltwiseShapes.h"
#include "kernels/arithmetic/Eltwise.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BinaryOp;

#define GET_OP_CLASSES
#include "dialects/compass/eltwise/EltwiseOps.cpp.inc"

void compass::registerEltwiseOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/eltwise/EltwiseOps.cpp.inc"
      >();
}

/// Fills the factors that align the operands: scale_value = [m, a, b]. Products
/// need no alignment and have m alone (spec: integer semantics 4.4).
static void alignOperands(Operation *op, BinaryOp binary, int32_t &scaleA,
                          int32_t &scaleB) {
  auto scales = intsKey(op, "scale_value");
  if (scales.empty() || binary == BinaryOp::Mul)
    return;
  scaleA = scales[1];
  scaleB = scales[2];
}

static LogicalResult buildBinary(Operation *op, BinaryOp binary,
                                 LayerProgram &program) {
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1)),
             out = describe(op->getResult(0));
  auto arithmetic = arithmeticOf(op);
  if (failed(arithmetic))
    return failure();
  auto shape = broadcastOf(op, a.shape, b.shape, out.shape);
  if (failed(shape))
    return failure();
  if (*arithmetic == Arithmetic::Integer) {
    kernels::EltwiseIntParams p;
    p.shape = *shape;
    p.op = binary;
    p.typeA = a.dtype, p.typeB = b.dtype;
    p.zpA = a.zp, p.zpB = b.zp;
    alignOperands(op, binary, p.scaleA, p.scaleB);
    if (failed(buildRequant(op, out, p.requant)))
      return failure();
    if (p.requant.perChannel)
      return layerError(op, DiagId::OpUnsupported, "scale_shape",
                        "scale per channel is not supported yet");
    program.call<kernels::EltwiseInt>(p);
  } else {
    kernels::EltwiseFloatParams p;
    p.shape = *shape;
    p.op = binary;
    p.typeA = a.dtype, p.typeB = b.dtype, p.outType = out.dtype;
    if (failed(buildFloatAct(op, p.act)))
      return failure();
    program.call<kernels::EltwiseFloat>(p);
  }
  program.last().bindBinary()["slope"] =
      constant(tensorKey(op, "negative_slope"));
  return success();
}

/// Shape of two operands that broadcast; number of scales that align them.
static LogicalResult
inferBinary(Operation *op, bool isProduct,
            SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(op);
  check.count("scale_value", isProduct ? 1 : 3,
              isProduct ? "of the result" : "of the result and both inputs");
  check.count("shift_value", 1, "of the result");
  check.range("scale_value", 0, 65535);
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}

LogicalResult
EltwiseOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  return inferBinary(*this, wordKey(*this, "method") == "MUL", shapes);
}
LogicalResult EltwiseOp::buildProgram(LayerProgram &program) {
  std::string method = wordKey(*this, "method", "ADD");
  auto binary = llvm::StringSwitch<std::optional<BinaryOp>>(method)
                    .Case("ADD", BinaryOp::Add)
                    .Case("SUB", BinaryOp::Sub)
                    .Case("MUL", BinaryOp::Mul)
                    .Case("MAX", BinaryOp::Max)
                    .Case("MIN", BinaryOp::Min)
                    .Default(std::nullopt);
  if (!binary)
    return layerError(*this, DiagId::OpUnsupported, "method",
                      "method " + method + " is not supported yet");
  return buildBinary(*this, *binary, program);
}

LogicalResult
AddOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  return inferBinary(*this, /*isProduct=*/false, shapes);
}
LogicalResult AddOp::buildProgram(LayerProgram &program) {
  return buildBinary(*this, BinaryOp::Add, program);
}
LogicalResult
SubOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  return inferBinary(*this, /*isProduct=*/false, shapes);
}
LogicalResult SubOp::buildProgram(LayerProgram &program) {
  return buildBinary(*this, BinaryOp::Sub, program);
}
LogicalResult
MulOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  return inferBinary(*this, /*isProduct=*/true, shapes);
}
LogicalResult MulOp::buildProgram(LayerProgram &program) {
  return buildBinary(*this, BinaryOp::Mul, program);
}
