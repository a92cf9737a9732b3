//===- IndexPrograms.cpp - Indices, counts and shapes as kernels ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/ElementBits.h"
#include "dialects/compass/indexing/IndexOps.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "dialects/compass/movement/Moving.h"
#include "kernels/indexing/Indexing.h"
#include "kernels/movement/DataMovement.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::checkIndexType(Operation *op, unsigned result,
                                      int64_t length) {
  TensorInfo out = describe(op->getResult(result));
  if (dtypeRange(out.storedType()).second >= length - 1)
    return success();
  return layerError(op, diag::OpElementType, "layer_top_type",
                    "the type of result " + Twine(result) +
                        " cannot hold the last index")
      .found(dtypeName(out.storedType()))
      .expected("an integer type that holds " + Twine(length - 1));
}

int32_t compass::mostStored(const TensorInfo &info) {
  int64_t most =
      info.isQuantized() ? info.hi : dtypeRange(info.storedType()).second;
  return int32_t(std::min<int64_t>(most, INT32_MAX));
}

LogicalResult OneHotOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto axis = axisKey(*this, keys::axis, in.shape.size() + 1);
  if (failed(axis))
    return failure();
  double values[] = {0, 1}; // off, on
  if (auto list = getOperation()->getAttrOfType<ArrayAttr>(keys::values))
    for (auto [value, attr] : llvm::zip(values, list))
      value = numberOf(attr).value_or(value);
  for (double &value : values)
    if (out.isInteger()) {
      auto range = dtypeRange(out.storedType());
      value =
          std::clamp(value, double(out.isQuantized() ? out.lo : range.first),
                     double(mostStored(out)));
    }
  kernels::OneHotParams p;
  ArrayRef<int64_t> shape = in.shape;
  p.outer = product(shape.take_front(*axis));
  p.depth = uint32_t(out.shape[*axis]);
  p.inner = product(shape.drop_front(*axis));
  p.indexType = in.dtype;
  p.elemBytes = kernels::dtypeBytes(out.dtype);
  setBits(p.off, out.dtype, values[0]);
  setBits(p.on, out.dtype, values[1]);
  KernelCall &call = program.call<kernels::OneHot>(p);
  call["indices"] = operand(0), call["output"] = result(0);
  return success();
}

LogicalResult CompressOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), condition = describe(getOperand(1)),
             out = describe(getResult(0));
  SmallVector<int64_t> shape(x.shape);
  auto axis = axisOrFlat(*this, shape);
  if (failed(axis) || failed(checkSameElement(*this, x, out)))
    return failure();
  kernels::CompressParams p;
  p.elemBytes = kernels::dtypeBytes(x.dtype);
  p.outer = product(ArrayRef(shape).take_front(*axis));
  p.axis = uint32_t(shape[*axis]);
  p.inner = product(ArrayRef(shape).drop_front(*axis + 1));
  p.conditions = uint32_t(condition.shape[0]);
  p.capacity = uint32_t(out.shape[*axis]);
  p.conditionType = condition.dtype;
  setBits(p.fill, out.dtype, storedZero(out));
  KernelCall &call = program.call<kernels::Compress>(p).bindInOut();
  call["condition"] = operand(1);
  return success();
}

LogicalResult NonZeroOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), places = describe(getResult(0)),
             count = describe(getResult(1));
  if (x.shape.size() > kernels::kMaxRank)
    return layerError(*this, diag::OpUnsupported, "layer_bottom_shape",
                      "more than " + Twine(kernels::kMaxRank) +
                          " axes are not supported yet");
  kernels::NonZeroParams p;
  p.rank = x.shape.size();
  for (auto [d, length] : llvm::enumerate(x.shape))
    p.dims[d] = uint32_t(length);
  p.capacity = uint32_t(places.shape[1]);
  p.inType = x.dtype;
  p.indexType = places.dtype;
  p.countType = count.dtype;
  p.mostIndex = mostStored(places);
  p.mostCount = mostStored(count);
  KernelCall &call = program.call<kernels::NonZero>(p);
  call["input"] = operand(0);
  call["places"] = result(0), call["count"] = result(1);
  return success();
}

LogicalResult UniqueOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), out = describe(getResult(0)),
             numbers[] = {describe(getResult(1)), describe(getResult(2)),
                          describe(getResult(3))};
  SmallVector<int64_t> shape(x.shape);
  auto axis = axisOrFlat(*this, shape);
  if (failed(axis) || failed(checkSameElement(*this, x, out)))
    return failure();
  kernels::UniqueParams p;
  p.outer = product(ArrayRef(shape).take_front(*axis));
  p.axis = uint32_t(shape[*axis]);
  p.inner = product(ArrayRef(shape).drop_front(*axis + 1));
  p.capacity = uint32_t(out.shape[*axis]);
  p.sorted = boolKey(*this, keys::sorted);
  p.type = x.dtype;
  p.indexType = numbers[0].dtype, p.mostIndex = mostStored(numbers[0]);
  p.inverseType = numbers[1].dtype, p.mostInverse = mostStored(numbers[1]);
  p.countType = numbers[2].dtype, p.mostCount = mostStored(numbers[2]);
  p.fill = uint32_t(elementBits(out.dtype, storedZero(out)));
  TensorInfo order;
  order.setType(DType::I32);
  order.shape = {2 * int64_t(p.axis)};
  KernelCall &call = program.call<kernels::Unique>(p).bindInOut();
  call["indices"] = result(1), call["inverse"] = result(2);
  call["counts"] = result(3);
  call["order"] = program.intermediate("order", order);
  return success();
}

/// Copies \p count elements of a constant to the result, or its one element to
/// all of them.
static void copyConstant(LayerProgram &program, DType type, int64_t count,
                         std::vector<char> bytes) {
  int64_t given = int64_t(bytes.size()) / kernels::dtypeBytes(type);
  kernels::CopyParams p;
  p.elemBytes = kernels::dtypeBytes(type);
  p.rank = 1;
  p.dims[0] = uint32_t(count);
  p.srcStride[0] = given > 1;
  p.dstStride[0] = 1;
  KernelCall &call = program.call<kernels::Copy>(p);
  call["input"] = constant({given}, type, std::move(bytes));
  call["output"] = result(0);
}

static void append(std::vector<char> &bytes, DType type, double value) {
  uint64_t bits = elementBits(type, value);
  auto *first = reinterpret_cast<const char *>(&bits);
  bytes.insert(bytes.end(), first, first + kernels::dtypeBytes(type));
}

LogicalResult ShapeOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> shape = inputShape(*this, 0);
  TensorInfo out = describe(getResult(0));
  int64_t rank = shape.size(), start = intKey(*this, keys::start);
  int64_t first =
      std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  std::vector<char> bytes;
  for (int64_t length : shape.slice(first, out.numElements())) {
    if (failed(checkIndexType(*this, 0, length + 1)))
      return failure();
    append(bytes, out.dtype, double(length));
  }
  copyConstant(program, out.dtype, out.numElements(), std::move(bytes));
  return success();
}

LogicalResult ConstantOfShapeOp::buildProgram(LayerProgram &program) {
  TensorInfo out = describe(getResult(0));
  double value = numberOf(getOperation()->getAttr(keys::value)).value_or(0);
  if (out.isInteger()) {
    auto [lo, hi] = dtypeRange(out.storedType());
    if (!(value >= double(lo) && value <= double(hi)))
      return layerError(*this, diag::OpBadAttribute, keys::value,
                        "the value does not fit the result's type")
          .found(std::to_string(value))
          .expected(Twine(lo) + " to " + Twine(hi));
  }
  std::vector<char> bytes;
  append(bytes, out.dtype, value);
  copyConstant(program, out.dtype, out.numElements(), std::move(bytes));
  return success();
}
