//===- SoftmaxOp.cpp - Softmax --------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/IntegerParameters.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/norm/NormCheck.h"
#include "dialects/compass/norm/NormOps.h"
#include "kernels/Softmax.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult
SoftmaxOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  IntegerParameters check(*this);
  check.table("lut");
  check.requant();
  auto axis = normalizeAxis(*this, getAxis(), shapeOfFirst(*this).size());
  if (failed(axis) || !check.ok())
    return failure();
  return inferSameShape(*this, shapes);
}

/// quantize_method LUT (spec: integer semantics 4.7): which of the two
/// divisions the reference does depends on the shape alone.
static LogicalResult buildLutSoftmax(SoftmaxOp op,
                                     const kernels::SoftmaxShape &shape,
                                     KernelCall &call) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  ElementsAttr attr = tensorKey(op, "lut");
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table || dtypeIsFloat(table->dtype) || table->dtype == DType::I64 ||
      table->dtype == DType::Bool)
    return op.emitOpError("needs the constant lut of integers");
  uint64_t entries = table->numElements();
  if (!llvm::isPowerOf2_64(entries) || llvm::Log2_64(entries) > in.bits())
    return op.emitOpError("lut has ")
           << entries << " entries, expected a power of two up to 2^"
           << in.bits();
  int64_t largest = 0;
  for (uint64_t i = 0; i < entries; ++i) {
    largest = std::max(largest, table->intAt(i));
    if (table->intAt(i) < 0)
      return op.emitOpError("lut holds ") << table->intAt(i) << " at " << i;
  }
  kernels::Requant requant;
  if (failed(buildRequant(op, out, requant)))
    return failure();
  if (requant.perChannel || requant.scale == 0 || largest == 0)
    return op.emitOpError("needs a positive scale_value and a lut that is not "
                          "zero");
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
    return op.emitOpError("lut reaches ") << largest << ", expected below 2^31";
  call.set("yk_softmax_lut_int", p);
  call.addInput(0);
  call.addConstant(attr);
  call.addOutput(0);
  return success();
}

/// quantize_method FAST_EXP: powers of two instead of a table of exponentials.
static LogicalResult buildExpSoftmax(SoftmaxOp op,
                                     const kernels::SoftmaxShape &shape,
                                     KernelCall &call) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  std::optional<int64_t> scale = op.getInputScaleValue(),
                         shift = op.getInputShiftValue(),
                         outQ = op.getPow2OutQ(), adjustQ = op.getAdjustQ();
  if (!scale || !shift || !outQ || !adjustQ)
    return op.emitOpError("quantize_method FAST_EXP needs input_scale_value, "
                          "input_shift_value, pow2_out_q and adjust_q");
  if (*scale < 0 || *scale > 65535 || *shift < 0 || *shift > 62 || *outQ < 0 ||
      *outQ > 31)
    return op.emitOpError("input_scale_value ")
           << *scale << ", input_shift_value " << *shift << " or pow2_out_q "
           << *outQ << " is out of range (0..65535, 0..62, 0..31)";
  if (*adjustQ != 0 && *adjustQ != 1)
    return op.emitOpError("adjust_q is ")
           << *adjustQ << ", only 0 and 1 are supported yet";
  if (out.zp != 0)
    return op.emitOpError(
               "quantize_method FAST_EXP writes zero point 0, found ")
           << out.zp;
  kernels::SoftmaxExpParams p;
  p.shape = shape;
  p.inType = in.dtype, p.outType = out.dtype;
  p.inputScale = *scale, p.inputShift = *shift;
  p.pow2OutQ = *outQ, p.adjustQ = *adjustQ;
  p.lo = out.lo, p.hi = out.hi;
  call.set("yk_softmax_exp_int", p);
  call.addInput(0);
  call.addOutput(0);
  return success();
}

LogicalResult SoftmaxOp::buildKernel(KernelCall &call) {
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
    call.set("yk_softmax_float", p);
    call.addInput(0);
    call.addOutput(0);
    return success();
  }
  std::string method = wordKey(*this, "quantize_method", "LUT");
  if (method == "LUT")
    return buildLutSoftmax(*this, shape, call);
  if (method == "FAST_EXP")
    return buildExpSoftmax(*this, shape, call);
  return emitOpError("quantize_method is ")
         << method << ", expected LUT or FAST_EXP";
}
