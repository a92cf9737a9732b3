//===- BinaryProgram.cpp - Kernels of functions of two values -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "kernels/activation/Activation.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BinaryForm;
using kernels::BinaryOp;

BinaryOp compass::binaryNamed(StringRef word) {
  std::string name;
  llvm::copy_if(word, std::back_inserter(name),
                [](char c) { return c != '_'; });
  const auto *record =
      llvm::find_if(kernels::kBinaryRecords, [&](const auto &r) {
        return StringRef(name).equals_insensitive(r.name);
      });
  assert(record != std::end(kernels::kBinaryRecords) && "verified");
  return record->op;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// One operand of the function.
struct Side {
  TensorInfo info;
  BufferBinding binding;
};
} // namespace

static Side sideOf(Operation *op, unsigned index) {
  return {describe(op->getOperand(index)), operand(index)};
}

/// The second operand. A layer with one inverts it: bits by an exclusive or
/// with ones, a truth value by comparing it with 0.
static Side secondOf(Operation *op, BinaryOp binary) {
  if (op->getNumOperands() == 2)
    return sideOf(op, 1);
  Side side;
  side.info.setType(describe(op->getOperand(0)).storedType());
  side.info.shape = {1};
  char byte = binary == BinaryOp::BitXor ? char(0xff) : 0;
  side.binding =
      constant(side.info.shape, side.info.dtype,
               std::vector<char>(kernels::dtypeBytes(side.info.dtype), byte));
  return side;
}

static FailureOr<kernels::BroadcastShape>
broadcastTo(Operation *op, const Side &a, const Side &b, unsigned result) {
  return broadcastOf(op, a.info.shape, b.info.shape,
                     describe(op->getResult(result)).shape);
}

/// Integers if all tensors are, floats if the operands are and so is the
/// result, or it is a truth value.
static FailureOr<Arithmetic> arithmeticFor(Operation *op, BinaryOp binary) {
  bool anyInteger = false, anyFloat = false;
  for (Value operand : op->getOperands())
    (describe(operand).isFloat() ? anyFloat : anyInteger) = true;
  for (Value result : op->getResults()) {
    bool isFloat = describe(result).isFloat();
    if (isFloat || !anyFloat || !kernels::isTruth(binary))
      (isFloat ? anyFloat : anyInteger) = true;
  }
  if (anyInteger && anyFloat)
    return layerError(op, diag::OpElementType, "layer_bottom_type",
                      "the layer mixes integer and float tensors")
        .hint("put a Quantize or DeQuantize layer between them");
  return anyInteger ? Arithmetic::Integer : Arithmetic::Float;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Whether an integer tensor has neither zero point nor multiplier.
static bool isUnscaled(Operation *op) {
  auto isNot = [](int64_t neutral) {
    return [=](int64_t value) { return value != neutral; };
  };
  auto hasZp = [](Value v) { return describe(v).zp != 0; };
  return llvm::none_of(op->getOperands(), hasZp) &&
         llvm::none_of(op->getResults(), hasZp) &&
         llvm::none_of(intsKey(op, keys::scale_value), isNot(1)) &&
         llvm::none_of(intsKey(op, keys::shift_value), isNot(0)) &&
         !tensorKey(op, keys::scale);
}

/// Whether the function is computed of the integers as they are stored.
static bool isOfStored(Operation *op, BinaryOp binary) {
  BinaryForm form = formOf(binary);
  if (form == BinaryForm::Stored)
    return true;
  if (!isUnscaled(op))
    return false;
  auto isWide = [](Value v) {
    return kernels::dtypeBytes(describe(v).dtype) > 4 ||
           describe(v).dtype == DType::U32;
  };
  // Remainders and quotients fit the operands' type (but for the least by -1,
  // which types of up to 32 bits saturate).
  return form == BinaryForm::Compared ||
         (form == BinaryForm::Rescaled &&
          llvm::any_of(op->getOperands(), isWide));
}

/// Integer types that the function does not take. Sums and products need a
/// result to which they can be limited: not 64 bits.
static LogicalResult checkTypes(Operation *op, BinaryOp binary,
                                bool isOfStored) {
  if (isOfStored)
    return success();
  BinaryForm form = formOf(binary);
  bool takesU32 = form == BinaryForm::Aligned || form == BinaryForm::Product ||
                  form == BinaryForm::Compared;
  auto check = [&](Value v, StringRef key, const Twine &what) -> LogicalResult {
    DType type = describe(v).dtype;
    if (type != DType::Bool && type != DType::I64 &&
        (type != DType::U32 || takesU32))
      return success();
    return layerError(op, diag::OpUnsupported, key,
                      what + " of type " + dtypeName(type) +
                          " are not supported yet")
        .expected("an integer of 8, 16 or 32 bits or a float");
  };
  for (Value v : op->getOperands())
    if (failed(check(v, "layer_bottom_type", "inputs")))
      return failure();
  for (Value v : op->getResults())
    if (form != BinaryForm::Compared &&
        failed(check(v, "layer_top_type", "results")))
      return failure();
  return success();
}

/// Operand \p index, requantized by entry \p entry of scale_value and
/// shift_value within the range of \p type, less its zero point
/// (docs/operators/eltwise.md, Mod and SquaredDifference). The operand itself
/// if that changes nothing.
static Side rescaled(Operation *op, unsigned index, unsigned entry, DType type,
                     LayerProgram &program) {
  Side side = sideOf(op, index);
  auto scales = intsKey(op, keys::scale_value),
       shifts = intsKey(op, keys::shift_value);
  kernels::ActivationIntParams p;
  p.count = uint32_t(side.info.numElements());
  p.inType = std::exchange(side.info.dtype, type);
  p.requant.outType = type;
  p.inZp = std::exchange(side.info.zp, 0);
  auto [lo, hi] = dtypeRange(type);
  p.requant.lo = int32_t(lo), p.requant.hi = int32_t(hi);
  if (!scales.empty()) {
    p.requant.scale = int32_t(scales[entry]);
    p.requant.shift = int32_t(shifts[entry]);
  }
  if (p.inZp == 0 && p.requant.scale == 1 && p.requant.shift == 0)
    return sideOf(op, index);
  side.binding = program.intermediate(index == 0 ? "x1" : "x2", side.info);
  KernelCall &call = program.call<kernels::ActivationInt>(p);
  call["input"] = operand(index), call["output"] = side.binding;
  return side;
}

/// Scale, zero point and range of the result, by the first multiplier if that
/// is the result's.
static LogicalResult requantOf(Operation *op, BinaryForm form,
                               const TensorInfo &out,
                               kernels::Requant &requant) {
  if (failed(buildRequant(op, out, requant)))
    return failure();
  if (form == BinaryForm::Rescaled || form == BinaryForm::Compared)
    requant.scale = 1, requant.shift = 0;
  if (requant.perChannel)
    return layerError(op, diag::OpUnsupported, "scale_shape",
                      "scale per channel is not supported yet");
  bool isRelu =
      requant.act == kernels::Act::Relu || requant.act == kernels::Act::Relu6;
  if (out.dtype == DType::U32 && isRelu)
    requant.act = kernels::Act::None; // limited to the type, it is not negative
  if (out.dtype == DType::U32 && requant.act != kernels::Act::None)
    return layerError(op, diag::OpUnsupported, keys::with_activation,
                      "the activation " + wordKey(op, keys::with_activation) +
                          " is not supported yet with results of type uint32");
  return success();
}

bool compass::hasApartOperands(Operation *op) {
  auto function = dyn_cast<BinaryFunction>(op);
  if (!function)
    return false;
  BinaryOp binary = function.binaryFunction();
  return (binary == BinaryOp::Add || binary == BinaryOp::Sub) &&
         intsKey(op, keys::shift_value).size() > 1;
}

/// Operands of a sum or difference that are requantized one by one.
static LogicalResult setApart(Operation *op, const TensorInfo &a,
                              const TensorInfo &b,
                              kernels::EltwiseIntParams &p) {
  if (a.bits() > 16 || b.bits() > 16)
    return layerError(
               op, diag::OpUnsupported, "layer_bottom_type",
               "operands of more than 16 bits cannot be requantized separately")
        .found(dtypeName(a.storedType()) + " and " + dtypeName(b.storedType()));
  auto shifts = intsKey(op, keys::shift_value);
  p.isApart = 1;
  p.leftShift = int32_t(intKey(op, keys::operand_left_shift));
  p.shiftA = int32_t(shifts[1]), p.shiftB = int32_t(shifts[2]);
  if (p.requant.rounding == kernels::Rounding::Double)
    return success(); // saturates
  // 18 bits, shifted by up to 20, times 31: each product has its check.
  uint64_t mostA = mostMagnitude(a) << p.leftShift, mostB = mostMagnitude(b)
                                                            << p.leftShift;
  if (failed(checkProduct(op, p.scaleA, mostA)) ||
      failed(checkProduct(op, p.scaleB, mostB)))
    return failure();
  uint64_t most = (mostA * uint64_t(p.scaleA) >> p.shiftA) +
                  (mostB * uint64_t(p.scaleB) >> p.shiftB) + 2;
  return checkProduct(op, p.requant.scale, most);
}

/// What multipliers do to the operands of sums, differences, maxima and minima:
/// they align them, or with shifts of their own requantize them.
static LogicalResult setAlignment(Operation *op, const TensorInfo &a,
                                  const TensorInfo &b,
                                  kernels::EltwiseIntParams &p) {
  auto scales = intsKey(op, keys::scale_value);
  if (scales.empty())
    return success();
  p.scaleA = int32_t(scales[1]), p.scaleB = int32_t(scales[2]);
  if (hasApartOperands(op))
    return setApart(op, a, b, p);
  uint64_t most = mostMagnitude(a) * uint64_t(p.scaleA) +
                  mostMagnitude(b) * uint64_t(p.scaleB);
  // Operands of 32 bits saturate when they are scaled, to 2^32 at most.
  if (a.bits() > 16 || b.bits() > 16) {
    constexpr uint64_t kMostSum = uint64_t(1) << 33;
    most = kMostSum;
    if (failed(checkProduct(op, std::max(p.scaleA, p.scaleB), kMostSum)))
      return failure();
  }
  return checkSums(op, p.requant, most);
}

/// SquaredDifference as the definition has it: the operands are aligned, their
/// difference is brought to 16 bits by a multiplier of its own and squared.
static LogicalResult buildSquareOfDifference(Operation *op,
                                             LayerProgram &program) {
  auto scales = intsKey(op, keys::scale_value),
       shifts = intsKey(op, keys::shift_value);
  Side a = sideOf(op, 0), b = sideOf(op, 1);
  TensorInfo out = describe(op->getResult(0));
  auto shape = broadcastTo(op, a, b, /*result=*/0);
  auto square = broadcastOf(op, out.shape, out.shape, out.shape);
  if (failed(checkTypes(op, BinaryOp::SquaredDifference, /*isStored=*/false)) ||
      failed(shape) || failed(square))
    return failure();
  kernels::EltwiseIntParams p;
  p.op = BinaryOp::Sub;
  p.shape = *shape;
  p.typeA = a.info.dtype, p.typeB = b.info.dtype;
  p.zpA = a.info.zp, p.zpB = b.info.zp;
  p.scaleA = int32_t(scales[1]), p.scaleB = int32_t(scales[2]);
  p.requant.outType = DType::I16;
  p.requant.lo = INT16_MIN, p.requant.hi = INT16_MAX;
  p.requant.scale = int32_t(scales[3]), p.requant.shift = int32_t(shifts[1]);
  uint64_t most = llvm::SaturatingAdd(
      llvm::SaturatingMultiply(mostMagnitude(a.info), uint64_t(p.scaleA)),
      llvm::SaturatingMultiply(mostMagnitude(b.info), uint64_t(p.scaleB)));
  if (failed(checkSums(op, p.requant, most)))
    return failure();
  TensorInfo difference;
  difference.setType(DType::I16);
  difference.shape = out.shape;
  BufferBinding between = program.intermediate("difference", difference);
  KernelCall &sub = program.call<kernels::EltwiseInt>(p);
  sub["a"] = a.binding, sub["b"] = b.binding, sub["output"] = between;

  kernels::EltwiseIntParams q;
  q.op = BinaryOp::Mul;
  q.shape = *square;
  q.typeA = q.typeB = DType::I16;
  if (failed(requantOf(op, BinaryForm::Product, out, q.requant)))
    return failure();
  KernelCall &mul = program.call<kernels::EltwiseInt>(q);
  mul["a"] = between, mul["b"] = between, mul["output"] = compass::result(0);
  return success();
}

static LogicalResult buildInteger(Operation *op, BinaryOp binary,
                                  unsigned result, LayerProgram &program) {
  if (binary == BinaryOp::SquaredDifference &&
      intsKey(op, keys::scale_value).size() == 4)
    return buildSquareOfDifference(op, program);
  TensorInfo out = describe(op->getResult(result));
  BinaryForm form = formOf(binary);
  kernels::EltwiseIntParams p;
  p.op = binary;
  p.isStored = isOfStored(op, binary);
  if (failed(checkTypes(op, binary, p.isStored)) ||
      failed(requantOf(op, form, out, p.requant)))
    return failure();
  Side a = sideOf(op, 0), b = secondOf(op, binary);
  auto scales = intsKey(op, keys::scale_value);
  if (form == BinaryForm::Rescaled) {
    a = rescaled(op, 0, 0, a.info.dtype, program);
    b = rescaled(op, 1, 1, b.info.dtype, program);
  } else if (form == BinaryForm::Widened) {
    a = rescaled(op, 0, 1, DType::I32, program);
    b = rescaled(op, 1, 2, DType::I32, program);
  } else if (form == BinaryForm::Aligned) {
    if (failed(setAlignment(op, a.info, b.info, p)))
      return failure();
  } else if (form == BinaryForm::Product) {
    uint64_t most =
        llvm::SaturatingMultiply(mostMagnitude(a.info), mostMagnitude(b.info));
    if (failed(checkSums(op, p.requant, most)))
      return failure();
  } else if (form == BinaryForm::Compared && !scales.empty()) {
    p.scaleA = int32_t(scales[0]), p.scaleB = int32_t(scales[1]);
  }
  auto shape = broadcastTo(op, a, b, result);
  if (failed(shape))
    return failure();
  p.shape = *shape;
  p.typeA = a.info.dtype, p.typeB = b.info.dtype;
  p.zpA = a.info.zp, p.zpB = b.info.zp;
  KernelCall &call = program.call<kernels::EltwiseInt>(p);
  call["a"] = a.binding, call["b"] = b.binding;
  call["output"] = compass::result(result);
  if (call.has("slope"))
    call["slope"] = constant(tensorKey(op, keys::negative_slope));
  return success();
}

/// A division by a table of reciprocals (docs/operators/eltwise.md, Div).
static LogicalResult buildTableDivision(Operation *op, LayerProgram &program) {
  auto arithmetic = arithmeticOf(op);
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1)),
             out = describe(op->getResult(0));
  auto shape = broadcastOf(op, a.shape, b.shape, out.shape);
  if (failed(arithmetic) || failed(shape))
    return failure();
  auto table = viewConstant(tensorKey(op, keys::lut));
  if (!table)
    return missingKey(op, keys::lut);
  kernels::DivIntParams p;
  p.shape = *shape;
  p.typeA = a.dtype, p.typeB = b.dtype;
  p.zpA = a.zp, p.zpB = b.zp;
  p.inBits = b.bits();
  p.log2TableSize = llvm::Log2_64(table->numElements());
  p.tableType = table->dtype;
  if (failed(requantOf(op, BinaryForm::None, out, p.requant)))
    return failure();
  program.call<kernels::DivInt>(p).bindBinary()["table"] =
      constant(tensorKey(op, keys::lut));
  return success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static LogicalResult buildFloat(Operation *op, BinaryOp binary,
                                LayerProgram &program) {
  Side a = sideOf(op, 0), b = secondOf(op, binary);
  auto shape = broadcastTo(op, a, b, /*result=*/0);
  if (failed(shape))
    return failure();
  kernels::EltwiseFloatParams p;
  p.shape = *shape;
  p.op = binary;
  p.typeA = a.info.dtype, p.typeB = b.info.dtype;
  p.outType = describe(op->getResult(0)).dtype;
  if (failed(buildFloatAct(op, p.act)))
    return failure();
  KernelCall &call = program.call<kernels::EltwiseFloat>(p);
  call["a"] = a.binding, call["b"] = b.binding;
  call["output"] = compass::result(0);
  call["slope"] = constant(tensorKey(op, keys::negative_slope));
  return success();
}

LogicalResult compass::buildBinary(Operation *op, BinaryOp binary,
                                   unsigned result, LayerProgram &program) {
  auto arithmetic = arithmeticFor(op, binary);
  if (failed(arithmetic))
    return failure();
  if (*arithmetic == Arithmetic::Float)
    return buildFloat(op, binary, program);
  if (binary == BinaryOp::Div && tensorKey(op, keys::lut))
    return buildTableDivision(op, program);
  // Plain integers have no table: the quotient as C has it.
  if (binary == BinaryOp::Div)
    binary = BinaryOp::TruncQuotient;
  if (formOf(binary) == BinaryForm::None)
    return layerError(op, diag::OpUnsupported, "layer_type",
                      recordOf(op)->layerType +
                          " is not supported yet in integer IR");
  return buildInteger(op, binary, result, program);
}

LogicalResult compass::buildBinary(Operation *op, LayerProgram &program) {
  return buildBinary(op, cast<BinaryFunction>(op).binaryFunction(),
                     /*result=*/0, program);
}

LogicalResult compass::inferBinary(Operation *op, ResultShapes &shapes) {
  BinaryForm form = formOf(cast<BinaryFunction>(op).binaryFunction());
  LayerCheck check(op);
  if (form == BinaryForm::Rescaled) {
    check.requant({2, 2, "for both inputs"});
  } else {
    bool isAligned = form == BinaryForm::Aligned;
    StringRef ofAll = "for the result and both inputs";
    check.count(keys::scale_value, isAligned ? 3 : 1,
                isAligned ? ofAll : "for the result");
    if (hasApartOperands(op)) {
      check.count(keys::shift_value, 3, ofAll);
      check.range(keys::shift_value, 0, 62);
    } else {
      check.count(keys::shift_value, 1, "for the result");
    }
    check.range(keys::scale_value, 0, mostMultiplier(op));
  }
  check.table(keys::lut);
  return success(succeeded(inferBroadcastShape(op, shapes)) && check.ok());
}
