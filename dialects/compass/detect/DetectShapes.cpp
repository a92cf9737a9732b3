//===- DetectShapes.cpp - Shapes of layers that decode boxes --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/detect/DetectShapes.h"

#include "dialects/compass/Keys.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static void checkBoxTables(LayerCheck &check) {
  for (TensorKey table :
       {keys::ty_lut, keys::tx_lut, keys::th_lut, keys::tw_lut})
    check.table(table);
}

/// Anchors are given by their centres and sizes, one of each for every box.
static void checkAnchors(LayerCheck &check, int64_t boxes) {
  for (TensorKey key : {keys::xcenter, keys::ycenter, keys::ha, keys::wa})
    check.elements(key, boxes);
}

LogicalResult compass::inferBoundingBox(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  check.count(keys::box_scale_value, 5, "y, x, h, w and the box");
  check.count(keys::box_shift_value, 5, "y, x, h, w and the box");
  check.table(keys::th_lut);
  check.table(keys::tw_lut);
  return check.declared(shapes);
}

LogicalResult compass::inferDecodeBox(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  int64_t boxes = check.in(0)[1];
  check.equals(keys::class_num, check.in(0)[2] - 1,
               "number of scores of a box without the background");
  check.equals(keys::max_box_num, check.out(0)[1], "declared number of boxes");
  check.count(keys::variance, 4, "y, x, h and w");
  checkAnchors(check, boxes);
  checkBoxTables(check);
  bool hasCentres = check.has(keys::xcenter) && check.has(keys::ycenter) &&
                    check.has(keys::ha) && check.has(keys::wa);
  if (!hasCentres)
    check.oneOf({keys::weights, keys::feature_map},
                "the anchors (xcenter, ycenter, ha and wa together)");
  if (check.isInteger() && !check.has(keys::weights))
    for (TensorKey table :
         {keys::ty_lut, keys::tx_lut, keys::th_lut, keys::tw_lut})
      check.oneOf({table, keys::weights}, "a look-up table of deltas");
  return check.declared(shapes);
}

LogicalResult compass::inferMultiboxTransformLoc(Operation *op,
                                                 ResultShapes &shapes) {
  LayerCheck check(op);
  int64_t boxes = check.in(0)[2];
  if (check.in(1)[1] != 4 * boxes)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "there are not four deltas per anchor")
        .found(shapeText(check.in(1)))
        .expected(shapeText({check.in(1)[0], 4 * boxes}))
        .token(shapeText(check.in(1)));
  for (KeyName key :
       std::initializer_list<KeyName>{keys::variance, keys::variances})
    check.count(key, 4, "y, x, h and w");
  check.count(keys::box_scale_value, 5, "y, x, h, w and the anchor");
  check.count(keys::box_shift_value, 5, "y, x, h, w and the anchor");
  check.count(keys::score_scale_value, 1, "one for all scores");
  check.count(keys::score_shift_value, 1, "one for all scores");
  if (!check.isInteger()) {
    check.oneOf({keys::variance, keys::variances}, "the factors of the deltas");
    check.oneOf({keys::score_threshold, keys::score_threshold_value},
                "the least score");
  } else if (auto stored = op->getAttr(keys::score_threshold_value);
             stored && !isa<IntegerAttr>(stored)) {
    check
        .problem(diag::OpIntegerParameters, keys::score_threshold_value,
                 "the threshold of an integer layer is a stored integer")
        .found(std::to_string(numberOf(stored).value_or(0)))
        .expected("an integer at the scale of the scores");
  }
  check.table(keys::th_lut);
  check.table(keys::tw_lut);
  return check.declared(shapes);
}

LogicalResult compass::inferDetectionOutput(Operation *op,
                                            ResultShapes &shapes) {
  LayerCheck check(op);
  int64_t classes = check.in(0)[2], deltaClasses = check.in(1)[2];
  if (deltaClasses != classes && deltaClasses != classes - 1)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "deltas and scores have different numbers of classes")
        .found(Twine(deltaClasses))
        .expected(Twine(classes) + ", or " + Twine(classes - 1) +
                  " without the background")
        .token(shapeText(check.in(1)));
  check.count(keys::variance, 4, "one per delta");
  for (IntsKey key : std::initializer_list<IntsKey>{keys::box_scale_value,
                                                    keys::box_shift_value})
    check.count(key, 3, "sizes, deltas and centres");
  check.count(keys::delta_shift, 2, "sizes and deltas");
  checkBoxTables(check);
  if (check.isInteger())
    for (TensorKey table :
         {keys::ty_lut, keys::tx_lut, keys::th_lut, keys::tw_lut})
      check.oneOf({table}, "a look-up table of deltas");
  return check.declared(shapes);
}

LogicalResult compass::inferProposal(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  // The second score is that of an object.
  if (check.in(0)[2] < 2)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the scores are not those of background and object")
        .found(shapeText(check.in(0)))
        .expected("at least 2 scores for each box")
        .token(shapeText(check.in(0)));
  checkAnchors(check, check.in(0)[1]);
  for (TensorKey key : {keys::xcenter, keys::ycenter, keys::ha, keys::wa})
    check.oneOf({key}, "the anchors");
  checkBoxTables(check);
  if (check.isInteger())
    for (TensorKey table :
         {keys::ty_lut, keys::tx_lut, keys::th_lut, keys::tw_lut})
      check.oneOf({table}, "a look-up table of deltas");
  return check.declared(shapes);
}

LogicalResult compass::inferGenerateProposals(Operation *op,
                                              ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> scores = check.in(0), deltas = check.in(1);
  // A tensor has at most 2^40 elements.
  if (deltas[2] * deltas[3] != 4 * scores[2] * scores[3])
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "there are not four deltas per score")
        .found(shapeText(deltas))
        .expected(shapeText({scores[0], scores[1], scores[2], 4 * scores[3]}))
        .token(shapeText(deltas));
  check.table(keys::wh_lut);
  check.table(keys::xy_lut);
  if (!check.ok())
    return failure();
  int64_t batch = scores[0], kept = check.integerOf(keys::post_nms_topn);
  shapes.push_back({batch, kept});
  shapes.push_back({batch, kept, 4});
  shapes.push_back({batch, kept, 1});
  shapes.push_back({batch, 1});
  return success();
}

LogicalResult compass::inferRefineDetDetection(Operation *op,
                                               ResultShapes &shapes) {
  LayerCheck check(op);
  if (check.in(0).empty())
    return check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the first input has no batch axis")
        .found("[]")
        .expected("[batch, ...]");
  shapes.push_back({check.in(0)[0], check.integerOf(keys::post_nms_topk), 4});
  return success();
}

LogicalResult compass::inferRegion(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> x = check.in(0);
  check.equals(keys::grid_height, x[1], "second axis of the predictions");
  check.equals(keys::grid_width, x[2], "third axis of the predictions");
  check.equals(keys::box_per_grid, x[3], "fourth axis of the predictions");
  check.equals(keys::class_num, x[4] - 5,
               "fifth axis of the predictions without x, y, w, h and "
               "objectness");
  int64_t anchors = 2 * x[3];
  check.count(keys::anchors, size_t(anchors), "width and height of each box");
  check.elements(keys::qanchors_lut, anchors);
  for (TensorKey table : {keys::score_softmax_lut, keys::conf_sigmoid_lut,
                          keys::xy_sigmoid_lut, keys::wh_exp_lut})
    check.table(table);
  if (!check.ok())
    return failure();
  int64_t batch = x[0], classes = x[4] - 5,
          kept = check.integerOf(keys::max_box_num);
  shapes.push_back({batch, kept});
  shapes.push_back({batch, kept, 4});
  shapes.push_back({batch, classes});
  shapes.push_back({batch, classes});
  shapes.push_back({batch, 1});
  return success();
}
