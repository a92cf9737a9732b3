//===- MovementOps.cpp - Concat, Split and Pad ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operators of this family that have kernels of their own; CopyOps.cpp has
// those that are one strided copy.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/Moving.h"
#include "kernels/Convert.h"
#include "kernels/DataMovement.h"
#include "support/Half.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/movement/MovementOps.cpp.inc"

void compass::registerMovementOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/movement/MovementOps.cpp.inc"
      >();
}

using Shapes = SmallVectorImpl<SmallVector<int64_t>>;

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferShapes(Shapes &shapes) {
  if (getNumOperands() < 1 || getNumResults() != 1)
    return emitOpError("has at least one input and one output");
  SmallVector<int64_t> shape = describe(getOperand(0)).shape;
  auto axis = normalizeAxis(*this, int64_t(getAxis()), shape.size());
  if (failed(axis))
    return failure();
  for (auto [i, operand] : llvm::enumerate(getOperands().drop_front())) {
    SmallVector<int64_t> other = describe(operand).shape;
    if (other.size() != shape.size())
      return emitOpError("input ") << i + 1 << " has rank " << other.size()
                                   << ", expected " << shape.size();
    for (size_t d = 0; d < shape.size(); ++d)
      if (int64_t(d) != *axis && other[d] != shape[d])
        return emitOpError("input ")
               << i + 1 << " has length " << other[d] << " on axis " << d
               << ", expected " << shape[d];
    shape[*axis] += other[*axis];
  }
  shapes.push_back(shape);
  return success();
}

LogicalResult ConcatOp::buildKernel(KernelCall &call) {
  TensorInfo out = describe(getResult(0));
  auto axis = normalizeAxis(*this, int64_t(getAxis()), out.shape.size());
  if (failed(axis))
    return failure();
  if (getNumOperands() > kernels::kMaxConcatInputs)
    return emitOpError("more than ")
           << kernels::kMaxConcatInputs
           << " inputs are not supported yet, found " << getNumOperands();
  SmallVector<int64_t> scales = intsKey(*this, "scale_value"),
                       shifts = intsKey(*this, "shift_value");
  if (scales.size() != shifts.size() ||
      (!scales.empty() && scales.size() != getNumOperands()))
    return emitOpError("needs one scale_value and shift_value per input (")
           << getNumOperands() << "), found " << scales.size() << " and "
           << shifts.size();
  kernels::ConcatParams p;
  p.outer = product(ArrayRef(out.shape).take_front(*axis));
  p.outInner = product(ArrayRef(out.shape).drop_front(*axis));
  p.inputCount = getNumOperands();
  p.outType = out.dtype;
  p.zp = out.zp;
  p.lo = int32_t(std::max<int64_t>(out.lo, INT32_MIN));
  p.hi = int32_t(std::min<int64_t>(out.hi, INT32_MAX));
  bool moves = true; // every branch keeps its bits
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    TensorInfo in = describe(operand);
    kernels::ConcatBranch &b = p.branches[i];
    b.inner = product(ArrayRef(in.shape).drop_front(*axis));
    b.inType = in.dtype;
    b.inZp = in.zp;
    if (!scales.empty()) {
      if (scales[i] < 0 || scales[i] > 65535 || shifts[i] < -32 ||
          shifts[i] > 62)
        return emitOpError("scale_value ")
               << scales[i] << " or shift_value " << shifts[i]
               << " is out of range (0..65535, -32..62)";
      b.scale = int32_t(scales[i]), b.shift = int32_t(shifts[i]);
    }
    moves &= b.scale == 1 && b.shift == 0 && in.zp == out.zp &&
             in.dtype == out.dtype;
    if ((in.isFloat() || out.isFloat()) && in.dtype != out.dtype)
      return emitOpError("input ") << i << " is " << dtypeName(in.dtype)
                                   << ", the result " << dtypeName(out.dtype);
  }
  if (moves) {
    p.zp = 0;
    for (kernels::ConcatBranch &b : p.branches)
      b.inZp = 0;
  }
  call.set("yk_concat", p);
  for (unsigned i = 0; i < getNumOperands(); ++i)
    call.addInput(i);
  call.addOutput(0);
  return success();
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

LogicalResult SplitOp::inferShapes(Shapes &shapes) {
  if (getNumOperands() != 1)
    return emitOpError("has one input, found ") << getNumOperands();
  SmallVector<int64_t> in = describe(getOperand(0)).shape;
  auto axis = normalizeAxis(*this, int64_t(getAxis()), in.size());
  if (failed(axis))
    return failure();
  auto splits = getSplits();
  if (!splits || splits->size() != getNumResults())
    return emitOpError("needs one length in splits per output (")
           << getNumResults() << "), found " << (splits ? splits->size() : 0);
  int64_t sum = 0;
  for (int64_t part : *splits) {
    if (part < 1)
      return emitOpError("splits has the length ")
             << part << ", expected at least 1";
    sum += part;
    SmallVector<int64_t> shape = in;
    shape[*axis] = part;
    shapes.push_back(shape);
  }
  if (sum != in[*axis])
    return emitOpError("splits add up to ")
           << sum << ", axis " << *axis << " has " << in[*axis];
  return success();
}

LogicalResult SplitOp::buildKernel(KernelCall &call) {
  TensorInfo in = describe(getOperand(0));
  auto axis = normalizeAxis(*this, int64_t(getAxis()), in.shape.size());
  if (failed(axis))
    return failure();
  if (getNumResults() > kernels::kMaxSplitOutputs)
    return emitOpError("more than ")
           << kernels::kMaxSplitOutputs
           << " outputs are not supported yet, found " << getNumResults();
  int64_t inner = product(ArrayRef(in.shape).drop_front(*axis + 1));
  kernels::SplitParams p;
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  p.outer = product(ArrayRef(in.shape).take_front(*axis));
  p.inInner = in.shape[*axis] * inner;
  p.outputCount = getNumResults();
  call.addInput(0);
  for (unsigned i = 0; i < getNumResults(); ++i) {
    TensorInfo out = describe(getResult(i));
    if (failed(checkSameElement(*this, in, out)))
      return failure();
    p.inner[i] = out.shape[*axis] * inner;
    call.addOutput(i);
  }
  call.set("yk_split", p);
  return success();
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
struct AxisPad {
  int64_t before, after;
};
} // namespace

static FailureOr<kernels::PadMode> padMode(PadOp op) {
  std::string word = op.getMode().upper();
  if (word == "CONSTANT")
    return kernels::PadMode::Constant;
  if (word == "REFLECT")
    return kernels::PadMode::Reflect;
  if (word == "SYMMETRIC")
    return kernels::PadMode::Symmetric;
  return op.emitOpError("mode is ")
         << word << ", expected CONSTANT, REFLECT or SYMMETRIC";
}

static FailureOr<SmallVector<AxisPad>> padsOf(PadOp op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getOperand(0).getType()).getShape();
  auto pads = op.getPads();
  if (!pads || pads->size() != shape.size())
    return op.emitOpError("needs one [before,after] in pads per axis (")
           << shape.size() << "), found " << (pads ? pads->size() : 0);
  auto mode = padMode(op);
  if (failed(mode))
    return failure();
  SmallVector<AxisPad> result;
  for (auto [i, attr] : llvm::enumerate(*pads)) {
    SmallVector<int64_t> pair;
    if (auto ints = dyn_cast<DenseI64ArrayAttr>(attr))
      llvm::append_range(pair, ints.asArrayRef());
    else if (auto list = dyn_cast<ArrayAttr>(attr))
      for (Attribute value : list)
        if (auto integer = dyn_cast<IntegerAttr>(value))
          pair.push_back(integer.getInt());
    if (pair.size() != 2)
      return op.emitOpError("pads needs [before,after] on axis ") << i;
    // One cell less for REFLECT, which does not repeat the border.
    int64_t most = *mode == kernels::PadMode::Constant  ? INT32_MAX - shape[i]
                   : *mode == kernels::PadMode::Reflect ? shape[i] - 1
                                                        : shape[i];
    for (int64_t p : pair)
      if (p < 0 || p > most)
        return op.emitOpError("pads has ")
               << p << " on axis " << i << ", expected 0 to " << most;
    result.push_back({pair[0], pair[1]});
  }
  return result;
}

LogicalResult PadOp::inferShapes(Shapes &shapes) {
  if (failed(checkOneToOne(*this)))
    return failure();
  auto pads = padsOf(*this);
  if (failed(pads))
    return failure();
  SmallVector<int64_t> shape = describe(getOperand(0)).shape;
  for (auto [dim, pad] : llvm::zip(shape, *pads))
    dim += pad.before + pad.after;
  shapes.push_back(shape);
  return success();
}

LogicalResult PadOp::buildKernel(KernelCall &call) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto pads = padsOf(*this);
  auto mode = padMode(*this);
  if (failed(pads) || failed(mode) || failed(checkSameElement(*this, in, out)))
    return failure();
  kernels::PadParams p;
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  p.mode = *mode;
  double value = numberOf(getConstantValueAttr()).value_or(0.0);
  switch (in.dtype) {
  case DType::F32:
    p.fill[0] = __builtin_bit_cast(uint32_t, float(value));
    break;
  case DType::F16:
    p.fill[0] = floatToHalf(float(value));
    break;
  case DType::BF16:
    p.fill[0] = floatToBfloat(float(value));
    break;
  default: {
    if (!(value >= double(in.lo) && value <= double(in.hi)))
      return emitOpError("constant_value is ")
             << llvm::formatv("{0}", llvm::format("%g", value)).str()
             << ", expected " << in.lo << " to " << in.hi << " ("
             << dtypeName(in.dtype) << ")";
    int64_t integer = int64_t(value); // the reference truncates
    p.fill[0] = uint32_t(uint64_t(integer));
    p.fill[1] = uint32_t(uint64_t(integer) >> 32);
  }
  }
  // Axes of length 1 without a border vanish; other axes without one join the
  // axis before them if that has none either.
  bool lastPlain = false;
  for (size_t i = 0; i < in.shape.size(); ++i) {
    bool plain = (*pads)[i].before == 0 && (*pads)[i].after == 0;
    if (plain && in.shape[i] == 1)
      continue;
    if (plain && lastPlain) {
      p.inDims[p.rank - 1] *= in.shape[i];
      p.outDims[p.rank - 1] *= in.shape[i];
      continue;
    }
    if (p.rank == kernels::kMaxRank)
      return emitOpError("more than ")
             << kernels::kMaxRank << " axes are not supported yet";
    p.inDims[p.rank] = in.shape[i];
    p.outDims[p.rank] = out.shape[i];
    p.padBefore[p.rank] = int32_t((*pads)[i].before);
    ++p.rank;
    lastPlain = plain;
  }
  call.set("yk_pad", p);
  call.addInput(0);
  call.addOutput(0);
  return success();
}
