//===- SoftmaxOp.cpp - Softmax --------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/LutCall.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/norm/NormCheck.h"
#include "dialects/compass/norm/NormOps.h"
#include "kernels/activation/Activation.h"
#include "kernels/norm/Softmax.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult
SoftmaxOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(*this);
  check.inputTable(keys::lut);
  check.requant();
  auto axis = normalizeAxis(*this, getAxis(), shapeOfFirst(*this).size());
  if (failed(axis) || !check.ok())
    return failure();
  return inferSameShape(*this, shapes);
}

static LayerError badTable(Operation *op, const Twine &key,
                           const Twine &message) {
  return layerError(op, diag::OpIntegerParameters, key.str(), message);
}

/// The largest entry of a table of exponentials, or an error: the entries are
/// integers, not negative and not all zero.
static std::pair<int64_t, bool> largestExponential(Operation *op, StringRef key,
                                                   const ConstantView &table) {
  if (dtypeIsFloat(table.dtype) || table.dtype == DType::I64 ||
      table.dtype == DType::Bool) {
    badTable(op, key + "_type",
             "the table " + key + " has a wrong element type")
        .expected("integers of up to 32 bits");
    return {0, false};
  }
  int64_t largest = 0;
  for (int64_t i = 0, n = table.numElements(); i < n; ++i) {
    largest = std::max(largest, table.intAt(i));
    if (table.intAt(i) < 0) {
      badTable(op, key + "_offset",
               "the table " + key + " has a negative entry")
          .found(Twine(table.intAt(i)) + " at " + Twine(i))
          .expected("0 or more");
      return {0, false};
    }
  }
  if (largest == 0)
    badTable(op, key + "_offset", "the table " + key + " is all zero")
        .expected("exponentials");
  return {largest, largest != 0};
}

/// quantize_method LUT (docs/operators/norm.md, Softmax): which of the two
/// divisions the reference does depends on the shape alone.
static LogicalResult buildLutSoftmax(SoftmaxOp op,
                                     const kernels::SoftmaxShape &shape,
                                     LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  ElementsAttr attr = tensorKey(op, keys::lut);
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table)
    return missingKey(op, keys::lut);
  auto [largest, ok] = largestExponential(op, "lut", *table);
  if (!ok)
    return failure();
  kernels::Requant requant;
  if (failed(buildRequant(op, out, requant)))
    return failure();
  if (requant.scale == 0)
    return badTable(op, "scale_value", "the key scale_value is out of range")
        .found("0")
        .expected("1 to 65535");
  kernels::SoftmaxLutParams p;
  p.shape = shape;
  p.inType = in.dtype, p.tableType = table->dtype, p.outType = out.dtype;
  p.inBits = in.bits();
  p.log2Size = llvm::Log2_64(table->numElements());
  p.numeratorFirst = shape.axis < 8 && in.bits() <= 8 &&
                     uint64_t(shape.outer) * shape.inner % 128 == 0;
  p.scale = requant.scale, p.shift = requant.shift;
  int32_t base = largest == 1 ? 30 : 31;
  p.extraBits =
      base -
      int32_t(llvm::Log2_64_Ceil(p.numeratorFirst ? largest : requant.scale));
  p.zp = requant.zp, p.lo = requant.lo, p.hi = requant.hi;
  if (p.extraBits < 0)
    return badTable(op, "lut_offset",
                    "the table lut has an entry that is too large")
        .found(Twine(largest))
        .expected("below 2^31");
  program.call<kernels::SoftmaxLutInt>(p);
  program.last().bindInOut()["table"] = constant(attr);
  return success();
}

/// A table of 256 entries that fractions of eight bits choose from.
static FailureOr<BufferBinding> fractionTable(SoftmaxOp op, TensorKey key,
                                              DType type) {
  ElementsAttr attr = tensorKey(op, key);
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table)
    return missingKey(op, key);
  if (table->dtype != type)
    return badTable(op, key + "_type", "the table has another type")
        .found(dtypeName(table->storedType()))
        .expected(dtypeName(type));
  if (table->numElements() != 256)
    return badTable(op, key + "_shape", "the table has another length")
        .found(Twine(table->numElements()))
        .expected("256 entries");
  return constant(attr);
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
    return missingKey(op, !scale   ? KeyName(keys::input_scale_value)
                          : !shift ? KeyName(keys::input_shift_value)
                          : !outQ  ? KeyName(keys::pow2_out_q)
                                   : KeyName(keys::adjust_q));
  if (*adjustQ > 1 && *adjustQ < 8)
    return layerError(op, diag::OpBadAttribute, keys::adjust_q,
                      "quantize_method FAST_EXP does not support this adjust_q")
        .found(Twine(*adjustQ))
        .expected("0, 1 or 8 to 15");
  if (out.zp != 0)
    return layerError(op, diag::OpIntegerParameters, "layer_top_zp",
                      "the result of quantize_method FAST_EXP must have the "
                      "zero point 0")
        .found(Twine(out.zp))
        .expected("0");
  if (*adjustQ >= 8) {
    auto powers = fractionTable(op, keys::pow2_lut, DType::U16),
         logarithms = fractionTable(op, keys::log2_lut, DType::I16);
    if (failed(powers) || failed(logarithms))
      return failure();
    kernels::SoftmaxPow2Params p;
    p.shape = shape;
    p.inType = in.dtype, p.outType = out.dtype;
    p.inputScale = int32_t(*scale), p.inputShift = int32_t(*shift);
    p.pow2OutQ = int32_t(*outQ), p.fractionBits = int32_t(*adjustQ);
    p.lo = out.lo, p.hi = out.hi;
    KernelCall &call = program.call<kernels::SoftmaxPow2Int>(p).bindInOut();
    call["pow2Table"] = *powers, call["log2Table"] = *logarithms;
    return success();
  }
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

/// [outer, axis, inner] of the first operand.
static FailureOr<kernels::SoftmaxShape> softmaxShapeOf(Operation *op,
                                                       int64_t key) {
  SmallVector<int64_t> shape = describe(op->getOperand(0)).shape;
  auto axis = normalizeAxis(op, key, shape.size());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> dims = shape;
  kernels::SoftmaxShape s;
  s.outer = llvm::product_of(dims.take_front(*axis));
  s.axis = dims[*axis];
  s.inner = llvm::product_of(dims.drop_front(*axis + 1));
  return s;
}

static void callFloatSoftmax(Operation *op, const kernels::SoftmaxShape &shape,
                             bool isLog, LayerProgram &program) {
  kernels::SoftmaxFloatParams p;
  p.shape = shape;
  p.inType = describe(op->getOperand(0)).dtype;
  p.outType = describe(op->getResult(0)).dtype;
  p.isLog = isLog;
  program.call<kernels::SoftmaxFloat>(p).bindInOut();
}

LogicalResult SoftmaxOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  auto shape = softmaxShapeOf(*this, getAxis());
  if (failed(arithmetic) || failed(shape))
    return failure();
  if (*arithmetic == Arithmetic::Float) {
    callFloatSoftmax(*this, *shape, /*isLog=*/false, program);
    return success();
  }
  std::string method = wordKey(*this, keys::quantize_method, "LUT");
  if (method == "LUT")
    return buildLutSoftmax(*this, *shape, program);
  if (method == "FAST_EXP")
    return buildExpSoftmax(*this, *shape, program);
  return layerError(*this, diag::OpUnsupported, keys::quantize_method,
                    "quantize_method " + method + " is not supported yet");
}

//===----------------------------------------------------------------------===//
// LogSoftmax
//===----------------------------------------------------------------------===//

/// The reference's form: exponentials in floats.
static LogicalResult buildFloatTable(LogSoftmaxOp op,
                                     const kernels::SoftmaxShape &shape,
                                     const ConstantView &table,
                                     LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  auto scales = op.getQuantizeScale();
  if (!scales || scales->size() != 2)
    return layerError(op, diag::OpIntegerParameters, keys::quantize_scale,
                      "a float table lut_exp needs quantize_scale")
        .found(Twine(scales ? scales->size() : 0) + " numbers")
        .expected("2: of differences and of the logarithm");
  kernels::LogSoftmaxIntParams p;
  p.shape = shape;
  p.inType = in.dtype, p.outType = out.dtype;
  p.inBits = in.bits();
  p.log2Size = llvm::Log2_64(table.numElements());
  p.inputScale = float((*scales)[0]), p.outputScale = float((*scales)[1]);
  p.zp = out.zp, p.lo = out.lo, p.hi = out.hi;
  program.call<kernels::LogSoftmaxInt>(p).bindInOut()["table"] =
      constant(*op.getLutExp());
  return success();
}

/// The definition's form: a softmax, and the table of its logarithms.
static LogicalResult buildTwoTables(LogSoftmaxOp op,
                                    const kernels::SoftmaxShape &shape,
                                    const ConstantView &table,
                                    LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  auto logs = op.getLutLog() ? viewConstant(*op.getLutLog()) : std::nullopt;
  if (!logs)
    return missingKey(op, keys::lut_log);
  if (logs->dtype != out.dtype)
    return layerError(op, diag::OpIntegerParameters, "lut_log_type",
                      "the table lut_log has another element type than the "
                      "result")
        .found(dtypeName(logs->storedType()))
        .expected(dtypeName(out.storedType()));
  auto [largest, ok] = largestExponential(op, "lut_exp", table);
  if (!ok)
    return failure();
  kernels::Requant requant;
  if (failed(buildRequant(op, out, requant)))
    return failure();
  if (requant.scale == 0)
    return layerError(op, diag::OpIntegerParameters, keys::scale_value,
                      "the key scale_value is out of range")
        .found("0")
        .expected("1 to 65535");
  kernels::SoftmaxLutParams p;
  p.shape = shape;
  p.inType = in.dtype, p.tableType = table.dtype;
  p.inBits = in.bits();
  p.log2Size = llvm::Log2_64(table.numElements());
  // Unlike Softmax at 16 bits, too, and with fewer bits more, as in the
  // reference packs.
  p.numeratorFirst =
      shape.axis < 8 && uint64_t(shape.outer) * shape.inner % 128 == 0;
  p.scale = requant.scale, p.shift = requant.shift;
  p.extraBits = p.numeratorFirst ? 11
                                 : (largest == 1 ? 30 : 31) -
                                       int32_t(llvm::Log2_64_Ceil(p.scale));
  TensorInfo softmax = in;
  softmax.dtype = out.bits() <= 8 ? DType::U8 : DType::U16;
  p.outType = softmax.dtype;
  p.lo = 0, p.hi = int32_t(out.hi - out.lo);
  BufferBinding between = program.intermediate("softmax", softmax);
  KernelCall &call = program.call<kernels::SoftmaxLutInt>(p);
  call["input"] = operand(0), call["table"] = constant(*op.getLutExp());
  call["output"] = between;
  KernelCall &log = callLut(program, softmax, constant(*op.getLutLog()));
  log["input"] = between, log["output"] = result(0);
  return success();
}

LogicalResult LogSoftmaxOp::buildProgram(LayerProgram &program) {
  auto arithmetic = arithmeticOf(*this);
  auto shape = softmaxShapeOf(*this, getAxis());
  if (failed(arithmetic) || failed(shape))
    return failure();
  if (*arithmetic == Arithmetic::Float) {
    callFloatSoftmax(*this, *shape, /*isLog=*/true, program);
    return success();
  }
  auto table = getLutExp() ? viewConstant(*getLutExp()) : std::nullopt;
  if (!table)
    return missingKey(*this, keys::lut_exp);
  if (dtypeIsFloat(table->dtype))
    return buildFloatTable(*this, *shape, *table, program);
  return buildTwoTables(*this, *shape, *table, program);
}
