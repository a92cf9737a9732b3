//===- BoxTransforms.cpp - Boxes moved by deltas, and keypoints -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Tensor;

/// What weights are is not told: deltas are divided by them, as the training
/// frameworks that have them do (10, 10, 5, 5).
static std::optional<std::vector<float>> inverseWeights(OpReader &r) {
  std::vector<float> inverse;
  for (double weight : r.reals("weights")) {
    if (!(weight > 0)) {
      r.bad("a weight is not positive", std::to_string(weight),
            "numbers above 0");
      return std::nullopt;
    }
    inverse.push_back(float(1 / weight));
  }
  return inverse;
}

/// How many of the boxes are of each image.
static Tensor *boxesOfImages(Formula &f, Tensor *images, std::int64_t boxes,
                             std::int64_t count) {
  Tensor *isOf =
      f.of("Equal", {f.reshaped(images, {1, boxes}), f.counting(count, 2, 0)});
  return f.sum(f.cast(isOf, ElementType::I32), {1}, false);
}

bool qnn::readAxisAlignedBboxTransform(OpReader &r) {
  Formula f(r, "boxes");
  if (!f.expectRank(1, 2, "[num_rois, num_classes * 4]") ||
      !f.expectRank(3, 2, "[batches, 2]"))
    return false;
  std::int64_t boxes = r.dims(1)[0], values = r.dims(1)[1],
               images = r.dims(3)[0];
  if (values < 4 || values % 4 != 0)
    return r.bad("in[1]: there are not four deltas for each class",
                 dimsText(r.dims(1)), "[num_rois, num_classes * 4]");
  if (!f.expectDims(0, {boxes, 4}) || !f.expectDims(2, {boxes}) ||
      !f.expectDims(3, {images, 2}) || !f.expectOutput(1, {images}))
    return false;
  auto inverse = inverseWeights(r);
  if (!inverse)
    return false;
  Tensor *deltas = f.real(1);
  if (*inverse != std::vector<float>(4, 1)) {
    std::vector<float> ofClasses;
    for (std::int64_t i = 0; i < values; ++i)
      ofClasses.push_back((*inverse)[std::size_t(i % 4)]);
    deltas = f.multiply(deltas, f.numbers({1, values}, ofClasses));
  }
  f.write(f.severalOf(kNnapiDomain, "BoxTransform",
                      {f.real(0), deltas, r.input(2), f.real(3)}, 1)
              .front(),
          0);
  if (r.output(1))
    f.writeWhole(boxesOfImages(f, r.input(2), boxes, images), 1);
  return true;
}

namespace {

/// Rotated boxes: centre, size, angle.
class RotatedBoxes {
public:
  explicit RotatedBoxes(OpReader &r) : f(r, "boxes"), r(r) {}
  bool readForm();
  bool write();

private:
  /// Both sides of a coordinate's centre, moved and clipped to \p most.
  void place(Tensor *&centre, Tensor *&size, Tensor *most);
  Tensor *angle(Tensor *given, Tensor *delta);

  Formula f;
  OpReader &r;
  std::int64_t boxes = 0, classes = 0, images = 0;
};

} // namespace

bool RotatedBoxes::readForm() {
  if (!f.expectRank(1, 2, "[num_rois, num_classes * 5]") ||
      !f.expectRank(2, 2, "[batches, 3]"))
    return false;
  boxes = r.dims(1)[0], classes = r.dims(1)[1] / 5, images = r.dims(2)[0];
  if (classes < 1 || r.dims(1)[1] % 5 != 0)
    return r.bad("in[1]: there are not five deltas for each class",
                 dimsText(r.dims(1)), "[num_rois, num_classes * 5]");
  return f.expectDims(0, {boxes, 5}) && f.expectDims(2, {images, 3}) &&
         f.expectDims(3, {boxes}) && f.expectOutput(1, {images});
}

void RotatedBoxes::place(Tensor *&centre, Tensor *&size, Tensor *most) {
  Tensor *half = f.multiply(size, f.number(0.5));
  auto within = [&](Tensor *x) {
    return f.of("Min", {f.of("Max", {x, f.number(0)}), most});
  };
  Tensor *low = within(f.subtract(centre, half)),
         *high = within(f.add(centre, half));
  centre = f.multiply(f.add(low, high), f.number(0.5));
  size = f.subtract(high, low);
}

Tensor *RotatedBoxes::angle(Tensor *given, Tensor *delta) {
  Tensor *result = f.add(given, delta);
  if (r.states("angle_bounds")) {
    std::vector<std::int64_t> bounds = r.integers("angle_bounds");
    result = f.clipped(result, double(bounds[0]), double(bounds[1]));
  }
  double least = r.real("angle_clip_threshold");
  if (least < 0)
    return result;
  return f.chosen(f.of("Less", {result, f.number(least)}), f.number(0), result);
}

bool RotatedBoxes::write() {
  auto inverse = inverseWeights(r);
  if (!inverse)
    return false;
  std::vector<Tensor *> box =
      f.split(f.reshaped(f.real(0), {boxes, 1, 5}), 5, 2);
  std::vector<Tensor *> delta =
      f.split(f.reshaped(f.real(1), {boxes, classes, 5}), 5, 2);
  for (std::size_t i = 0; i < 4; ++i)
    if ((*inverse)[i] != 1)
      delta[i] = f.multiply(delta[i], f.number(double((*inverse)[i])));
  // Numbers of images that are none are the nearest one's.
  Tensor *image =
      r.has(3) ? f.wholeNumbers(3)
               : f.integers({boxes},
                            std::vector<std::int64_t>(std::size_t(boxes), 0));
  image =
      f.of("Max", {f.of("Min", {image, f.integer(images - 1)}), f.integer(0)});
  std::vector<Tensor *> info =
      f.split(f.reshaped(f.gathered(f.real(2), image, 0), {boxes, 1, 3}), 3, 2);

  std::vector<Tensor *> result(5);
  for (std::size_t axis : {0, 1}) {
    Tensor *size = box[axis + 2];
    result[axis] = f.add(box[axis], f.multiply(delta[axis], size));
    result[axis + 2] = f.multiply(f.of("Exp", {delta[axis + 2]}), size);
    place(result[axis], result[axis + 2], info[1 - axis]);
  }
  if (r.flag("apply_scale"))
    for (std::size_t i = 0; i < 4; ++i)
      result[i] = f.multiply(result[i], info[2]);
  result[4] = angle(box[4], delta[4]);
  f.write(f.reshaped(f.joined(result, 2), {boxes, classes * 5}), 0);
  f.writeWhole(boxesOfImages(f, image, boxes, images), 1);
  return true;
}

/// "Limits" of angles are clips, and boxes are clipped along their own axes:
/// nothing else is told. Deltas of angles have the angles' unit.
bool qnn::readBboxTransform(OpReader &r) {
  if (r.states("angle_bounds")) {
    std::vector<std::int64_t> bounds = r.integers("angle_bounds");
    if (bounds[0] > bounds[1])
      return r.bad("angle_bounds are not a range",
                   std::to_string(bounds[0]) + " to " +
                       std::to_string(bounds[1]),
                   "the lower bound first");
  }
  RotatedBoxes boxes(r);
  return boxes.readForm() && boxes.write();
}

bool qnn::readHeatMapMaxKeyPoint(OpReader &r) {
  Formula f(r, "keypoints");
  if (!f.expectRank(0, 4,
                    "[num_boxes, heatmap_height, heatmap_width, "
                    "num_keypoints]") ||
      !f.expectDims(1, {r.dims(0)[0], 4}))
    return false;
  if (r.dims(0)[1] != r.dims(0)[2] || r.dims(0)[1] < 2)
    return r.refuse("heatmaps of this shape are not supported",
                    dimsText(r.dims(0)), "as many rows as columns, 2 or more");
  std::vector<Tensor *> results = f.severalOf(
      kNnapiDomain, "HeatmapMaxKeypoint", {f.real(0), f.real(1)}, 2);
  f.write(results[0], 0);
  f.write(results[1], 1);
  return true;
}
