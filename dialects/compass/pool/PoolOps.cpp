//===- PoolOps.cpp - Pooling ----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/pool/PoolOps.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/WindowParams.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/pool/PoolShapes.h"
#include "kernels/pool/Pool.h"
#include "kernels/pool/PoolMore.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::PoolMethod;

#define GET_OP_CLASSES
#include "dialects/compass/pool/PoolOps.cpp.inc"

void compass::registerPoolOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/pool/PoolOps.cpp.inc"
      >();
}

/// The norms of integers need a multiplier of their sums, L2 a table as well.
static LogicalResult buildNorm(PoolingOp op, const kernels::PoolShape &shape,
                               LayerProgram &program) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  kernels::PoolNormIntParams p;
  p.shape = shape;
  p.inType = in.dtype, p.inZp = in.zp;
  p.outType = out.dtype;
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  BufferBinding table;
  if (shape.method == PoolMethod::L2) {
    table = constant(tensorKey(op, keys::sqrt_lut));
    if (!table)
      return missingKey(op, keys::sqrt_lut);
    p.tableType = table.view.dtype;
    if (p.tableType != out.dtype)
      return layerError(op, diag::OpIntegerParameters, "sqrt_lut_type",
                        "the table has another type than the result")
          .found(dtypeName(p.tableType))
          .expected(dtypeName(out.storedType()));
    p.log2TableSize = llvm::Log2_64(table.view.numElements());
    p.requant.zp = 0, p.requant.lo = 0, p.requant.hi = 65535;
  }
  program.call<kernels::PoolNormInt>(p).bindInOut()["table"] = table;
  return success();
}

static std::string scaleText(const TensorInfo &tensor) {
  return dtypeName(tensor.storedType()).str() + ", scale " +
         std::to_string(tensor.scale) + ", zp " + std::to_string(tensor.zp);
}

/// Where the mean of the stored integers is that of the values: one scale, and
/// no padding among the cells.
static LogicalResult checkPlainMean(PoolingOp op, const TensorInfo &in,
                                    const TensorInfo &out) {
  constexpr StringLiteral kKey = "average_rounding";
  if (wordKey(op, keys::method, "MAX") != "AVG")
    return layerError(op, diag::OpBadAttribute, kKey,
                      "average_rounding applies only to averages")
        .found("method=" + wordKey(op, keys::method, "MAX"))
        .expected("method=AVG");
  if (in.scale != out.scale || in.zp != out.zp || in.dtype != out.dtype)
    return layerError(op, diag::OpIntegerParameters, kKey,
                      "average_rounding=HALF_AWAY needs the same type, scale "
                      "and zero point for input and result")
        .found(scaleText(in) + " and " + scaleText(out));
  if (boolKey(op, keys::count_include_pad))
    return layerError(op, diag::OpUnsupported, kKey,
                      "average_rounding=HALF_AWAY cannot be executed with "
                      "count_include_pad=true");
  return success();
}

LogicalResult PoolingOp::buildProgram(LayerProgram &program) {
  std::string word = wordKey(*this, keys::method, "MAX");
  auto method = llvm::StringSwitch<std::optional<PoolMethod>>(word)
                    .Case("AVG", PoolMethod::Avg)
                    .Case("MAX", PoolMethod::Max)
                    .Case("L1", PoolMethod::L1)
                    .Case("L2", PoolMethod::L2)
                    .Default(std::nullopt);
  assert(method && "verified");
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  WindowKeys w = windowKeys(*this);
  if (failed(checkWindow(*this, w)))
    return failure();
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  kernels::PoolShape s;
  setWindow(s, in, out, w);
  s.channels = in.shape[3];
  s.method = *method;
  s.countIncludePad = boolKey(*this, keys::count_include_pad);
  if (*arithmetic == Arithmetic::Integer) {
    if (*method == PoolMethod::L1 || *method == PoolMethod::L2)
      return buildNorm(*this, s, program);
    if (*method == PoolMethod::Max && failed(checkKeepsType(*this, "MAX")))
      return failure();
    kernels::PoolIntParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    p.inZp = in.zp, p.zp = out.zp;
    p.scaleRatio = out.scale / in.scale;
    p.lo = out.lo, p.hi = out.hi;
    p.isHalfAway = wordKey(*this, keys::average_rounding) == "HALF_AWAY";
    if (p.isHalfAway && failed(checkPlainMean(*this, in, out)))
      return failure();
    program.call<kernels::PoolInt>(p);
  } else {
    kernels::PoolFloatParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    program.call<kernels::PoolFloat>(p);
  }
  program.last().bindInOut();
  return success();
}
