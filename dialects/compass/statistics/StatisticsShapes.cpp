//===- StatisticsShapes.cpp - Checks and shapes of layers -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/statistics/StatisticsShapes.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/norm/NormCheck.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

using Shapes = SmallVectorImpl<SmallVector<int64_t>>;

/// The shape of the first input without the key's axes, or with length 1 there.
static FailureOr<SmallVector<int64_t>> reducedShape(Operation *op, bool keep) {
  SmallVector<int64_t> shape(shapeOfFirst(op));
  auto axes = axesKey(op, shape.size());
  if (failed(axes))
    return failure();
  for (int64_t axis : llvm::reverse(*axes)) {
    if (keep)
      shape[axis] = 1;
    else
      shape.erase(shape.begin() + axis);
  }
  return shape;
}

LogicalResult compass::inferMoments(Operation *op, Shapes &shapes) {
  auto keep = op->getAttrOfType<BoolAttr>(keys::keepdims);
  LayerCheck check(op);
  for (IntsKey key : std::initializer_list<IntsKey>{
           keys::var_scale_value, keys::var_shift_value,
           keys::input_scale_value, keys::input_shift_value})
    check.count(key, 1, "one number");
  auto shape = reducedShape(op, !keep || keep.getValue());
  if (failed(shape) || !check.ok())
    return failure();
  shapes.append(2, *shape);
  return success();
}

LogicalResult compass::inferNormalizedMoments(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  check.count(keys::mean_scale_value, 3, "for the mean, meanSum and shift");
  check.count(keys::mean_shift_value, 1, "for the mean");
  check.count(keys::var_scale_value, 3,
              "for the variance, squareSum and the square");
  check.count(keys::var_shift_value, 1, "for the variance");
  check.inputTable(keys::lut);
  if (failed(inferBroadcastShape(op, shapes)) || !check.ok())
    return failure();
  shapes.push_back(shapes.back());
  return success();
}

LogicalResult compass::inferSufficientStatistics(Operation *op,
                                                 Shapes &shapes) {
  LayerCheck check(op);
  check.count(keys::scale_value, 4, "for the sum, the squares, x and shift");
  check.count(keys::shift_value, 4, "for the sum, the squares, x and shift");
  SmallVector<int64_t> x(shapeOfFirst(op)),
      shift = describe(op->getOperand(1)).shape;
  if (broadcastShapes(x, shift) != x)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the shift does not broadcast to the values")
        .found(shapeText(shift))
        .expected(shapeText(x) + ", or axes of length 1");
  auto shape = reducedShape(op, /*keep=*/true);
  if (failed(shape) || !check.ok())
    return failure();
  shapes.append(2, *shape);
  return success();
}

/// Whether the integer type holds every index of an axis of \p length.
static bool holdsIndex(DType type, int64_t length) {
  return dtypeRange(type).second >= length - 1;
}

LogicalResult compass::inferArgMinMax(Operation *op, Shapes &shapes) {
  auto attr = op->getAttrOfType<IntegerAttr>(keys::axis);
  SmallVector<int64_t> shape(shapeOfFirst(op));
  auto axis = normalizeAxis(op, attr ? attr.getInt() : -1, shape.size());
  if (failed(axis))
    return failure();
  DType out = describe(op->getResult(0)).dtype;
  if (!holdsIndex(out, shape[*axis]))
    return layerError(op, diag::OpElementType, "layer_top_type",
                      "the type of the result cannot hold the last index")
        .found(dtypeName(out))
        .expected("an integer type that holds " + Twine(shape[*axis] - 1));
  shape[*axis] = 1;
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferCumulate(Operation *op, Shapes &shapes) {
  auto attr = op->getAttrOfType<IntegerAttr>(keys::axis);
  ArrayRef<int64_t> shape = shapeOfFirst(op);
  auto axis = normalizeAxis(op, attr ? attr.getInt() : -1, shape.size());
  if (failed(axis))
    return failure();
  LayerCheck check(op);
  if (wordKey(op, keys::method, "SUM") == "PROD") {
    check.elements(keys::scale, shape[*axis], "one per position of the axis");
    check.elements(keys::shift, shape[*axis], "one per position of the axis");
  } else {
    check.requant();
  }
  return success(succeeded(inferSameShape(op, shapes)) && check.ok());
}

LogicalResult compass::inferCount(Operation *op, Shapes &shapes) {
  ArrayRef<int64_t> shape = shapeOfFirst(op);
  auto bins = op->getAttrOfType<IntegerAttr>(keys::nbins);
  auto min = numberOf(op->getAttr(keys::min)),
       max = numberOf(op->getAttr(keys::max));
  if (shape.empty() || !bins)
    return layerError(op, diag::OpShape, "layer_bottom_shape",
                      "the histogram needs a batch")
        .found(shapeText(shape))
        .expected("one axis or more");
  if (min && max && *min > *max)
    return layerError(op, diag::OpBadAttribute, keys::max, "max is below min")
        .found("min " + Twine(std::to_string(*min)) + ", max " +
               std::to_string(*max))
        .expected("min <= max");
  shapes.push_back({shape.front(), bins.getInt()});
  return success();
}

LogicalResult compass::inferZeroFraction(Operation *, Shapes &shapes) {
  shapes.push_back({1});
  return success();
}

/// The segments that a Constant layer gives, ascending and not negative.
static FailureOr<int64_t> greatestSegment(Operation *op,
                                          const ConstantView &segments) {
  int64_t last = 0;
  for (int64_t i = 0, n = segments.numElements(); i < n; ++i) {
    int64_t segment = segments.intAt(i);
    if (segment < last)
      return layerError(op, diag::OpBadAttribute, "layer_bottom",
                        "the segments of the rows do not ascend from 0")
          .found(Twine(segment) + " for row " + Twine(i))
          .expected(Twine(last) + " or more");
    last = segment;
  }
  return last;
}

LogicalResult compass::inferSegmentReduce(Operation *op, Shapes &shapes) {
  SmallVector<int64_t> shape(shapeOfFirst(op));
  TensorInfo segments = describe(op->getOperand(1));
  ArrayRef<int64_t> declared =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  LayerCheck check(op);
  check.requant();
  if (shape.empty() || segments.shape[0] != shape[0])
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "each row needs one segment")
        .found(shapeText(shape) + " and " + shapeText(segments.shape))
        .expected("as many segments as x has rows");
  if (!check.ok())
    return failure();
  Operation *source = op->getOperand(1).getDefiningOp();
  bool constant =
      source && source->getName().getStringRef() == "compass.constant";
  ElementsAttr weights = constant ? tensorKey(source, keys::weights) : nullptr;
  if (auto view = weights ? viewConstant(weights) : std::nullopt) {
    auto greatest = greatestSegment(op, *view);
    if (failed(greatest))
      return failure();
    shape[0] = *greatest + 1;
  } else if (!declared.empty()) {
    shape[0] = declared[0]; // depends on data: the declaration is a capacity
  }
  shapes.push_back(shape);
  return success();
}
