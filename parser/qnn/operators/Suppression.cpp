//===- Suppression.cpp - Non-maximum suppression of QNN's boxes -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Suppression.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Shape;
using graph::Tensor;

double qnn::below(double bound) {
  return double(
      std::nextafter(float(bound), -std::numeric_limits<float>::infinity()));
}

Tensor *qnn::noScore(Formula &f) {
  return f.number(double(std::numeric_limits<float>::lowest()));
}

Suppressed qnn::suppress(Formula &f, Tensor *boxes, Tensor *scores,
                         std::int64_t lists, const SuppressionLimits &limits) {
  std::vector<Tensor *> results = f.severalOf(
      kDomain, "Suppression", {boxes, scores}, 3,
      {{"method", Attribute::of(limits.method)},
       {"most", Attribute::of(limits.most)},
       {"iou_threshold", Attribute::of(float(limits.overlap))},
       {"score_threshold", Attribute::of(float(below(limits.leastScore)))},
       {"sigma", Attribute::of(float(limits.sigma))}});
  return {results[0], results[1], results[2], lists, limits.most};
}

Best qnn::bestOf(Formula &f, const Suppressed &kept, std::int64_t images,
                 std::int64_t rows) {
  std::int64_t perImage = kept.lists / images, entries = perImage * kept.most;
  Tensor *isThere = f.of("Less", {f.counting(kept.most, 2, 1),
                                  f.reshaped(kept.counts, {kept.lists, 1})});
  Tensor *values =
      f.reshaped(f.chosen(isThere, kept.scores, noScore(f)), {images, entries});
  Tensor *counts =
      f.sum(f.reshaped(kept.counts, {images, perImage}), {1}, false);
  Best best = greatestOf(f, values, counts, images, entries, rows);
  Tensor *at = best.places;
  best.lists = f.of("Div", {at, f.integer(kept.most)});
  best.places =
      f.of("GatherElements", {f.reshaped(kept.places, {images, entries}), at},
           {{"axis", Attribute::of(std::int64_t(1))}});
  return best;
}

Best qnn::greatestOf(Formula &f, Tensor *values, Tensor *counts,
                     std::int64_t images, std::int64_t entries,
                     std::int64_t rows) {
  std::int64_t taken = std::min(rows, entries);
  std::vector<Tensor *> top =
      f.severalOf("", "TopK", {values, f.integers({1}, {taken})}, 2,
                  {{"axis", Attribute::of(std::int64_t(1))}});
  Best best;
  best.images = images, best.rows = rows;
  best.counts = f.of("Min", {counts, f.integer(taken)});
  best.isUsed = f.of(
      "Less", {f.counting(rows, 2, 1), f.reshaped(best.counts, {images, 1})});
  best.scores =
      usedOf(f, best, f.rowsOf(top[0], {images, taken}, 1, rows, false), false);
  best.places = f.rowsOf(top[1], {images, taken}, 1, rows, true);
  return best;
}

Tensor *qnn::usedOf(Formula &f, const Best &best, Tensor *x, bool isWhole) {
  return f.chosen(best.isUsed, x, isWhole ? f.integer(0) : f.number(0));
}

Tensor *qnn::rowsFor(Formula &f, const Best &best, Tensor *x, Shape shape,
                     Tensor *places, bool isWhole) {
  std::int64_t boxes = shape[1],
               length = graph::numElements(shape) / (best.images * boxes);
  std::vector<std::int64_t> starts;
  for (std::int64_t n = 0; n < best.images; ++n)
    starts.push_back(n * boxes);
  Tensor *at = f.add(places, f.integers({best.images, 1}, starts));
  Tensor *rows =
      f.gathered(f.reshaped(x, {best.images * boxes, length}), at, 0);
  Tensor *isUsed = f.reshaped(best.isUsed, {best.images, best.rows, 1});
  rows = f.chosen(isUsed, rows, isWhole ? f.integer(0) : f.number(0));
  shape[1] = best.rows;
  return f.reshaped(rows, shape);
}
