//===- SelectShapes.cpp - Shapes of layers that choose --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/select/SelectShapes.h"
#include "dialects/compass/Layers.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::inferNMS(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  check.table(keys::gaussian_scale_lut);
  check.table(keys::gaussian_shift_lut);
  check.count(keys::scale_value, 1, "one for all coordinates");
  check.count(keys::shift_value, 1, "one for all coordinates");
  return check.declared(shapes);
}

LogicalResult compass::inferPostNMS1(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  int64_t kept = check.integerOf(keys::proposal_cnt);
  for (int i = 0; i < 2; ++i)
    shapes.push_back({check.in(0)[0], kept, 4});
  return success();
}

LogicalResult compass::inferFilterBoxes(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  check.count(keys::min_size, 2, "least height and width");
  if (!check.ok())
    return failure();
  int64_t batch = check.in(0)[0], classes = check.in(2)[1],
          kept = check.integerOf(keys::maxnum);
  shapes.push_back({batch, kept, 4});
  shapes.push_back({batch, kept});
  shapes.push_back({batch, classes});
  shapes.push_back({batch, classes});
  shapes.push_back({batch, 1});
  return success();
}

LogicalResult compass::inferRegionFuse(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  check.equals(keys::class_num, check.in(4)[1],
               "second axis of the boxes of each class");
  for (IntsKey key : std::initializer_list<IntsKey>{
           keys::score_scale_value, keys::score_shift_value,
           keys::box_scale_value, keys::box_shift_value})
    check.count(key, 2, "one for each region");
  return check.declared(shapes);
}

LogicalResult compass::inferFilter(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  unsigned inputs = op->getNumOperands(), data = inputs - 1;
  if (data == 0 || op->getNumResults() != inputs)
    return check
        .problem(diag::OpArity, "layer_top",
                 "the layer has a wrong number of outputs")
        .found(Twine(op->getNumResults()))
        .expected(Twine(inputs) + ": one for each input but the selector, then "
                                  "the number of slices kept");
  check.equals(keys::num, data, "number of inputs without the selector");
  int64_t axis = check.integerOf(keys::axis);
  for (unsigned i = 0; i < data; ++i) {
    ArrayRef<int64_t> shape = check.in(i);
    auto normal = normalizeAxis(op, axis, shape.size());
    if (failed(normal))
      return failure();
    if (check.in(data) != ArrayRef<int64_t>(shape[*normal]))
      check
          .problem(diag::OpShape, "layer_bottom_shape",
                   "the selector does not have one value for each slice")
          .found(shapeText(check.in(data)))
          .expected(shapeText({shape[*normal]}))
          .token(shapeText(check.in(data)));
    shapes.emplace_back(shape);
  }
  // The count is declared as [1] or as a scalar.
  ArrayRef<int64_t> count = check.out(data);
  shapes.emplace_back(count.empty() ? count : ArrayRef<int64_t>(1));
  return success(check.ok());
}

LogicalResult compass::inferGetValidCount(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> x = check.in(0);
  for (IntKey key : {keys::score_index, keys::id_index})
    if (int64_t column = check.integerOf(key); column >= x[2])
      check
          .problem(diag::OpBadAttribute, key,
                   "the key " + key + " is not a column of a row")
          .found(Twine(column))
          .expected("-1 to " + Twine(x[2] - 1))
          .token(Twine(column));
  if (check.isInteger())
    check.oneOf({keys::score_threshold_value, keys::score_threshold},
                "the threshold");
  else
    check.oneOf({keys::score_threshold}, "the threshold");
  if (!check.ok())
    return failure();
  shapes.push_back({x[0]});
  shapes.emplace_back(x);
  shapes.push_back({x[0], x[1]});
  return success();
}

LogicalResult compass::inferTopK(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  SmallVector<int64_t> shape(check.in(0));
  auto axis = normalizeAxis(op, check.integerOf(keys::axis), shape.size());
  if (failed(axis))
    return failure();
  int64_t k = check.integerOf(keys::k);
  if (k > shape[*axis])
    return check
        .problem(diag::OpBadAttribute, keys::k,
                 "the key k exceeds the axis that is searched")
        .found(Twine(k))
        .expected("1 to " + Twine(shape[*axis]))
        .token(Twine(k));
  shape[*axis] = k;
  shapes.push_back(shape);
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferInTopK(Operation *op, ResultShapes &shapes) {
  shapes.emplace_back(shapeOf(op->getOperand(1)));
  return success();
}

LogicalResult compass::inferAccidentalHits(Operation *op,
                                           ResultShapes &shapes) {
  return LayerCheck(op).declared(shapes);
}

LogicalResult compass::inferCTCGreedyDecoder(Operation *op,
                                             ResultShapes &shapes) {
  return LayerCheck(op).declared(shapes);
}
