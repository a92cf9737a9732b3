//===- Nms.cpp - Suppression of the boxes of several classes --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A score that is the threshold stays, an overlap that is the threshold does
// not drop a box: "lower than", "high overlap", and what the operators that the
// definitions refer to do.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Suppression.h"
#include <algorithm>
#include <limits>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Shape;
using graph::Tensor;

namespace {
/// The lengths that scores [batch, boxes, classes] and boxes have.
struct BoxLengths {
  std::int64_t images, boxes, classes;
  std::int64_t lists() const { return images * classes; }
};
} // namespace

static bool isWhole(const QnnTensor &tensor) {
  return !tensor.entry().isFixed() && !tensor.entry().isFloat();
}

/// in[1] [images, boxes, classes] as a list for each class.
static Tensor *scoreLists(Formula &f, const BoxLengths &n) {
  return f.reshaped(f.transposed(f.real(1), {0, 2, 1}), {n.lists(), n.boxes});
}

/// in[0], which has the same boxes for all classes, for each of them.
static Tensor *sharedBoxLists(Formula &f, const BoxLengths &n) {
  Tensor *boxes = f.reshaped(f.real(0), {n.images, 1, n.boxes, 4});
  if (n.classes > 1)
    boxes = f.of("Expand",
                 {boxes, f.integers({4}, {n.images, n.classes, n.boxes, 4})});
  return f.reshaped(boxes, {n.lists(), n.boxes, 4});
}

static std::optional<BoxLengths> lengthsOf(Formula &f) {
  OpReader &r = f.r;
  if (!f.expectRank(1, 3, "[batch, num_boxes, num_classes]"))
    return std::nullopt;
  BoxLengths n{r.dims(1)[0], r.dims(1)[1], r.dims(1)[2]};
  if (n.images >= 1 && n.boxes >= 1 && n.classes >= 1)
    return n;
  r.bad("in[1] has no scores", dimsText(r.dims(1)), "lengths of 1 or more");
  return std::nullopt;
}

/// out[0] to out[3]: boxes, scores, classes, and how many of them count.
static void writeBest(Formula &f, const Best &best, Tensor *boxes) {
  f.write(boxes, 0);
  f.write(best.scores, 1);
  f.writeWhole(usedOf(f, best, best.lists, true), 2);
  f.writeWhole(best.counts, 3);
}

static bool expectBest(Formula &f, const BoxLengths &n, std::int64_t rows) {
  return f.expectOutput(0, {n.images, rows, 4}) &&
         f.expectOutput(1, {n.images, rows}) &&
         f.expectOutput(2, {n.images, rows}) && f.expectOutput(3, {n.images});
}

bool qnn::readCombinedNms(OpReader &r) {
  Formula f(r, "nms");
  auto n = lengthsOf(f);
  if (!n || !f.expectDims(0, {n->images, n->boxes, -1, 4}))
    return false;
  std::int64_t groups = r.dims(0)[2];
  if (groups != 1 && groups != n->classes)
    return r.bad("in[0]: the number of boxes does not match the classes",
                 std::to_string(groups), "1 or " + std::to_string(n->classes));
  std::int64_t perClass = r.scalar("max_boxes_per_class"),
               total = r.scalar("max_total_boxes");
  if (perClass < 1 || total < 1)
    return r.refuse("a suppression that keeps no box is not supported",
                    std::to_string(perClass) + " of a class, " +
                        std::to_string(total) + " in all",
                    "1 or more");
  std::int64_t rows =
      r.flag("pad_per_class") ? std::min(perClass * n->classes, total) : total;
  if (!expectBest(f, *n, rows))
    return false;
  Tensor *boxes = groups == 1
                      ? sharedBoxLists(f, *n)
                      : f.reshaped(f.transposed(f.real(0), {0, 2, 1, 3}),
                                   {n->lists(), n->boxes, 4});
  SuppressionLimits limits{.most = std::min(perClass, n->boxes),
                           .leastScore = r.real("score_threshold"),
                           .overlap = r.real("iou_threshold")};
  Best best =
      bestOf(f, suppress(f, boxes, scoreLists(f, *n), n->lists(), limits),
             n->images, rows);
  // Rows of [boxes, groups].
  Tensor *at = best.places;
  if (groups > 1)
    at = f.add(f.multiply(at, f.integer(groups)), best.lists);
  Tensor *found =
      rowsFor(f, best, f.reshaped(f.real(0), {n->images, n->boxes * groups, 4}),
              {n->images, n->boxes * groups, 4}, at, false);
  if (r.flag("clip_boxes"))
    found = f.clipped(found, 0, 1);
  writeBest(f, best, found);
  return true;
}

/// Features in[2..m] go the way of their boxes.
static bool writeFeatures(Formula &f, const BoxLengths &n, const Best &best) {
  OpReader &r = f.r;
  std::size_t features = r.inputs.size() - 2;
  if (r.outputs.size() != features + 4)
    return r.bad("the numbers of features in inputs and outputs differ",
                 std::to_string(r.outputs.size()) + " outputs",
                 std::to_string(features + 4));
  for (std::size_t i = 0; i < features; ++i) {
    const Shape &dims = r.dims(i + 2);
    if (dims.size() < 2 || dims[0] != n.images || dims[1] != n.boxes)
      return r.bad("in[" + std::to_string(i + 2) +
                       "] does not have a row for each box",
                   dimsText(dims), "[batch, num_boxes, ..]");
    bool whole = isWhole(r.inputOf(i + 2));
    Tensor *x = whole ? f.wholeNumbers(i + 2) : f.real(i + 2),
           *rows = rowsFor(f, best, x, dims, best.places, whole);
    if (whole)
      f.writeWhole(rows, i + 4);
    else
      f.write(rows, i + 4);
  }
  return true;
}

bool qnn::readMultiClassNms(OpReader &r) {
  Formula f(r, "nms");
  auto n = lengthsOf(f);
  if (!n || !f.expectDims(0, {n->images, n->boxes, 4}))
    return false;
  if (r.outputDims(1).size() != 2)
    return r.bad("out[1] has a wrong number of axes", dimsText(r.outputDims(1)),
                 "[batch, max_num_boxes]");
  std::int64_t rows = r.outputDims(1)[1];
  if (!expectBest(f, *n, rows))
    return false;
  double sigma = r.real("soft_nms_sigma");
  if (sigma < 0)
    return r.bad("soft_nms_sigma is negative", std::to_string(sigma),
                 "0 or more");
  SuppressionLimits limits{.most = n->boxes,
                           .leastScore = r.real("score_threshold"),
                           .overlap = r.real("iou_threshold"),
                           .method = sigma > 0 ? "GAUSSIAN" : "HARD",
                           .sigma = sigma};
  Best best = bestOf(
      f,
      suppress(f, sharedBoxLists(f, *n), scoreLists(f, *n), n->lists(), limits),
      n->images, rows);
  writeBest(f, best,
            rowsFor(f, best, f.real(0), {n->images, n->boxes, 4}, best.places,
                    false));
  return writeFeatures(f, *n, best);
}

/// [batch, class, box] of all that lists keep, list by list; a list that keeps
/// less leaves a gap.
static Tensor *triplesOf(Formula &f, const Suppressed &kept,
                         std::int64_t classes) {
  std::vector<std::int64_t> names;
  for (std::int64_t list = 0; list < kept.lists; ++list)
    for (std::int64_t i = 0; i < kept.most; ++i) {
      names.push_back(list / classes);
      names.push_back(list % classes);
    }
  std::int64_t rows = kept.lists * kept.most;
  return f.joined(
      {f.integers({rows, 2}, names), f.reshaped(kept.places, {rows, 1})}, 1);
}

/// Boxes that lists keep stand without gaps, then the row of the least score,
/// and the first box of the first class where nothing is kept.
bool qnn::readNonMaxSuppression(OpReader &r) {
  Formula f(r, "nms");
  if (!f.expectRank(1, 3, "[batch, num_classes, num_boxes]"))
    return false;
  BoxLengths n{r.dims(1)[0], r.dims(1)[2], r.dims(1)[1]};
  std::int64_t most = std::min(r.scalar("max_boxes_selected"), n.boxes),
               rows = n.lists() * most;
  if (rows < 1)
    return r.refuse("a suppression that keeps no box is not supported",
                    "max_boxes_selected of " + std::to_string(most),
                    "1 or more");
  if (!f.expectDims(0, {n.images, n.boxes, 4}) ||
      !f.expectOutput(0, {rows, 3}) || !f.expectOutput(1, {n.images}))
    return false;
  Suppressed kept =
      suppress(f, sharedBoxLists(f, n),
               f.reshaped(f.real(1), {n.lists(), n.boxes}), n.lists(),
               {.most = most,
                .leastScore = r.real("score_threshold"),
                .overlap = r.real("iou_threshold")});
  Tensor *isThere =
      f.reshaped(f.of("Less", {f.counting(most, 2, 1),
                               f.reshaped(kept.counts, {n.lists(), 1})}),
                 {rows});
  std::vector<Tensor *> filtered = f.severalOf(
      kDomain, "Filter", {triplesOf(f, kept, n.classes), isThere}, 2);
  // The first of the least scores; 0 of none, a row of zeros then.
  Tensor *scores =
             f.chosen(isThere, f.reshaped(kept.scores, {rows}),
                      f.number(double(std::numeric_limits<float>::max()))),
         *least = f.of("ArgMin", {f.reshaped(scores, {1, rows})},
                       {{"axis", Attribute::of(std::int64_t(1))},
                        {"keepdims", Attribute::of(std::int64_t(0))}});
  Tensor *last =
      f.multiply(f.gathered(triplesOf(f, kept, n.classes), least, 0),
                 f.reshaped(f.of("Min", {filtered[1], f.integer(1)}), {1, 1}));
  Tensor *isUsed =
      f.of("Less", {f.counting(rows, 2, 0), f.reshaped(filtered[1], {1, 1})});
  f.writeWhole(f.chosen(isUsed, filtered[0], last), 0);
  f.writeWhole(
      f.sum(f.reshaped(kept.counts, {n.images, n.classes}), {1}, false), 1);
  return true;
}
