//===- UnaryOps.cpp - Layers that are one function of a value -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/activation/ActivationOps.h"
#include "dialects/compass/activation/UnaryKernels.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "kernels/arithmetic/Eltwise.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::UnaryFn;
using kernels::UnaryIntOp;

/// 16-bit Sine and Cosine: a table of one period, indexed with the angle scaled
/// to it (docs/operators/activation.md, Sine).
static LogicalResult buildPeriodicKernel(Operation *op, LayerProgram &program) {
  auto table = lutOf(op, keys::lut);
  auto scales = intsKey(op, keys::scale_value),
       shifts = intsKey(op, keys::shift_value);
  if (failed(table))
    return failure();
  if (scales.empty() || shifts.empty())
    return missingKey(op,
                      scales.empty() ? keys::scale_value : keys::shift_value);
  if (shifts[0] < 0)
    return layerError(op, diag::OpIntegerParameters, keys::shift_value,
                      "an angle of 16 bits is shifted to the left")
        .found(Twine(shifts[0]))
        .expected("0 to 62");
  TensorInfo in = describe(op->getOperand(0));
  kernels::PeriodicLutParams p;
  p.count = in.numElements();
  p.inType = in.dtype;
  p.tableType = table->dtype;
  p.inZp = in.zp;
  p.scale = scales[0], p.shift = shifts[0];
  p.log2Size = llvm::Log2_64(table->numElements());
  program.call<kernels::PeriodicLut>(p);
  program.last().bindInOut()["table"] = constant(tensorKey(op, keys::lut));
  return success();
}

static LogicalResult buildUnary(Operation *op, UnaryFn fn,
                                LayerProgram &program) {
  auto arithmetic = arithmeticOf(op);
  if (failed(arithmetic))
    return failure();
  if (*arithmetic == Arithmetic::Float)
    return buildFunctionKernel(op, program);
  bool isTrigonometric = fn == UnaryFn::Sine || fn == UnaryFn::Cosine;
  if (isTrigonometric && describe(op->getOperand(0)).bits() > 8)
    return buildPeriodicKernel(op, program);
  // The reference does not widen the range of these three.
  bool isRoot =
      fn == UnaryFn::Sqrt || fn == UnaryFn::Rsqrt || fn == UnaryFn::Reciprocal;
  return buildLutKernel(
      op, keys::lut, isRoot ? LutOrigin::RangeMin : LutOrigin::WidenedRangeMin,
      program);
}

/// The result has the input's shape, the table the result's type.
static LogicalResult
inferFunction(Operation *op, SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(op);
  check.resultTable(keys::lut);
  check.requant();
  return success(succeeded(inferSameShape(op, shapes)) && check.ok());
}

#define UNARY_LAYER(NAME)                                                      \
  LogicalResult NAME##Op::inferShapes(                                         \
      SmallVectorImpl<SmallVector<int64_t>> &shapes) {                         \
    return inferFunction(*this, shapes);                                       \
  }                                                                            \
  LogicalResult NAME##Op::buildProgram(LayerProgram &program) {                \
    return buildUnary(*this, UnaryFn::NAME, program);                          \
  }
#include "dialects/compass/activation/UnaryFunctions.def"

//===----------------------------------------------------------------------===//
// Abs, Negative, Sign
//===----------------------------------------------------------------------===//

static LogicalResult buildSignChange(Operation *op, UnaryIntOp change,
                                     LayerProgram &program) {
  auto arithmetic = arithmeticOf(op);
  if (failed(arithmetic))
    return failure();
  if (*arithmetic == Arithmetic::Float)
    return buildFunctionKernel(op, program);
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  kernels::ActivationIntParams p;
  p.count = in.numElements();
  p.inType = in.dtype;
  p.inZp = in.zp;
  p.op = change;
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  if (change == UnaryIntOp::Sign)
    p.requant.zp = 0; // -1, 0 and 1 are stored as they are
  program.call<kernels::ActivationInt>(p);
  program.last().bindInOut();
  return success();
}

static LogicalResult
inferSignChange(Operation *op, SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(op);
  check.requant();
  return success(succeeded(inferSameShape(op, shapes)) && check.ok());
}

#define SIGN_CHANGE(NAME)                                                      \
  LogicalResult NAME##Op::inferShapes(                                         \
      SmallVectorImpl<SmallVector<int64_t>> &shapes) {                         \
    return inferSignChange(*this, shapes);                                     \
  }                                                                            \
  LogicalResult NAME##Op::buildProgram(LayerProgram &program) {                \
    return buildSignChange(*this, UnaryIntOp::NAME, program);                  \
  }
SIGN_CHANGE(Abs)
SIGN_CHANGE(Negative)
SIGN_CHANGE(Sign)
#undef SIGN_CHANGE

//===----------------------------------------------------------------------===//
// Pow
//===----------------------------------------------------------------------===//

/// The exponent is the second input, or the key `exponent`. Integer IR with
/// that key may keep a constant second input, which its table already covers.
LogicalResult
PowOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  LayerCheck check(*this);
  check.inputTable(keys::lut_log);
  check.requant();
  if (check.isInteger() && !getExponent() && !getLutExp() && getLutLog())
    check
        .problem(diag::OpIntegerParameters, "",
                 "an integer Pow whose exponent is a tensor needs two tables")
        .found("only lut_log")
        .expected("lut_log and lut_exp, or the key exponent");
  if (getNumOperands() == 1 && !getExponent())
    check
        .problem(diag::OpArity, "layer_bottom",
                 "a Pow of one input needs the key exponent")
        .found("one input and no exponent")
        .expected("a second input, or exponent");
  return success(succeeded(inferBroadcastShape(*this, shapes)) && check.ok());
}

/// Integers that stand for themselves, as in float IR: no table, no scale.
static bool isOfWholeNumbers(PowOp op) {
  auto isWhole = [](Value v) {
    TensorInfo info = describe(v);
    return info.isInteger() && !info.isQuantized();
  };
  return op.getNumOperands() == 2 && !op.getLutLog() &&
         llvm::all_of(op->getOperands(), isWhole) && isWhole(op->getResult(0));
}

static LogicalResult buildFloatPow(PowOp op, LayerProgram &program) {
  TensorInfo a = describe(op.getOperand(0)), b = describe(op.getOperand(1)),
             out = describe(op.getResult(0));
  auto shape = broadcastOf(op, a.shape, b.shape, out.shape);
  if (failed(shape))
    return failure();
  kernels::EltwiseFloatParams p;
  p.shape = *shape;
  p.op = kernels::BinaryOp::Pow;
  p.typeA = a.dtype, p.typeB = b.dtype, p.outType = out.dtype;
  program.call<kernels::EltwiseFloat>(p);
  program.last().bindBinary();
  return success();
}

LogicalResult PowOp::buildProgram(LayerProgram &program) {
  if (isOfWholeNumbers(*this))
    return buildBinary(*this, kernels::BinaryOp::Pow, /*result=*/0, program);
  auto arithmetic = arithmeticOf(*this);
  if (failed(arithmetic))
    return failure();
  if (*arithmetic == Arithmetic::Float)
    return getNumOperands() == 2 ? buildFloatPow(*this, program)
                                 : buildFunctionKernel(*this, program);
  if (!getExponent())
    return buildPowOfTensors(*this, program);
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (in.shape != out.shape)
    return layerError(
        *this, diag::OpUnsupported, "layer_bottom_shape",
        "a Pow that broadcasts its first input is not supported yet");
  return buildLutKernel(*this, keys::lut_log, LutOrigin::TypeMin, program);
}
