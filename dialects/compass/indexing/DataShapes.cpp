//===- DataShapes.cpp - Shapes that depend on data ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Selection, and the operators that make indices or take a shape as input.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/indexing/IndexShapes.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// An error unless \p declared is a possible capacity: 1 to \p most.
static LogicalResult checkCapacity(Operation *op, unsigned result,
                                   int64_t declared, int64_t most) {
  if (declared <= most)
    return success();
  return layerError(op, diag::OpShape, "layer_top_shape",
                    "result " + Twine(result) +
                        " is declared longer than it can become")
      .found(shapeText(declaredShape(op, result)))
      .expected("at most " + Twine(most))
      .token(shapeText(declaredShape(op, result)));
}

LogicalResult compass::inferCompress(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> declared = declaredShape(op, 0);
  SmallVector<int64_t> shape(inputShape(op, 0));
  auto axis = axisOrFlat(op, shape);
  if (failed(axis))
    return failure();
  int64_t length = shape[*axis], condition = inputShape(op, 1)[0];
  if (condition > length)
    return layerError(op, diag::OpInvalid, "layer_bottom_shape",
                      "the condition is longer than the axis")
        .found(Twine(condition))
        .expected("at most " + Twine(length));
  // Constant conditions could tell the length, but a network may well keep
  // room for more.
  if (declared.size() == shape.size())
    shape[*axis] = declared[*axis];
  if (failed(checkCapacity(op, 0, shape[*axis], length)))
    return failure();
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferUnique(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> declared = declaredShape(op, 0);
  SmallVector<int64_t> shape(inputShape(op, 0));
  auto axis = axisOrFlat(op, shape);
  if (failed(axis))
    return failure();
  int64_t elements = shape[*axis];
  if (declared.size() == shape.size())
    shape[*axis] = declared[*axis];
  int64_t distinct = shape[*axis];
  if (failed(checkCapacity(op, 0, distinct, elements)))
    return failure();
  shapes.push_back(shape);
  shapes.push_back({distinct});
  shapes.push_back({elements});
  shapes.push_back({distinct});
  return success();
}

LogicalResult compass::inferNonZero(Operation *op, ResultShapes &shapes) {
  ArrayRef<int64_t> x = inputShape(op, 0);
  int64_t capacity = declaredShape(op, 0)[1];
  if (failed(checkCapacity(op, 0, capacity, product(x))))
    return failure();
  shapes.push_back({int64_t(x.size()), capacity});
  shapes.push_back({1});
  return success();
}

LogicalResult compass::inferOneHot(Operation *op, ResultShapes &shapes) {
  SmallVector<int64_t> shape(inputShape(op, 0));
  auto axis = axisKey(op, keys::axis, shape.size() + 1);
  if (failed(axis))
    return failure();
  if (auto values = op->getAttrOfType<ArrayAttr>(keys::values);
      values && values.size() != 2)
    return layerError(op, diag::OpBadAttribute, keys::values,
                      "the key values has a wrong number of values")
        .found(Twine(values.size()))
        .expected("[off,on]");
  shape.insert(shape.begin() + *axis, intKey(op, keys::depth));
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferShape(Operation *op, ResultShapes &shapes) {
  int64_t rank = inputShape(op, 0).size();
  auto place = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = place(intKey(op, keys::start));
  int64_t end = op->hasAttr(keys::end) ? place(intKey(op, keys::end)) : rank;
  if (start >= end)
    return layerError(op, diag::OpBadAttribute, keys::end,
                      "start and end select no axis of the shape")
        .found(Twine(start) + " and " + Twine(end))
        .expected("start before end, of " + Twine(rank) + " axes");
  shapes.push_back({end - start});
  return success();
}

LogicalResult compass::inferConstantOfShape(Operation *op,
                                            ResultShapes &shapes) {
  SmallVector<int64_t> shape(declaredShape(op, 0));
  int64_t rank = inputShape(op, 0)[0];
  if (auto lengths = constantInput(op, 0);
      lengths && !dtypeIsFloat(lengths->dtype)) {
    shape.clear();
    for (int64_t i = 0; i < lengths->numElements(); ++i)
      shape.push_back(lengths->intAt(i));
  } else if (int64_t(shape.size()) != rank) {
    return layerError(op, diag::OpShape, "layer_top_shape",
                      "the result does not have as many axes as the shape has "
                      "lengths")
        .found(shapeText(shape))
        .expected(Twine(rank) + " axes")
        .token(shapeText(shape));
  }
  shapes.push_back(shape);
  return success();
}
