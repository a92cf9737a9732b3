//===- MovementOps.cpp - Concat, Split and Pad ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operators of this family that have kernels of their own; CopyOps.cpp has
// those that are one strided copy.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Folding.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/Moving.h"
#include "kernels/convert/Convert.h"
#include "kernels/movement/DataMovement.h"
#include "support/Half.h"
#include "support/diagnostics/Operators.h"
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

/// Which of the tensors have elements: the others are neither read nor written.
static SmallVector<unsigned> withElements(ValueRange tensors) {
  SmallVector<unsigned> found;
  for (auto [i, tensor] : llvm::enumerate(tensors))
    if (describe(tensor).numElements() > 0)
      found.push_back(i);
  return found;
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferShapes(ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(*this, 0));
  auto axis = axisKey(*this, keys::axis, shape.size());
  unsigned inputs = getNumOperands();
  if (failed(axis) ||
      failed(checkRequant(*this, {inputs, inputs, "one per input"})))
    return failure();
  TensorInfo result = describe(getResult(0));
  for (unsigned i = 0; i < getNumOperands(); ++i) {
    TensorInfo in = describe(getOperand(i));
    if (in.dtype != result.dtype && (in.isFloat() || result.isFloat()))
      return layerError(
                 *this, diag::OpElementType, "layer_bottom_type",
                 "input " + Twine(i) +
                     " and the result are not both floats or both integers")
          .found(dtypeName(in.storedType()))
          .expected(result.isFloat() ? dtypeName(result.storedType())
                                     : StringRef("an integer type"));
  }
  for (unsigned i = 1; i < getNumOperands(); ++i) {
    ArrayRef<int64_t> other = inputShape(*this, i);
    SmallVector<int64_t> expected(shape);
    if (other.size() == shape.size())
      expected[*axis] = other[*axis];
    if (other != ArrayRef<int64_t>(expected))
      return layerError(*this, diag::OpInvalid, "layer_bottom_shape",
                        "input " + Twine(i) + " does not fit the others")
          .found(shapeText(other))
          .expected(shapeText(inputShape(*this, 0)) +
                    ", except for the length of axis " + Twine(*axis))
          .token(shapeText(other));
    shape[*axis] += other[*axis];
  }
  shapes.push_back(shape);
  return success();
}

namespace {
struct Branch {
  TensorInfo info;
  BufferBinding binding;
  int32_t scale = 1, shift = 0;
};
} // namespace

/// One call, of as many branches as the kernel takes.
static void addConcat(ArrayRef<Branch> branches, size_t axis,
                      const TensorInfo &out, const BufferBinding &to,
                      LayerProgram &program) {
  kernels::ConcatParams p;
  p.outer = product(ArrayRef(out.shape).take_front(axis));
  p.outInner = product(ArrayRef(out.shape).drop_front(axis));
  p.inputCount = branches.size();
  p.outType = out.dtype;
  p.zp = out.zp;
  p.lo = int32_t(std::max<int64_t>(out.lo, INT32_MIN));
  p.hi = int32_t(std::min<int64_t>(out.hi, INT32_MAX));
  bool moves = true; // every branch keeps its bits
  for (auto [i, branch] : llvm::enumerate(branches)) {
    kernels::ConcatBranch &b = p.branches[i];
    b.inner = product(ArrayRef(branch.info.shape).drop_front(axis));
    b.inType = branch.info.dtype;
    b.inZp = branch.info.zp;
    b.scale = branch.scale, b.shift = branch.shift;
    moves &= b.scale == 1 && b.shift == 0 && b.inZp == out.zp &&
             b.inType == out.dtype;
  }
  if (moves) {
    p.zp = 0;
    for (kernels::ConcatBranch &b : p.branches)
      b.inZp = 0;
  }
  KernelCall &call = program.call<kernels::Concat>(p);
  for (const Branch &branch : branches)
    call.append("inputs", branch.binding);
  call["output"] = to;
}

/// Joins as many branches at a time as a kernel takes, until there are no more
/// than that: parts have the result's type and scale.
static void joinParts(std::vector<Branch> &branches, size_t axis,
                      const TensorInfo &out, LayerProgram &program) {
  while (branches.size() > kernels::kMaxConcatInputs) {
    std::vector<Branch> parts;
    for (ArrayRef<Branch> rest = branches; !rest.empty();) {
      ArrayRef<Branch> group = rest.take_front(
          std::min<size_t>(rest.size(), kernels::kMaxConcatInputs));
      rest = rest.drop_front(group.size());
      Branch &part = parts.emplace_back();
      part.info = out;
      part.info.shape[axis] = 0;
      for (const Branch &branch : group)
        part.info.shape[axis] += branch.info.shape[axis];
      part.binding = program.intermediate(
          "part" + std::to_string(program.intermediates().size()), part.info);
      addConcat(group, axis, part.info, part.binding, program);
    }
    branches = std::move(parts);
  }
}

LogicalResult ConcatOp::buildProgram(LayerProgram &program) {
  TensorInfo out = describe(getResult(0));
  auto axis = axisKey(*this, keys::axis, out.shape.size());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> scales = intsKey(*this, keys::scale_value),
                       shifts = intsKey(*this, keys::shift_value);
  assert(scales.size() == shifts.size() && "verified");
  std::vector<Branch> branches;
  for (unsigned i : withElements(getOperands())) {
    Branch &branch =
        branches.emplace_back(Branch{describe(getOperand(i)), operand(i)});
    if (!scales.empty())
      branch.scale = int32_t(scales[i]), branch.shift = int32_t(shifts[i]);
  }
  joinParts(branches, *axis, out, program);
  addConcat(branches, *axis, out, result(0), program);
  return success();
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

LogicalResult SplitOp::inferShapes(ResultShapes &shapes) {
  ArrayRef<int64_t> in = inputShape(*this, 0);
  auto axis = axisKey(*this, keys::axis, in.size());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> splits = *getSplits();
  if (splits.size() != getNumResults())
    return layerError(*this, diag::OpInvalid, keys::splits,
                      "splits needs one length per output")
        .found(Twine(splits.size()))
        .expected(Twine(getNumResults()));
  int64_t sum = 0; // of at most 2^31 lengths of 31 bits
  for (int64_t part : splits) {
    sum += part;
    SmallVector<int64_t> shape(in);
    shape[*axis] = part;
    shapes.push_back(shape);
  }
  if (sum != in[*axis])
    return layerError(*this, diag::OpInvalid, keys::splits,
                      "splits do not add up to the length of axis " +
                          Twine(*axis))
        .found(Twine(sum))
        .expected(Twine(in[*axis]));
  return success();
}

/// Splits \p from into those results: groups of them first if they are more
/// than the kernel takes.
static void addSplit(SplitOp op, const TensorInfo &in,
                     const BufferBinding &from, ArrayRef<unsigned> results,
                     size_t axis, LayerProgram &program) {
  int64_t inner = product(ArrayRef(in.shape).drop_front(axis + 1));
  kernels::SplitParams p;
  p.elemBytes = kernels::dtypeBytes(in.dtype);
  p.outer = product(ArrayRef(in.shape).take_front(axis));
  p.inInner = in.shape[axis] * inner;
  size_t groupSize =
      llvm::divideCeil(results.size(), kernels::kMaxSplitOutputs);
  p.outputCount = llvm::divideCeil(results.size(), groupSize);
  std::vector<std::pair<TensorInfo, BufferBinding>> parts;
  for (unsigned i = 0; i < p.outputCount; ++i) {
    ArrayRef<unsigned> group = results.drop_front(i * groupSize);
    group = group.take_front(std::min(group.size(), groupSize));
    TensorInfo part = in;
    part.shape[axis] = 0;
    for (unsigned r : group)
      part.shape[axis] += shapeOf(op->getResult(r))[axis];
    p.inner[i] = part.shape[axis] * inner;
    parts.push_back(
        {part,
         group.size() == 1
             ? result(group.front())
             : program.intermediate(
                   "part" + std::to_string(program.intermediates().size()),
                   part)});
  }
  KernelCall &call = program.call<kernels::Split>(p);
  call["input"] = from;
  for (const auto &[info, to] : parts)
    call.append("outputs", to);
  for (auto [i, part] : llvm::enumerate(parts)) {
    ArrayRef<unsigned> group = results.drop_front(i * groupSize);
    group = group.take_front(std::min(group.size(), groupSize));
    if (group.size() > 1)
      addSplit(op, part.first, part.second, group, axis, program);
  }
}

LogicalResult SplitOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0));
  auto axis = axisKey(*this, keys::axis, in.shape.size());
  if (failed(axis))
    return failure();
  SmallVector<unsigned> results = withElements(getResults());
  for (unsigned i : results)
    if (failed(checkSameElement(*this, in, describe(getResult(i)))))
      return failure();
  addSplit(*this, in, operand(0), results, *axis, program);
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

static FailureOr<SmallVector<AxisPad>> padsOf(PadOp op) {
  ArrayRef<int64_t> shape = inputShape(op, 0);
  auto pads = nestedKey(op, keys::pads);
  if (pads.size() != shape.size() ||
      llvm::any_of(pads, [](ArrayRef<int64_t> p) { return p.size() != 2; }))
    return layerError(op, diag::OpBadAttribute, keys::pads,
                      "pads needs one [before,after] per axis")
        .found(Twine(pads.size()) + " rows")
        .expected(Twine(shape.size()) + " rows of 2");
  std::string mode = op.getMode().upper();
  SmallVector<AxisPad> result;
  for (auto [i, pad] : llvm::enumerate(pads)) {
    // One cell less for REFLECT, which does not repeat the border.
    int64_t most = mode == "CONSTANT"  ? INT32_MAX - shape[i]
                   : mode == "REFLECT" ? shape[i] - 1
                                       : shape[i];
    for (int64_t p : pad)
      if (p < 0 || p > most) {
        LayerError error =
            layerError(op, diag::OpBadAttribute, keys::pads,
                       "pads is out of range on axis " + Twine(i));
        error.found(Twine(p)).expected("0 to " + Twine(most));
        if (p < 0)
          error.hint("to crop, use a Slice layer");
        return error;
      }
    result.push_back({pad[0], pad[1]});
  }
  return result;
}

/// The border is stored as it is, so it must be a value of the result's type:
/// the operand's may have a smaller range, as after a Relu. Beside stored
/// numbers it is real until the layer has the model's integers.
static LogicalResult checkBorder(PadOp op) {
  TensorInfo out = describe(op.getResult(0));
  auto value = numberOf(op.getConstantValueAttr());
  if (!value || out.isFloat() || computesStoredReals(op) ||
      (*value >= double(out.lo) && *value <= double(out.hi)))
    return success();
  std::string text = llvm::formatv("{0}", llvm::format("%g", *value)).str();
  return layerError(op, diag::OpBadAttribute, keys::constant_value,
                    "the border does not fit the tensor's type")
      .found(text)
      .expected(Twine(out.lo) + " to " + Twine(out.hi) + " (" +
                dtypeName(out.storedType()) + ")");
}

LogicalResult PadOp::inferShapes(ResultShapes &shapes) {
  auto pads = padsOf(*this);
  if (failed(pads) || failed(checkBorder(*this)))
    return failure();
  SmallVector<int64_t> shape(inputShape(*this, 0));
  for (auto [dim, pad] : llvm::zip(shape, *pads))
    dim += pad.before + pad.after;
  shapes.push_back(shape);
  return success();
}

static FailureOr<kernels::PadMode> padMode(PadOp op) {
  std::string word = op.getMode().upper();
  if (word == "CONSTANT")
    return kernels::PadMode::Constant;
  if (word == "REFLECT")
    return kernels::PadMode::Reflect;
  if (word == "SYMMETRIC")
    return kernels::PadMode::Symmetric;
  if (word == "WRAP")
    return kernels::PadMode::Wrap;
  return layerError(op, diag::OpUnsupported, keys::mode,
                    "mode=" + word + " is not supported yet");
}

LogicalResult PadOp::buildProgram(LayerProgram &program) {
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
      return layerError(*this, diag::OpUnsupported, "layer_top_shape",
                        "more than " + Twine(kernels::kMaxRank) +
                            " axes are not supported yet");
    p.inDims[p.rank] = in.shape[i];
    p.outDims[p.rank] = out.shape[i];
    p.padBefore[p.rank] = int32_t((*pads)[i].before);
    ++p.rank;
    lastPlain = plain;
  }
  program.call<kernels::Pad>(p);
  program.last().bindInOut();
  return success();
}
