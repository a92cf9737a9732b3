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
#include "kernels/activation/Activation.h"

#include <utility>

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
  if (scales.empty() || formOf(binary) != BinaryForm::Aligned)
    return;
  scaleA = scales[1];
  scaleB = scales[2];
}

/// Operand \p index, requantized by its own entry of scale_value and
/// shift_value within the range of its type, less its zero point (spec: integer
/// semantics 4.23). As it is, if that changes nothing.
static BufferBinding rescaled(Operation *op, unsigned index,
                              LayerProgram &program) {
  TensorInfo value = describe(op->getOperand(index));
  auto scales = intsKey(op, "scale_value"), shifts = intsKey(op, "shift_value");
  kernels::ActivationIntParams p;
  p.count = uint32_t(value.numElements());
  p.inType = p.requant.outType = value.dtype;
  p.inZp = std::exchange(value.zp, 0);
  auto [lo, hi] = dtypeRange(value.dtype);
  p.requant.lo = int32_t(lo), p.requant.hi = int32_t(hi);
  if (!scales.empty()) {
    p.requant.scale = int32_t(scales[index]);
    p.requant.shift = int32_t(shifts[index]);
  }
  if (p.inZp == 0 && p.requant.scale == 1 && p.requant.shift == 0)
    return operand(index);
  BufferBinding rescaled =
      program.intermediate(index == 0 ? "x1" : "x2", std::move(value));
  KernelCall &call = program.call<kernels::ActivationInt>(p);
  call["input"] = operand(index), call["output"] = rescaled;
  return rescaled;
}

static LogicalResult buildBinaryInt(Operation *op, BinaryOp binary,
                                    const kernels::BroadcastShape &shape,
                                    LayerProgram &program) {
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1)),
             out = describe(op->getResult(0));
  BinaryForm form = formOf(binary);
  if (form == BinaryForm::None)
    return layerError(op, DiagId::OpUnsupported, "layer_type",
                      recordOf(op)->layerType +
                          " is not supported yet in integer IR");
  kernels::EltwiseIntParams p;
  p.shape = shape;
  p.op = binary;
  p.typeA = a.dtype, p.typeB = b.dtype;
  p.zpA = a.zp, p.zpB = b.zp;
  alignOperands(op, binary, p.scaleA, p.scaleB);
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  if (p.requant.perChannel)
    return layerError(op, DiagId::OpUnsupported, "scale_shape",
                      "scale per channel is not supported yet");
  BufferBinding inputs[] = {operand(0), operand(1)};
  if (form == BinaryForm::Rescaled) {
    for (unsigned i : {0, 1})
      inputs[i] = rescaled(op, i, program);
    p.zpA = p.zpB = 0;
    p.requant.scale = 1, p.requant.shift = 0;
  }
  KernelCall &call = program.call<kernels::EltwiseInt>(p).bindBinary();
  call["a"] = inputs[0], call["b"] = inputs[1];
  return success();
}

static LogicalResult buildBinaryFloat(Operation *op, BinaryOp binary,
                                      const kernels::BroadcastShape &shape,
                                      LayerProgram &program) {
  kernels::EltwiseFloatParams p;
  p.shape = shape;
  p.op = binary;
  p.typeA = describe(op->getOperand(0)).dtype;
  p.typeB = describe(op->getOperand(1)).dtype;
  p.outType = describe(op->getResult(0)).dtype;
  if (failed(buildFloatAct(op, p.act)))
    return failure();
  program.call<kernels::EltwiseFloat>(p).bindBinary();
  return success();
}

LogicalResult compass::buildBinary(Operation *op, LayerProgram &program) {
  BinaryOp binary = cast<BinaryFunction>(op).binaryFunction();
  // Sums and products of 32-bit operands with 16-bit scales would not fit the
  // kernel's 64 bits; what has the scale of the result is not multiplied.
  bool isWide = formOf(binary) == BinaryForm::Rescaled;
  auto arithmetic = arithmeticOf(op, isWide ? 32 : 16);
  if (failed(arithmetic))
    return failure();
  auto shape = broadcastOf(op, describe(op->getOperand(0)).shape,
                           describe(op->getOperand(1)).shape,
                           describe(op->getResult(0)).shape);
  if (failed(shape))
    return failure();
  LogicalResult built = *arithmetic == Arithmetic::Integer
                            ? buildBinaryInt(op, binary, *shape, program)
                            : buildBinaryFloat(op, binary, *shape, program);
  if (failed(built))
    return failure();
  program.last()["slope"] = constant(tensorKey(op, "negative_slope"));
  return success();
}

LogicalResult compass::inferBinary(Operation *op, ResultShapes &shapes) {
  BinaryForm form = formOf(cast<BinaryFunction>(op).binaryFunction());
  LayerCheck check(op);
  if (form == BinaryForm::Rescaled) {
    check.requant({2, 2, "of both inputs"});
  } else {
    bool isProduct = form == BinaryForm::Product;
    check.count("scale_value", isProduct ? 1 : 3,
                isProduct ? "of the result" : "of the result and both inputs");
    check.count("shift_value", 1, "of the result");
    check.range("scale_value", 0, 65535);
  }
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}
