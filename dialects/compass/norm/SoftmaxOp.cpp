//===- SoftmaxOp.cpp - Softmax --------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/norm/NormCheck.h"
#include "dialects/compass/norm/NormOps.h"
#include "kernels/norm/Softmax.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult
SoftmaxOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(*this);
  check.inputTable("lut");
  check.requant();
  auto axis = normalizeAxis(*this, getAxis(), shapeOfFirst(*this).size());
  if (failed(axis) || !check.ok())
    return failure();
  return inferSameShape(*this, shapes);
}

static LayerError badTable(SoftmaxOp op, StringRef key, const Twine &message) {
  return layerError(op, DiagId::OpIntegerParameters, key, message);
}

/// quantize_method LUT (spec: integer semantics 4.7): which of the two
/// divisions the reference does depends on the shape alone.
static LogicalResult buildLutSoftmax(SoftmaxOp op,
                                     const kernels::SoftmaxShape &shape,
                                     LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  ElementsAttr attr = tensorKey(op, "lut");
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table || dtypeIsFloat(table->dtype) || table->dtype == DType::I64 ||
      table->dtype == DType::Bool)
    return badTable(op, "lut_type", "the table lut has a wrong element type")
        .expected("integers of up to 32 bits");
  uint64_t entries = table->numElements();
  int64_t largest = 0;
  for (uint64_t i = 0; i < entries; ++i) {
    largest = std::max(largest, table->intAt(i));
    if (table->intAt(i) < 0)
      return badTable(op, "lut_offset", "the table lut has a negative entry")
          .found(Twine(table->intAt(i)) + " at " + Twine(i))
          .expected("0 or more");
  }
  kernels::Requant requant;
  if (failed(buildRequant(op, out, requant)))
    return failure();
  if (largest == 0)
    return badTable(op, "lut_offset", "the table lut is all zero")
        .expected("exponentials");
  if (requant.scale == 0)
    return badTable(op, "scale_value", "the key scale_value is out of range")
        .found("0")
        .expected("1 to 65535");
  kernels::SoftmaxLutParams p;
  p.shape = shape;
  p.inType = in.dtype, p.tableType = table->dtype, p.outType = out.dtype;
  p.inBits = in.bits();
  p.log2Size = llvm::Log2_64(entries);
  p.numeratorFirst = shape.axis < 8 && in.bits() <= 8 &&
                     uint64_t(shape.outer) * shape.inner % 128 == 0;
  p.scale = requant.scale, p.shift = requant.shift;
  int32_t base = largest == 1 ? 30 : 31;
  p.extraBits =
      base -
      int32_t(llvm::Log2_64_Ceil(p.numeratorFirst ? largest : requant.scale));
  p.zp = requant.zp, p.lo = requant.lo, p.hi = requant.hi;
  if (p.extraBits < 0)
    return badTable(op, "lut_offset", "the table lut has too large an entry")
        .found(Twine(largest))
        .expected("below 2^31");
  program.call<kernels::SoftmaxLutInt>(p);
  program.last().bindInOut()["table"] = constant(attr);
  return success();
}

/// quantize_method FAST_EXP: powers of two instead of a table of exponentials.
static LogicalResult buildExpSoftmax(SoftmaxOp op,
                                     const kernels::SoftmaxShape &shape,
                                     LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  std::optional<int64_t> scale = op.getInputScaleValue(),
                         shift = op.getInputShiftValue(),
                         outQ = op.getPow2OutQ(), adjustQ = op.getAdjustQ();
  if (!scale || !shift || !outQ || !adjustQ)
    return missingKey(op, !scale   ? "input_scale_value"
                          : !shift ? "input_shift_value"
                          : !outQ  ? "pow2_out_q"
                                   : "adjust_q");
  if (*adjustQ != 0 && *adjustQ != 1)
    return layerError(op, DiagId::OpUnsupported, "adjust_q",
                      "adjust_q is " + Twine(*adjustQ) +
                          ", only 0 and 1 are supported yet");
  if (out.zp != 0)
    return layerError(op, DiagId::OpIntegerParameters, "layer_top_zp",
                      "quantize_method FAST_EXP writes zero point 0")
        .found(Twine(out.zp))
        .expected("0");
  kernels::SoftmaxExpParams p;
  p.shape = shape;
  p.inType = in.dtype, p.outType = out.dtype;
  p.inputScale = *scale, p.inputShift = *shift;
  p.pow2OutQ = *outQ, p.adjustQ = *adjustQ;
  p.lo = out.lo, p.hi = out.hi;
  program.call<kernels::SoftmaxExpInt>(p);
  program.last().bindInOut();
  return success();
}

LogicalResult SoftmaxOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto axis = normalizeAxis(*this, getAxis(), in.shape.size());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> dims = in.shape;
  kernels::SoftmaxShape shape;
  shape.outer = llvm::product_of(dims.take_front(*axis));
  shape.axis = dims[*axis];
  shape.inner = llvm::product_of(dims.drop_front(*axis + 1));
  if (*arithmetic == Arithmetic::Float) {
    kernels::SoftmaxFloatParams p;
    p.shape = shape;
    p.inType = in.dtype, p.outType = out.dtype;
    program.call<kernels::SoftmaxFloat>(p);
    program.last().bindInOut();
    return success();
  }
  std::string method = wordKey(*this, "quantize_method", "LUT");
  if (method == "LUT")
    return buildLutSoftmax(*this, shape, program);
  if (method == "FAST_EXP")
    return buildExpSoftmax(*this, shape, program);
  return layerError(*this, DiagId::OpUnsupported, "quantize_method",
                    "quantize_method " + method + " is not supported yet");
}
