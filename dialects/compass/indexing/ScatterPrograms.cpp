//===- ScatterPrograms.cpp - Scattering as kernels ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/indexing/IndexBounds.h"
#include "dialects/compass/indexing/IndexOps.h"
#include "kernels/indexing/Scatter.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::ScatterOp;

static ScatterOp reductionOf(Operation *op) {
  return llvm::StringSwitch<ScatterOp>(wordKey(op, keys::reduction, "NONE"))
      .Case("ADD", ScatterOp::Add)
      .Case("MUL", ScatterOp::Mul)
      .Case("MAX", ScatterOp::Max)
      .Case("MIN", ScatterOp::Min)
      .Default(ScatterOp::None);
}

static LogicalResult checkSizes(Operation *op) {
  TensorInfo data = describe(op->getOperand(0));
  if (data.numElements() <= INT32_MAX && data.shape.size() <= kernels::kMaxRank)
    return success();
  return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                    "data with this many elements or axes is not supported yet")
      .found(shapeText(data.shape))
      .expected("at most " + Twine(INT32_MAX) + " elements and " +
                Twine(kernels::kMaxRank) + " axes");
}

/// Of data, updates and result; the indices are integers anyway.
static FailureOr<Arithmetic> kindOfData(Operation *op) {
  TensorInfo data = describe(op->getOperand(0)),
             updates = describe(op->getOperand(2)),
             out = describe(op->getResult(0));
  if (data.isFloat() != updates.isFloat() || data.isFloat() != out.isFloat())
    return layerError(op, diag::OpElementType, "layer_bottom_type",
                      "the layer mixes integer and float tensors")
        .hint("put a Quantize or DeQuantize layer between them");
  return data.isFloat() ? Arithmetic::Float : Arithmetic::Integer;
}

/// A buffer as large as the data, of wider numbers.
static BufferBinding stateLike(LayerProgram &program, Value value, DType type) {
  TensorInfo info;
  info.setType(type);
  info.shape = describe(value).shape;
  return program.intermediate("state", info);
}

static void bindScatter(KernelCall &call, BufferBinding state) {
  call["data"] = operand(0), call["indices"] = operand(1);
  call["updates"] = operand(2), call["output"] = result(0);
  call["state"] = std::move(state);
}

static LogicalResult buildFloat(Operation *op,
                                const kernels::ScatterShape &shape,
                                LayerProgram &program) {
  kernels::ScatterFloatParams p;
  p.shape = shape;
  p.op = reductionOf(op);
  p.dataType = describe(op->getOperand(0)).dtype;
  p.updateType = describe(op->getOperand(2)).dtype;
  p.outType = describe(op->getResult(0)).dtype;
  BufferBinding state = stateLike(program, op->getResult(0), DType::F32);
  bindScatter(program.call<kernels::ScatterFloat>(p), state);
  return success();
}

/// Whether 32 bits hold all values and steps: those of 8-bit operands have 8
/// bits, a zero point and a multiplier of 16.
static bool isNarrow(const kernels::ScatterIntParams &p, unsigned operandBits,
                     int64_t updates) {
  constexpr int64_t kMostSums = 1 << 5; // of 26 bits
  if (operandBits > 16)
    return false;
  if (p.op == ScatterOp::Add)
    return updates < kMostSums;
  return p.op != ScatterOp::Mul;
}

/// What both layers have in common of their integer forms.
static FailureOr<kernels::ScatterIntParams>
intParams(Operation *op, const kernels::ScatterShape &shape) {
  TensorInfo data = describe(op->getOperand(0)),
             updates = describe(op->getOperand(2)),
             out = describe(op->getResult(0));
  kernels::ScatterIntParams p;
  p.shape = shape;
  p.op = reductionOf(op);
  p.dataType = data.dtype, p.dataZp = data.zp;
  p.updateType = updates.dtype, p.updateZp = updates.zp;
  p.isSigned = dtypeIsSigned(out.dtype);
  if (failed(buildRequant(op, out, p.requant)))
    return failure();
  p.stateType = isNarrow(p, data.bits() + updates.bits(), updates.numElements())
                    ? DType::I32
                    : DType::I64;
  return p;
}

static void callInt(Operation *op, const kernels::ScatterIntParams &p,
                    LayerProgram &program) {
  BufferBinding state = stateLike(program, op->getResult(0), p.stateType);
  bindScatter(program.call<kernels::ScatterInt>(p), state);
}

/// Tensors that are not quantized: the kernel keeps their values.
static bool isPlain(Operation *op) {
  return intsKey(op, keys::scale_value).empty();
}

LogicalResult ScatterElementsOp::buildProgram(LayerProgram &program) {
  TensorInfo data = describe(getOperand(0)), updates = describe(getOperand(2));
  auto axis = axisKey(*this, keys::axis, data.shape.size());
  auto arithmetic = kindOfData(*this);
  if (failed(axis) || failed(arithmetic) || failed(checkSizes(*this)))
    return failure();
  kernels::ScatterShape shape;
  shape.elements = uint32_t(data.numElements());
  shape.rank = data.shape.size();
  int64_t stride = 1;
  for (size_t d = data.shape.size(); d-- > 0; stride *= data.shape[d]) {
    shape.dims[d] = uint32_t(updates.shape[d]);
    shape.strides[d] = int64_t(d) == *axis ? 0 : int32_t(stride);
    if (int64_t(d) == *axis)
      shape.axisSize = int32_t(data.shape[d]),
      shape.axisStride = int32_t(stride);
  }
  shape.indexType = describe(getOperand(1)).dtype;
  callCheckIndices(*this, program, 1, {data.shape[*axis]});
  if (*arithmetic == Arithmetic::Float)
    return buildFloat(*this, shape, program);
  auto p = intParams(*this, shape);
  if (failed(p))
    return failure();
  auto scales = intsKey(*this, keys::scale_value),
       shifts = intsKey(*this, keys::shift_value);
  if (p->op == ScatterOp::Mul && scales.size() == 2) {
    // The zero point of the result is left out (docs/operators/indexing.md,
    // ScatterElements).
    p->mul = kernels::ScatterMul::Halved;
    p->stateType = DType::I64;
    p->stateBits = 16;
    p->dataScale = int32_t(scales[0]), p->dataShift = int32_t(shifts[0]);
    p->mulScale = int32_t(scales[1]), p->mulShift = int32_t(shifts[1]);
    p->requant.scale = 1, p->requant.shift = p->requant.zp = 0;
  } else if (!isPlain(*this)) {
    if (p->op == ScatterOp::Mul && shifts.size() != 3)
      return layerError(*this, diag::OpUnsupported, keys::shift_value,
                        "MUL with one shift is not supported yet")
          .found(Twine(shifts.size()))
          .expected("2 or 3");
    p->dataScale = int32_t(scales[1]), p->updateScale = int32_t(scales[2]);
    if (p->op == ScatterOp::Mul)
      p->mulShift = int32_t(shifts[2]);
    else
      p->stateBits = data.bits() + updates.bits();
  }
  callInt(*this, *p, program);
  return success();
}

LogicalResult ScatterNDOp::buildProgram(LayerProgram &program) {
  TensorInfo data = describe(getOperand(0)), indices = describe(getOperand(1)),
             out = describe(getResult(0));
  auto arithmetic = kindOfData(*this);
  if (failed(arithmetic) || failed(checkSizes(*this)))
    return failure();
  ArrayRef<int64_t> lengths = data.shape;
  kernels::ScatterShape shape;
  shape.elements = uint32_t(data.numElements());
  shape.rank = uint32_t(indices.shape.back());
  shape.places = product(ArrayRef(indices.shape).drop_back());
  shape.inner = product(lengths.drop_front(shape.rank));
  for (uint32_t d = 0; d < shape.rank; ++d)
    shape.dims[d] = uint32_t(lengths[d]);
  shape.indexType = indices.dtype;
  if (shape.rank != 0)
    callCheckIndices(*this, program, 1, lengths.take_front(shape.rank));
  if (*arithmetic == Arithmetic::Float)
    return buildFloat(*this, shape, program);
  auto p = intParams(*this, shape);
  if (failed(p))
    return failure();
  if (!isPlain(*this)) {
    auto scales = intsKey(*this, keys::scale_value),
         shifts = intsKey(*this, keys::shift_value);
    bool isMul = p->op == ScatterOp::Mul;
    if (scales.size() != 3 || (isMul && shifts.size() != 3))
      return layerError(*this, diag::OpUnsupported, keys::scale_value,
                        "this number of multipliers is not supported yet")
          .found(Twine(scales.size()) + " and " + Twine(shifts.size()))
          .expected(isMul ? "3 and 3" : "3 and 1");
    p->dataScale = int32_t(scales[1]), p->updateScale = int32_t(scales[2]);
    p->stepBits = 32;
    // The reference packs round everything down beyond 8 bits.
    p->floors = out.bits() > 8;
    p->mul =
        p->floors ? kernels::ScatterMul::Floored : kernels::ScatterMul::Rounded;
    if (isMul)
      p->mulShift = int32_t(shifts[2]);
  }
  callInt(*this, *p, program);
  return success();
}

LogicalResult SlotUpdateOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0));
  kernels::SlotUpdateParams p;
  unsigned lists = getNumOperands() - 1;
  if (lists > kernels::kMaxSlotLists)
    return layerError(*this, diag::OpUnsupported, "layer_bottom",
                      "more than " + Twine(kernels::kMaxSlotLists) +
                          " cameras are not supported yet")
        .found(Twine(lists));
  p.batch = uint32_t(x.shape[0]), p.lists = lists;
  p.slots = uint32_t(x.shape[2]), p.inner = uint32_t(x.shape[3]);
  p.indexType = describe(getOperand(1)).dtype;
  int64_t terms = 0;
  for (unsigned i = 0; i < lists; ++i) {
    TensorInfo indices = describe(getOperand(1 + i));
    if (indices.dtype != p.indexType)
      return layerError(*this, diag::OpUnsupported, "layer_bottom_type",
                        "indices of several types are not supported yet")
          .found(dtypeName(indices.storedType()))
          .expected(dtypeName(p.indexType));
    p.counts[i] = uint32_t(indices.shape[0]);
    terms += p.counts[i];
  }
  p.inType = x.dtype;
  if (x.isFloat() != out.isFloat())
    return layerError(*this, diag::OpElementType, "layer_top_type",
                      "the layer mixes integer and float tensors")
        .found(dtypeName(out.storedType()));
  if (x.isFloat()) {
    p.requant.outType = out.dtype;
    p.stateType = DType::F32;
  } else {
    p.inZp = x.zp;
    if (failed(buildRequant(*this, out, p.requant)))
      return failure();
    constexpr int64_t kMostTerms = 1 << 13; // of 18 bits
    p.stateType = terms < kMostTerms ? DType::I32 : DType::I64;
  }
  for (unsigned i = 0; i < lists; ++i)
    callCheckIndices(*this, program, 1 + i, {x.shape[2]});
  KernelCall &call = program.call<kernels::SlotUpdate>(p).bindInOut();
  for (unsigned i = 0; i < lists; ++i)
    call.append("indices", operand(1 + i));
  call["state"] = stateLike(program, getResult(0), p.stateType);
  return success();
}
