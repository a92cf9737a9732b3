//===- EltwiseOps.cpp - Arithmetic on two tensors -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/eltwise/EltwiseShapes.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BinaryForm;
using kernels::BinaryOp;

#include "dialects/compass/eltwise/BinaryInterface.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/compass/eltwise/EltwiseOps.cpp.inc"

void compass::registerEltwiseOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/eltwise/EltwiseOps.cpp.inc"
      >();
}

BinaryOp compass::binaryNamed(StringRef word) {
  const auto *record =
      llvm::find_if(kernels::kBinaryRecords, [&](const auto &r) {
        return word.equals_insensitive(r.name);
      });
  assert(record != std::end(kernels::kBinaryRecords) && "verified");
  return record->op;
}

/// Fills the factors that align the operands: scale_value = [m, a, b]. Products
/// need no alignment and have m alone (spec: integer semantics 4.4).
static void alignOperands(Operation *op, BinaryOp binary, int32_t &scaleA,
                          int32_t &scaleB) {
  auto scales = intsKey(op, "scale_value");
  if (scales.empty() || formOf(binary) == BinaryForm::Product)
    return;
  scaleA = scales[1];
  scaleB = scales[2];
}

LogicalResult compass::buildBinary(Operation *op, LayerProgram &program) {
  BinaryOp binary = cast<BinaryFunction>(op).binaryFunction();
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1)),
             out = describe(op->getResult(0));
  auto arithmetic = arithmeticOf(op);
  if (failed(arithmetic))
    return failure();
  auto shape = broadcastOf(op, a.shape, b.shape, out.shape);
  if (failed(shape))
    return failure();
  if (*arithmetic == Arithmetic::Integer) {
    if (formOf(binary) == BinaryForm::None)
      return layerError(op, DiagId::OpUnsupported, "layer_type",
                        recordOf(op)->layerType +
                            " is not supported yet in integer IR");
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

LogicalResult compass::inferBinary(Operation *op, ResultShapes &shapes) {
  bool isProduct =
      formOf(cast<BinaryFunction>(op).binaryFunction()) == BinaryForm::Product;
  LayerCheck check(op);
  check.count("scale_value", isProduct ? 1 : 3,
              isProduct ? "of the result" : "of the result and both inputs");
  check.count("shift_value", 1, "of the result");
  check.range("scale_value", 0, 65535);
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}
