//===- CopyOps.cpp - Slice, Reshape and Transpose -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each is one strided copy.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/movement/MovementOps.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/movement/StridedCopy.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
struct AxisSlice {
  int64_t begin, step, length;
};
} // namespace

/// The slice of one axis by Python's rules: negative indices count from the
/// end, all are clamped; a backward slice with a negative end runs to index 0.
static FailureOr<SmallVector<AxisSlice>> slicesOf(SliceOp op) {
  ArrayRef<int64_t> shape = inputShape(op, 0);
  auto begin = op.getBegin(), end = op.getEnd(), strides = op.getStrides();
  for (IntsKey key :
       std::initializer_list<IntsKey>{keys::begin, keys::end, keys::strides}) {
    auto list = op->getAttrOfType<DenseI64ArrayAttr>(key);
    if (list && list.size() != int64_t(shape.size()))
      return layerError(op, diag::OpBadAttribute, key,
                        "the key " + key + " needs one value per axis")
          .found(Twine(list.size()))
          .expected(Twine(shape.size()));
  }
  SmallVector<AxisSlice> slices;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t dim = shape[i], step = strides ? (*strides)[i] : 1;
    if (step == 0 || step < INT32_MIN || step > INT32_MAX)
      return layerError(op, diag::OpBadAttribute, keys::strides,
                        "the step is impossible on axis " + Twine(i))
          .found(Twine(step))
          .expected("1 or more, or -1 or less");
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? dim - 1 : dim;
    auto place = [&](int64_t index) {
      return std::clamp(index < 0 ? index + dim : index, low, high);
    };
    int64_t first = place((*begin)[i]);
    int64_t last = step < 0 && (*end)[i] < 0 ? -1 : place((*end)[i]);
    int64_t span = step < 0 ? first - last : last - first;
    span = std::max<int64_t>(span, 0);
    // Nothing is a result, too, but hardly one that was meant.
    ArrayRef<int64_t> declared = declaredShape(op, 0);
    if (span == 0 && (declared.size() != shape.size() || declared[i] != 0))
      return layerError(op, diag::OpInvalid, keys::begin,
                        "begin and end select nothing on axis " + Twine(i))
          .found(Twine((*begin)[i]) + " to " + Twine((*end)[i]))
          .expected("indices of an axis of length " + Twine(dim));
    slices.push_back(
        {first, step, int64_t(llvm::divideCeil(span, std::abs(step)))});
  }
  return slices;
}

/// The second input names the axes; begin, end and strides are about all of
/// them in order.
static LogicalResult checkAxesInput(SliceOp op) {
  if (op.getNumOperands() < 2)
    return success();
  int64_t rank = inputShape(op, 0).size();
  if (inputShape(op, 1)[0] != rank)
    return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                      "the axes input does not have one value per axis")
        .found(Twine(inputShape(op, 1)[0]))
        .expected(Twine(rank));
  auto axes = constantInput(op, 1);
  for (int64_t i = 0; axes && i < rank; ++i)
    if (axes->intAt(i) != i)
      return layerError(op, diag::OpInvalid, "layer_bottom",
                        "the axes input does not list all axes in order")
          .found(Twine(axes->intAt(i)) + " at " + Twine(i))
          .expected(Twine(i));
  return success();
}

LogicalResult SliceOp::inferShapes(ResultShapes &shapes) {
  auto slices = slicesOf(*this);
  if (failed(slices) || failed(checkAxesInput(*this)))
    return failure();
  SmallVector<int64_t> shape;
  for (const AxisSlice &s : *slices)
    shape.push_back(s.length);
  shapes.push_back(shape);
  return success();
}

LogicalResult SliceOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  auto slices = slicesOf(*this);
  if (failed(slices) || failed(checkSameElement(*this, in, out)))
    return failure();
  SmallVector<int64_t> strides = denseStrides(in.shape);
  int64_t offset = 0;
  for (auto [stride, s] : llvm::zip(strides, *slices)) {
    offset += s.begin * stride;
    stride *= s.step;
  }
  CopyEnds ends;
  ends.fromOffset = offset;
  return appendCopy(*this, program, axesInto(out.shape, strides), ends);
}

//===----------------------------------------------------------------------===//
// Reshape and Transpose
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::inferShapes(ResultShapes &shapes) {
  int64_t elements = product(inputShape(*this, 0));
  SmallVector<int64_t> shape(getShape() ? *getShape()
                                        : declaredShape(*this, 0));
  int64_t known = 1, *open = nullptr;
  for (int64_t &length : shape) {
    if (length == -1 && !open) {
      open = &length;
      continue;
    }
    if (length < 0 || llvm::MulOverflow(known, length, known))
      return layerError(*this, diag::OpBadAttribute, keys::shape,
                        "shape has an impossible length")
          .found(shapeText(shape))
          .expected("lengths of 0 or more and at most one -1, for " +
                    Twine(elements) + " values");
  }
  if (open)
    *open = known > 0 ? elements / known : 0;
  if (product(shape) != elements)
    return layerError(*this, diag::OpInvalid, keys::shape,
                      "shape and input have different numbers of values")
        .found(shapeText(shape) + ", " + Twine(product(shape)) + " values")
        .expected(Twine(elements) + " values, from " +
                  shapeText(inputShape(*this, 0)));
  shapes.push_back(shape);
  return success();
}

LogicalResult ReshapeOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (failed(checkSameElement(*this, in, out)))
    return failure();
  return appendCopy(*this, program,
                    axesInto(out.shape, denseStrides(out.shape)));
}

LogicalResult TransposeOp::inferShapes(ResultShapes &shapes) {
  ArrayRef<int64_t> in = inputShape(*this, 0), perm = *getPerm();
  SmallVector<int64_t> shape;
  SmallVector<bool> seen(in.size(), false);
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= int64_t(in.size()) || seen[axis])
      break;
    seen[axis] = true;
    shape.push_back(in[axis]);
  }
  if (shape.size() != in.size() || perm.size() != in.size())
    return layerError(*this, diag::OpBadAttribute, keys::perm,
                      "perm is not a permutation of the axes")
        .found(shapeText(perm))
        .expected("each of 0 to " + Twine(int64_t(in.size()) - 1) + " once");
  shapes.push_back(shape);
  return success();
}

LogicalResult TransposeOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (failed(checkSameElement(*this, in, out)))
    return failure();
  return appendCopy(*this, program, permutedAxes(in.shape, *getPerm()));
}
