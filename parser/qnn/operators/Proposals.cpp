//===- Proposals.cpp - Regions that may hold an object --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lists are as long as the file says; rows behind what they hold are 0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Shape;
using graph::Tensor;

/// Deltas of sizes, no greater than ln(1000 / 16).
static Tensor *clippedDeltas(Formula &f, const Shape &dims) {
  const double most = std::log(1000.0 / 16.0);
  constexpr float kAny = std::numeric_limits<float>::max();
  std::vector<float> bounds;
  for (std::int64_t i = 0; i < dims[3]; ++i)
    bounds.push_back(i % 4 < 2 ? kAny : float(most));
  return f.of("Min", {f.real(1), f.numbers({1, 1, 1, dims[3]}, bounds)});
}

/// The parameter, or 0 where it is not stated; nullopt after reporting one that
/// leaves no box.
static std::optional<std::int64_t> limitOf(OpReader &r, const char *param) {
  if (!r.states(param))
    return 0;
  std::int64_t limit = r.scalar(param);
  if (limit >= 1)
    return limit;
  r.refuse(std::string(param) + " keeps no box", std::to_string(limit),
           "1 or more");
  return std::nullopt;
}

bool qnn::readGenerateProposals(OpReader &r) {
  Formula f(r, "proposals");
  if (!f.expectRank(0, 4, "[batch,height,width,num_anchors]"))
    return false;
  const Shape &scores = r.dims(0);
  if (!f.expectDims(1, {scores[0], scores[1], scores[2], scores[3] * 4}) ||
      !f.expectDims(2, {scores[3], 4}) || !f.expectDims(3, {scores[0], 2}))
    return false;
  auto before = limitOf(r, "pre_nms_limit"),
       after = before ? limitOf(r, "post_nms_limit") : std::nullopt;
  if (!after)
    return false;
  std::vector<double> ratio = r.reals("img_size_ratio");
  for (double length : ratio)
    if (!(length > 0))
      return r.bad("img_size_ratio is not positive", std::to_string(length),
                   "numbers above 0");
  if (r.outputDims(0).size() != 1)
    return r.bad("out[0] has a wrong number of axes", dimsText(r.outputDims(0)),
                 "[num_boxes]");
  std::int64_t rows = r.outputDims(0)[0];
  if (!f.expectOutput(1, {rows, 4}) || !f.expectOutput(2, {rows}))
    return false;
  std::vector<Tensor *> results = f.severalOf(
      kNnapiDomain, "GenerateProposals",
      {f.real(0),
       r.flag("bbox_xform_clip") ? clippedDeltas(f, r.dims(1)) : f.real(1),
       f.real(2), f.real(3)},
      4,
      {{"scale_h", Attribute::of(float(ratio[0]))},
       {"scale_w", Attribute::of(float(ratio[1]))},
       {"iou_threshold", Attribute::of(float(r.real("iou_threshold")))},
       {"min_size", Attribute::of(float(r.real("min_size")))},
       {"pre_nms_top_n", Attribute::of(*before)},
       {"post_nms_top_n", Attribute::of(*after)}});
  std::int64_t perImage = scores[1] * scores[2] * scores[3];
  for (std::int64_t limit : {*before, *after})
    if (limit > 0)
      perImage = std::min(perImage, limit);
  std::int64_t found = scores[0] * perImage;
  f.write(f.rowsOf(results[0], {found}, 0, rows, false), 0);
  f.write(f.rowsOf(results[1], {found, 4}, 0, rows, false), 1);
  f.writeWhole(f.rowsOf(results[2], {found}, 0, rows, true), 2);
  return true;
}

/// Of equal scores the box of the first level, and there the first one.
bool qnn::readCollectRpnProposals(OpReader &r) {
  constexpr std::size_t kScores = 5;
  Formula f(r, "proposals");
  std::int64_t levels =
      r.scalar("rpn_max_level") - r.scalar("rpn_min_level") + 1;
  std::vector<Tensor *> boxes, scores;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < kScores; ++i) {
    bool isLevel = std::int64_t(i) < levels;
    for (std::size_t input : {i, i + kScores})
      if (r.has(input) != isLevel)
        return r.bad(
            "in[" + std::to_string(input) + "] " +
                (isLevel ? "is left out" : "does not belong to a level"),
            std::to_string(levels) + " levels",
            "boxes and scores of each level");
    if (!isLevel)
      continue;
    if (!f.expectDims(i, {-1, 5}) || !f.expectDims(i + kScores, {r.dims(i)[0]}))
      return false;
    total += r.dims(i)[0];
    boxes.push_back(f.real(i));
    scores.push_back(f.real(i + kScores));
  }
  std::int64_t rows = std::min(total, r.scalar("post_nms_top"));
  if (rows < 1)
    return r.refuse("a result without boxes is not supported",
                    std::to_string(rows), "1 or more");
  if (!f.expectOutput(0, {rows, 5}))
    return false;
  std::vector<Tensor *> top =
      f.severalOf("", "TopK", {f.joined(scores, 0), f.integers({1}, {rows})}, 2,
                  {{"axis", Attribute::of(std::int64_t(0))}});
  f.write(f.gathered(f.joined(boxes, 0), top[1], 0), 0);
  return true;
}

namespace {

/// Boxes by their size: level k0 + log2(sqrt(area) / scale), rounded down and
/// moved to the nearest one that there is.
class Levels {
public:
  explicit Levels(OpReader &r) : f(r, "levels"), r(r) {}
  bool readForm();
  void write();

private:
  /// [boxes, 1]
  Tensor *levelOf(Tensor *width, Tensor *height);

  Formula f;
  OpReader &r;
  std::int64_t boxes = 0, columns = 0, levels = 0;
  std::vector<std::int64_t> rows; ///< Of each level's output.
};

} // namespace

bool Levels::readForm() {
  if (!f.expectRank(0, 2, "[num_proposals, 5] or [num_proposals, 4]"))
    return false;
  boxes = r.dims(0)[0], columns = r.dims(0)[1];
  if (boxes < 1 || (columns != 4 && columns != 5))
    return r.bad("in[0] is not a list of boxes", dimsText(r.dims(0)),
                 "[num_proposals, 5] or [num_proposals, 4]");
  if (r.scalar("roi_canonical_scale") < 1)
    return r.bad("roi_canonical_scale is out of range", "0", "1 or more");
  levels = r.scalar("roi_max_level") - r.scalar("roi_min_level") + 1;
  if (!f.expectOutput(0, {boxes}))
    return false;
  for (std::int64_t i = 0; i < levels; ++i) {
    std::size_t output = std::size_t(i) + 1;
    if (!r.output(output))
      return r.bad("out[" + std::to_string(output) + "] is left out",
                   std::to_string(levels) + " levels",
                   "an output for each level");
    if (!f.expectOutput(output, {-1, columns}))
      return false;
    rows.push_back(r.outputDims(output)[0]);
    if (rows.back() < 1 || rows.back() > boxes)
      return r.refuse("this many boxes of a level are not supported",
                      std::to_string(rows.back()),
                      "1 to " + std::to_string(boxes));
  }
  return true;
}

Tensor *Levels::levelOf(Tensor *width, Tensor *height) {
  Tensor *area = f.multiply(width, height), *level = nullptr;
  double scale = double(r.scalar("roi_canonical_scale"));
  for (std::int64_t i = 1; i < levels; ++i) {
    // A level begins where sqrt(area) is scale * 2^(level - k0).
    double side = std::ldexp(scale, int(r.scalar("roi_min_level") + i -
                                        r.scalar("roi_canonical_level")));
    Tensor *isHigher =
        f.cast(f.of("GreaterOrEqual", {area, f.number(side * side)}),
               ElementType::I32);
    level = level ? f.add(level, isHigher) : isHigher;
  }
  return level ? level
               : f.integers({boxes, 1},
                            std::vector<std::int64_t>(std::size_t(boxes), 0));
}

void Levels::write() {
  std::vector<Tensor *> side =
      f.split(columns == 5 ? f.sliced(f.real(0), 1, 1, 5) : f.real(0), 4, 1);
  Tensor *width = f.subtract(side[2], side[0]),
         *height = f.subtract(side[3], side[1]), *zero = f.number(0);
  Tensor *isBox = f.of("Not", {f.of("And", {f.of("Equal", {width, zero}),
                                            f.of("Equal", {height, zero})})});
  Tensor *isOf = f.cast(f.of("And", {f.of("Equal", {levelOf(width, height),
                                                    f.counting(levels, 2, 1)}),
                                     isBox}),
                        ElementType::I32); // [boxes, levels]
  std::vector<std::int64_t> starts = {0};
  for (std::int64_t count : rows)
    starts.push_back(starts.back() + count);
  starts.pop_back();
  Tensor *places = f.add(f.of("CumSum", {isOf, f.integer(0)},
                              {{"exclusive", Attribute::of(std::int64_t(1))}}),
                         f.integers({1, levels}, starts));
  Tensor *restore = f.sum(f.multiply(isOf, places), {1}, false);
  f.writeWhole(f.chosen(f.reshaped(isBox, {boxes}), restore, f.integer(-1)), 0);
  std::vector<Tensor *> ofLevel = f.split(isOf, std::size_t(levels), 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Tensor *> filtered = f.severalOf(
        kDomain, "Filter", {f.real(0), f.reshaped(ofLevel[i], {boxes})}, 2);
    f.write(f.rowsOf(filtered[0], {boxes, columns}, 0, rows[i], false), i + 1);
  }
}

bool qnn::readDistributeFpnProposals(OpReader &r) {
  Levels levels(r);
  if (!levels.readForm())
    return false;
  levels.write();
  return true;
}
