//===- NormShapes.cpp - Checks and shapes of layers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/norm/NormShapes.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/norm/NormCheck.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

using Shapes = SmallVectorImpl<SmallVector<int64_t>>;

static int64_t integerKey(Operation *op, StringRef key, int64_t fallback) {
  auto attr = op->getAttrOfType<IntegerAttr>(key);
  return attr ? attr.getInt() : fallback;
}

LogicalResult compass::inferGroupNorm(Operation *op, Shapes &shapes) {
  ArrayRef<int64_t> shape = shapeOfFirst(op);
  auto axis = normalizeAxis(op, integerKey(op, keys::axis, -1), shape.size());
  if (failed(axis))
    return failure();
  int64_t channels = shape[*axis], groups = integerKey(op, keys::group, 32);
  LayerCheck check(op);
  if (channels % groups)
    check
        .problem(diag::OpBadAttribute, keys::group,
                 "the groups do not divide the channels")
        .found(Twine(groups) + " groups of " + Twine(channels) + " channels")
        .expected("a divisor of " + Twine(channels));
  if (*axis == 0)
    check
        .problem(diag::OpBadAttribute, keys::axis,
                 "the channel axis is the batch axis")
        .found(Twine(integerKey(op, keys::axis, -1)))
        .expected("1 to " + Twine(int64_t(shape.size()) - 1));
  check.rootTable(keys::lut);
  if (failed(checkAffine(op, channels, "channel")) || !check.ok())
    return failure();
  return inferSameShape(op, shapes);
}

LogicalResult compass::inferInstanceNorm(Operation *op, Shapes &shapes) {
  ArrayRef<int64_t> shape = shapeOfFirst(op);
  LayerCheck check(op);
  if (shape.size() < 3)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "there are no axes between batch and channels to normalise")
        .found(shapeText(shape))
        .expected("a batch, one axis or more, and the channels");
  check.rootTable(keys::lut);
  if (!check.ok() || failed(checkAffine(op, shape.back(), "channel")))
    return failure();
  return inferSameShape(op, shapes);
}

LogicalResult compass::inferRmsNorm(Operation *op, Shapes &shapes) {
  ArrayRef<int64_t> shape = shapeOfFirst(op);
  auto axes = axesKey(op, shape.size());
  if (failed(axes))
    return failure();
  int64_t positions = 1; // at most the elements of x: no overflow
  for (int64_t axis : *axes)
    positions *= shape[axis];
  LayerCheck check(op);
  check.rootTable(keys::lut);
  if (failed(checkAffine(op, positions, "normalised position")) || !check.ok())
    return failure();
  return inferSameShape(op, shapes);
}

/// The definition prints a table of 49 entries: inverse square roots of 16 to
/// 64 16ths. Any such table is read, of 64ths at most.
static void checkCoarseTable(LayerCheck &check, Operation *op) {
  ElementsAttr attr = check.isInteger() ? tensorKey(op, keys::lut) : nullptr;
  auto table = attr ? viewConstant(attr) : std::nullopt;
  if (!table)
    return;
  int64_t steps = table->numElements() - 1;
  if (steps < 3 || steps % 3 != 0 || 192 % steps != 0 ||
      table->dtype != DType::I16)
    check
        .problem(diag::OpIntegerParameters, "lut_shape",
                 "the table of inverse square roots has a wrong form")
        .found(Twine(table->numElements()) + " of type " +
               dtypeName(table->storedType()))
        .expected("193 of int16, or 97, 49, 25, 13, 7 or 4");
}

LogicalResult compass::inferMvn(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  check.requant();
  checkCoarseTable(check, op);
  if (failed(axesKey(op, shapeOfFirst(op).size())) || !check.ok())
    return failure();
  return inferSameShape(op, shapes);
}

LogicalResult compass::inferNormalization(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  check.requant();
  if (wordKey(op, keys::method, "L2") == "L2")
    check.rootTable(keys::lut);
  if (failed(axesKey(op, shapeOfFirst(op).size())) || !check.ok())
    return failure();
  return inferSameShape(op, shapes);
}

LogicalResult compass::inferLrn(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  for (IntsKey key : {keys::scale_value, keys::shift_value,
                      keys::scale_sum_value, keys::shift_sum_value})
    check.count(key, 1, "one number");
  check.inputTable(keys::lut);
  if (shapeOfFirst(op).empty())
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "a tensor without axes has no channels to normalise over")
        .found(shapeText(shapeOfFirst(op)))
        .expected("one axis or more, the last one the channels");
  if (wordKey(op, keys::method) == "WITHIN_CHANNEL" &&
      shapeOfFirst(op).size() != 4)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the method WITHIN_CHANNEL needs rows and columns")
        .found(shapeText(shapeOfFirst(op)))
        .expected("[N, H, W, C]");
  return success(succeeded(inferSameShape(op, shapes)) && check.ok());
}

LogicalResult compass::inferLogSoftmax(Operation *op, Shapes &shapes) {
  LayerCheck check(op);
  check.inputTable(keys::lut_exp);
  check.inputTable(keys::lut_log);
  check.requant();
  if (failed(normalizeAxis(op, integerKey(op, keys::axis, -1),
                           shapeOfFirst(op).size())) ||
      !check.ok())
    return failure();
  return inferSameShape(op, shapes);
}
