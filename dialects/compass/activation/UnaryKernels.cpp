//===- UnaryKernels.cpp - Kernels of one-operand layers -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/activation/UnaryKernels.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/LutCall.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

FailureOr<ConstantView> compass::lutOf(Operation *op, TensorKey key) {
  TensorInfo out = describe(op->getResult(0));
  ElementsAttr attr = tensorKey(op, key);
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table)
    return missingKey(op, key);
  std::string typeKey = (key + "_type").str();
  if (table->dtype != out.dtype)
    return layerError(op, diag::OpIntegerParameters, typeKey,
                      "the table " + key +
                          " has another element type than the result")
        .found(dtypeName(table->storedType()))
        .expected(dtypeName(out.storedType()));
  if (dtypeIsFloat(table->dtype) || out.bits() > 16)
    return layerError(op, diag::OpUnsupported, typeKey,
                      "tables of this type are not supported yet")
        .found(dtypeName(table->storedType()))
        .expected("an integer of 8 or 16 bits");
  assert(llvm::isPowerOf2_64(table->numElements()) && "verified");
  return *table;
}

static int64_t indexMin(const TensorInfo &in, LutOrigin origin) {
  if (origin == LutOrigin::TypeMin)
    return dtypeRange(in.storedType()).first;
  bool isWidened = origin == LutOrigin::WidenedRangeMin &&
                   dtypeIsSigned(in.dtype) && in.lo == -in.hi;
  return isWidened ? in.lo - 1 : in.lo;
}

LogicalResult compass::buildLutKernel(Operation *op, TensorKey key,
                                      LutOrigin origin, LayerProgram &program) {
  auto table = lutOf(op, key);
  if (failed(table))
    return failure();
  TensorInfo in = describe(op->getOperand(0));
  callLut(program, in, constant(tensorKey(op, key)), indexMin(in, origin))
      .bindInOut();
  return success();
}

LogicalResult compass::buildFunctionKernel(Operation *op,
                                           LayerProgram &program) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::UnaryFloatParams p;
  auto fn = unaryFunctionOf(op, p.args);
  if (failed(fn))
    return failure();
  p.count = in.numElements();
  p.inType = in.dtype, p.outType = out.dtype;
  p.fn = *fn;
  program.call<kernels::UnaryFloat>(p);
  program.last().bindInOut();
  return success();
}
