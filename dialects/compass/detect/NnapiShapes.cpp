//===- NnapiShapes.cpp - Shapes of layers about boxes of NNAPI ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/CountedTensors.h"
#include "dialects/compass/detect/DetectShapes.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// Kernels count elements in 32 bits.
constexpr int64_t kMostRows = int64_t(1) << 28;

/// \p length of an input is \p expected.
static void checkLength(LayerCheck &check, unsigned input, int64_t length,
                        int64_t expected, const Twine &what) {
  if (length != expected)
    check.problem(diag::OpShape, "layer_bottom_shape", what)
        .found(shapeText(check.in(input)))
        .expected(Twine(expected))
        .token(shapeText(check.in(input)));
}

static void checkClasses(LayerCheck &check, int64_t classes) {
  if (classes < 2)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "there is no class except the background")
        .found(shapeText(check.in(0)))
        .expected("at least 2 classes");
}

static void checkRows(LayerCheck &check, int64_t rows) {
  if (rows < 1 || rows > kMostRows)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the lists of boxes are empty or too long")
        .found(Twine(rows))
        .expected("1 to " + Twine(kMostRows) + " boxes of all classes");
}

LogicalResult compass::inferBoxTransform(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> deltas = check.in(1);
  checkCounted(check, 1);
  if (!check.ok())
    return failure();
  if (deltas[1] % 4 != 0)
    checkLength(check, 1, deltas[1], deltas[1] / 4 * 4 + 4,
                "there are not four deltas per class");
  checkRows(check, deltas[0] * deltas[1] / 4);
  if (!check.ok())
    return failure();
  shapes.emplace_back(deltas);
  return success();
}

LogicalResult compass::inferLimitedNMS(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  int64_t boxes = check.in(0)[0], classes = check.in(0)[1];
  checkClasses(check, classes);
  checkCounted(check, 0);
  if (!check.ok())
    return failure();
  checkLength(check, 1, check.in(1)[1], 4 * classes,
              "there is not one box per class");
  checkRows(check, boxes * (classes - 1));
  if (!check.ok())
    return failure();
  // Every box may be an image of its own.
  int64_t most = check.integerOf(keys::max_output_size),
          perBox = most < 0 ? classes - 1 : std::min(most, classes - 1),
          rows = std::max<int64_t>(boxes * perBox, 1);
  shapes.push_back({rows});
  shapes.push_back({rows, 4});
  shapes.push_back({rows});
  shapes.push_back({rows});
  shapes.push_back({1});
  return success();
}

LogicalResult compass::inferBoxProposals(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> scores = check.in(0);
  checkCounted(check, 0);
  if (!check.ok())
    return failure();
  checkLength(check, 1, check.in(1)[3], 4 * scores[3],
              "there are not four deltas per anchor");
  checkRows(check, product(scores));
  if (!check.ok())
    return failure();
  int64_t perImage = scores[1] * scores[2] * scores[3];
  for (IntKey key : {keys::pre_nms_topn, keys::post_nms_topn})
    if (int64_t most = check.integerOf(key); most > 0)
      perImage = std::min(perImage, most);
  int64_t rows = scores[0] * perImage;
  shapes.push_back({rows});
  shapes.push_back({rows, 4});
  shapes.push_back({rows});
  shapes.push_back({1});
  return success();
}

LogicalResult compass::inferDetectionPostProcess(Operation *op,
                                                 ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> scores = check.in(0), deltas = check.in(1);
  checkClasses(check, scores[2]);
  checkCounted(check, 0);
  checkCounted(check, 1);
  if (deltas[2] < 4)
    checkLength(check, 1, deltas[2], 4, "there are not four deltas per box");
  check.count(keys::variance, 4, "y, x, h and w");
  if (check.ok())
    checkRows(check, product(scores));
  if (!check.ok())
    return failure();
  int64_t rows = check.integerOf(keys::max_output_size);
  shapes.push_back({scores[0], rows});
  shapes.push_back({scores[0], rows, 4});
  shapes.push_back({scores[0], rows});
  shapes.push_back({scores[0]});
  return success();
}

LogicalResult compass::inferHeatmapMaxKeypoint(Operation *op,
                                               ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> maps = check.in(0);
  if (maps[1] < 2)
    checkLength(check, 0, maps[1], 2, "the heatmaps have a single cell");
  // The kernel counts heatmaps (boxes * maps) and the cells of one (size *
  // size) in 32 bits: both divide the number of elements.
  checkCounted(check, 0);
  if (!check.ok())
    return failure();
  shapes.push_back({maps[0], maps[3]});
  shapes.push_back({maps[0], maps[3], 2});
  return success();
}
