//===- PowProgram.cpp - Powers whose exponent is a tensor -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/LutCall.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/activation/UnaryKernels.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "kernels/arithmetic/Eltwise.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// The table \p key, with entries of one of \p types.
static FailureOr<ConstantView> tableOf(PowOp op, TensorKey key,
                                       ArrayRef<DType> types) {
  ElementsAttr attr = tensorKey(op, key);
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table)
    return missingKey(op, key);
  if (!llvm::is_contained(types, table->dtype))
    return layerError(op, diag::OpIntegerParameters, (key + "_type").str(),
                      "the table " + key + " has a wrong element type")
        .found(dtypeName(table->storedType()))
        .expected(dtypeName(types.back()));
  return *table;
}

LogicalResult compass::buildPowOfTensors(PowOp op, LayerProgram &program) {
  TensorInfo base = describe(op.getOperand(0)),
             exponent = describe(op.getOperand(1)),
             out = describe(op.getResult(0));
  if (base.lo + base.zp < 0)
    return layerError(op, diag::OpUnsupported, "layer_bottom_type",
                      "a base that can be negative is not supported yet in "
                      "integer IR if the exponent is a tensor")
        .found(dtypeName(base.storedType()))
        .expected("an unsigned type, or a zero point that makes all values 0 "
                  "or more");
  auto logarithms = tableOf(op, keys::lut_log, {DType::I8, DType::I16}),
       powers = tableOf(op, keys::lut_exp, out.dtype);
  auto shape = broadcastOf(op, base.shape, exponent.shape, out.shape);
  if (failed(logarithms) || failed(powers) || failed(shape))
    return failure();
  if (!llvm::isPowerOf2_64(powers->numElements()) ||
      powers->numElements() > 65536)
    return layerError(op, diag::OpIntegerParameters, "lut_exp_shape",
                      "the table lut_exp has a wrong number of entries")
        .found(Twine(powers->numElements()))
        .expected("a power of two up to 65536");
  TensorInfo wide = base;
  wide.setType(logarithms->dtype);
  BufferBinding logarithm = program.intermediate("logarithm", wide);
  wide.setType(DType::I16);
  wide.shape = out.shape;
  BufferBinding product = program.intermediate("product", wide);

  KernelCall &log =
      callLut(program, base, constant(tensorKey(op, keys::lut_log)));
  log["input"] = operand(0), log["output"] = logarithm;
  kernels::EltwiseIntParams p;
  p.shape = *shape;
  p.op = kernels::BinaryOp::Mul;
  p.typeA = logarithms->dtype, p.typeB = exponent.dtype;
  p.zpB = exponent.zp;
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  if (p.requant.perChannel)
    return layerError(op, diag::OpUnsupported, "scale_shape",
                      "scale per channel is not supported yet");
  p.requant.outType = DType::I16;
  p.requant.zp = 0;
  p.requant.lo = INT16_MIN, p.requant.hi = INT16_MAX;
  KernelCall &call = program.call<kernels::EltwiseInt>(p);
  call["a"] = logarithm, call["b"] = operand(1), call["output"] = product;
  KernelCall &exp =
      callLut(program, wide, constant(tensorKey(op, keys::lut_exp)));
  exp["input"] = product, exp["output"] = result(0);
  return success();
}
