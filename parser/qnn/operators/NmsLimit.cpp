//===- NmsLimit.cpp - BoxWithNmsLimit -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Boxes that overlap as much as the threshold, or more, are compared: "IoU <
// threshold" keeps a score. All classes count; results stand image by image,
// class by class, by falling score. More of them than the file has rows for are
// cut off, rows behind them hold 0.
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

/// What is kept, in rows: those that are used first.
struct Rows {
  Tensor *boxes = nullptr, *scores = nullptr;   ///< [rows, 4], [rows]
  Tensor *classes = nullptr, *images = nullptr; ///< [rows]
  Tensor *places = nullptr;                     ///< [rows], or null.
  Tensor *count = nullptr;                      ///< [1]
  std::int64_t rows = 0;
};

class NmsLimit {
public:
  explicit NmsLimit(OpReader &r) : f(r, "limit"), r(r) {}
  bool read();

private:
  bool readForm();
  std::optional<std::int64_t> numImages();
  Rows anyImages();
  std::optional<Rows> knownImages(std::int64_t images);
  Tensor *scoreLists(std::int64_t images);
  void write(const Rows &rows);
  Tensor *countsOf(Tensor *numbers, std::int64_t length);

  Formula f;
  OpReader &r;
  std::int64_t boxes = 0, classes = 0, rows = 0;
  std::string method;
};

} // namespace

bool NmsLimit::readForm() {
  static constexpr const char *kMethods[] = {"HARD", "LINEAR", "GAUSSIAN"};
  method = kMethods[r.scalar("nms_kernel_method")];
  if (!f.expectRank(1, 2, "[num_rois, num_classes]"))
    return false;
  boxes = r.dims(1)[0], classes = r.dims(1)[1];
  if (boxes < 1 || classes < 1)
    return r.bad("in[1] has no scores", dimsText(r.dims(1)),
                 "lengths of 1 or more");
  if (!f.expectDims(0, {boxes, classes * 4}) || !f.expectDims(2, {boxes}))
    return false;
  if (method == "GAUSSIAN" && !(r.real("sigma") > 0))
    return r.bad("sigma is not positive", std::to_string(r.real("sigma")),
                 "a number above 0");
  if (r.outputDims(1).size() != 1 || r.outputDims(1)[0] < 1)
    return r.bad("out[1] is not a list", dimsText(r.outputDims(1)),
                 "[num_output_rois]");
  rows = r.outputDims(1)[0];
  return f.expectOutput(0, {rows, 4}) && f.expectOutput(2, {rows}) &&
         f.expectOutput(3, {rows}) && f.expectOutput(5, {rows}) &&
         f.expectOutput(6, {classes}) &&
         (!r.output(4) || f.expectOutput(4, {-1}));
}

/// As many as there may be: neighbours with one number are an image's.
Rows NmsLimit::anyImages() {
  // The layer leaves class 0 out, which is the background elsewhere.
  auto padded = [&](std::size_t i, std::int64_t columns) {
    std::vector<float> zeros(std::size_t(boxes * columns), 0);
    return f.joined({f.numbers({boxes, columns}, zeros), f.real(i)}, 1);
  };
  std::vector<Tensor *> kept = f.severalOf(
      kNnapiDomain, "BoxWithNmsLimit", {padded(1, 1), padded(0, 4), r.input(2)},
      5,
      {{"method", Attribute::of(method)},
       {"score_threshold", Attribute::of(float(r.real("score_threshold")))},
       {"iou_threshold", Attribute::of(float(r.real("iou_threshold")))},
       {"sigma", Attribute::of(float(r.real("sigma")))},
       {"nms_score_threshold",
        Attribute::of(float(r.real("nms_score_threshold")))},
       {"max_boxes", Attribute::of(std::int64_t(-1))}});
  Rows all{.boxes = kept[1],
           .scores = kept[0],
           .classes = kept[2],
           .images = kept[3],
           .count = kept[4],
           .rows = boxes * classes};
  // Rows that are not used have no class either.
  all.classes =
      f.of("Max", {f.subtract(all.classes, f.integer(1)), f.integer(0)});
  return all;
}

/// How many there are, where the file says so.
std::optional<std::int64_t> NmsLimit::numImages() {
  if (r.has(3))
    return r.dims(3)[0];
  if (r.output(4))
    return r.outputDims(4)[0];
  if (r.input(2)->constant) {
    std::vector<std::int64_t> numbers = r.input(2)->constant->integers();
    return std::max<std::int64_t>(*std::ranges::max_element(numbers), 0) + 1;
  }
  r.refuse("indices of the kept boxes, or a limit before the suppression, need "
           "a known number of images",
           "in[2] that is computed", "in[3], out[4] or a static in[2]");
  return std::nullopt;
}

/// [images, classes * boxes]: scores of an image's own boxes that are enough,
/// and of those the best pre_nms_limit; others have none.
Tensor *NmsLimit::scoreLists(std::int64_t images) {
  Tensor *scores =
      f.reshaped(f.transposed(f.real(1), {1, 0}), {1, classes, boxes});
  Tensor *isOf = f.of("Equal", {f.reshaped(r.input(2), {1, 1, boxes}),
                                f.counting(images, 3, 0)}),
         *isEnough = f.of("Greater",
                          {scores, f.number(below(r.real("score_threshold")))});
  scores =
      f.reshaped(f.chosen(f.of("And", {isOf, isEnough}), scores, noScore(f)),
                 {images, classes * boxes});
  std::int64_t limit = r.scalar("pre_nms_limit"), all = classes * boxes;
  if (limit < 0 || limit >= all)
    return scores;
  std::vector<Tensor *> top =
      f.severalOf("", "TopK", {scores, f.integers({1}, {limit})}, 2,
                  {{"axis", Attribute::of(std::int64_t(1))}});
  std::vector<float> none(std::size_t(images * all),
                          std::numeric_limits<float>::lowest());
  return f.of("ScatterElements",
              {f.numbers({images, all}, none), top[1], top[0]},
              {{"axis", Attribute::of(std::int64_t(1))}});
}

/// A list for each class of each image, of all boxes.
std::optional<Rows> NmsLimit::knownImages(std::int64_t images) {
  double first = r.real("score_threshold"),
         later = r.real("nms_score_threshold");
  bool isSoft = method != "HARD";
  if (isSoft && later > first) {
    r.refuse("a threshold of lowered scores above the first threshold is not "
             "supported with indices of the kept boxes or a limit before the "
             "suppression",
             std::to_string(later), std::to_string(first) + " or less");
    return std::nullopt;
  }
  std::int64_t lists = images * classes;
  Tensor *ofClasses = f.reshaped(
      f.transposed(f.reshaped(f.real(0), {boxes, classes, 4}), {1, 0, 2}),
      {1, classes, boxes, 4});
  if (images > 1)
    ofClasses = f.of("Expand",
                     {ofClasses, f.integers({4}, {images, classes, boxes, 4})});
  Suppressed kept =
      suppress(f, f.reshaped(ofClasses, {lists, boxes, 4}),
               f.reshaped(scoreLists(images), {lists, boxes}), lists,
               {.most = boxes,
                .leastScore = isSoft ? later : first,
                .overlap = below(r.real("iou_threshold")),
                .method = method,
                .sigma = r.real("sigma") / 2});
  std::vector<std::int64_t> names;
  std::int64_t total = lists * boxes;
  for (std::int64_t i = 0; i < total; ++i) {
    names.push_back(i / boxes % classes);
    names.push_back(i / boxes / classes);
  }
  Tensor *places = f.reshaped(kept.places, {total, 1}),
         *name = f.integers({total, 2}, names);
  Tensor *isThere =
      f.reshaped(f.of("Less", {f.counting(boxes, 2, 1),
                               f.reshaped(kept.counts, {lists, 1})}),
                 {total});
  std::vector<Tensor *> numbers =
      f.severalOf(kDomain, "Filter", {f.joined({name, places}, 1), isThere}, 2);
  std::vector<Tensor *> scores = f.severalOf(
      kDomain, "Filter", {f.reshaped(kept.scores, {total, 1}), isThere}, 2);
  std::vector<Tensor *> columns = f.split(numbers[0], 3, 1);
  Rows all{.classes = f.reshaped(columns[0], {total}),
           .images = f.reshaped(columns[1], {total}),
           .places = f.reshaped(columns[2], {total}),
           .count = numbers[1],
           .rows = total};
  all.scores = f.reshaped(scores[0], {total});
  Tensor *at = f.add(f.multiply(all.places, f.integer(classes)), all.classes);
  all.boxes = f.gathered(f.reshaped(f.real(0), {boxes * classes, 4}), at, 0);
  return all;
}

/// How many of the rows that are used have each number.
Tensor *NmsLimit::countsOf(Tensor *numbers, std::int64_t length) {
  Tensor *isOf =
      f.of("Equal", {f.reshaped(numbers, {1, rows}), f.counting(length, 2, 0)});
  return f.sum(f.cast(isOf, ElementType::I32), {1}, false);
}

void NmsLimit::write(const Rows &all) {
  Tensor *isUsed = f.of("Less", {f.counting(rows, 1, 0), all.count});
  auto whole = [&](Tensor *x, std::int64_t unused) {
    return f.chosen(isUsed, f.rowsOf(x, {all.rows}, 0, rows, true),
                    f.integer(unused));
  };
  Tensor *found = f.rowsOf(all.boxes, {all.rows, 4}, 0, rows, false);
  f.write(f.chosen(f.reshaped(isUsed, {rows, 1}), found, f.number(0)), 0);
  f.write(f.rowsOf(all.scores, {all.rows}, 0, rows, false), 1);
  f.writeWhole(whole(all.classes, 0), 2);
  f.writeWhole(whole(all.images, 0), 3);
  if (r.output(4))
    f.writeWhole(countsOf(whole(all.images, -1), r.outputDims(4)[0]), 4);
  if (r.output(5))
    f.writeWhole(whole(all.places, 0), 5);
  if (r.output(6))
    f.writeWhole(countsOf(whole(all.classes, -1), classes), 6);
}

bool NmsLimit::read() {
  if (!readForm())
    return false;
  std::int64_t limit = r.scalar("pre_nms_limit");
  if (limit == 0)
    return r.refuse("a suppression that keeps no box is not supported",
                    "pre_nms_limit of 0", "1 or more, or a negative number");
  if (!r.output(5) && limit < 0) {
    write(anyImages());
    return true;
  }
  auto images = numImages();
  auto all = images ? knownImages(*images) : std::nullopt;
  if (all)
    write(*all);
  return all.has_value();
}

bool qnn::readBoxWithNmsLimit(OpReader &r) { return NmsLimit(r).read(); }
