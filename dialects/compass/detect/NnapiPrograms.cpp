//===- NnapiPrograms.cpp - Boxes as NNAPI has them, as kernels ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Suppressions are those of Nms.h. Where NNAPI drops what is less than a bound,
// or overlaps as much as one, these drop what is no more than the float before
// it: the same.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/detect/BoxKeys.h"
#include "dialects/compass/detect/DetectOps.h"
#include "dialects/compass/detect/Suppression.h"
#include "dialects/compass/movement/StridedCopy.h"
#include "kernels/detection/BoxGroups.h"
#include "kernels/detection/BoxTransform.h"
#include "kernels/detection/Keypoint.h"
#include "kernels/detection/Take.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The greatest float below \p bound.
float below(double bound) { return std::nextafter(float(bound), -kInfinity); }

/// Boxes of float32 in lists of images, \p groups of them \p perGroup each.
CandidateBoxes candidatesOf(int64_t images, int64_t groups, int64_t perGroup) {
  CandidateBoxes candidates;
  candidates.batch = uint32_t(images);
  candidates.list.boxes = uint32_t(groups * perGroup);
  candidates.list.classes = uint32_t(groups);
  candidates.perClass = repeated(int32_t(perGroup), images * groups);
  candidates.classCount = repeated(int32_t(groups), images);
  return candidates;
}

/// Of boxes whose score is \p least or more those that \p p keeps; its shape is
/// that of the boxes but for method, number and side.
SuppressedBoxes suppress(LayerProgram &program,
                         const CandidateBoxes &candidates, double least,
                         kernels::NmsFloatParams p) {
  BufferBinding entries =
      rankCandidates(program, candidates, keyOfReal(below(least)));
  kernels::NmsShape shape = suppressionShape(candidates);
  shape.method = p.shape.method;
  shape.most = p.shape.most, shape.considered = p.shape.considered;
  p.shape = shape;
  KernelCall &call = program.call<kernels::NmsFloat>(p);
  return bindSuppression(program, candidates, entries, shape, call);
}

kernels::GroupLists listsOf(const CandidateBoxes &candidates,
                            int64_t perBlock) {
  return {candidates.batch, candidates.list.boxes, candidates.list.classes,
          uint32_t(perBlock)};
}

/// How many boxes of each group stay.
BufferBinding limit(LayerProgram &program, const kernels::GroupLists &lists,
                    const SuppressedBoxes &kept, uint32_t most) {
  BufferBinding taken =
      scratch(program, "taken", DType::I32, {lists.images, lists.groups});
  KernelCall &call = program.call<kernels::LimitGroups>({lists, most});
  call["lists"] = kept.lists, call["keptScores"] = kept.scores;
  call["taken"] = taken;
  return taken;
}

/// All that stays in one list; the caller binds results, and perhaps numbers
/// and how many boxes of each group stay.
KernelCall &callRows(LayerProgram &program, const kernels::GroupRowsParams &p,
                     const CandidateBoxes &candidates,
                     const SuppressedBoxes &kept) {
  KernelCall &call = program.call<kernels::GroupRows>(p);
  bindEmit(candidates, kept, call);
  return call;
}

/// Each group gives up to \p most boxes: an image's best are among these.
kernels::NmsFloatParams limitedParams(Operation *op, uint32_t most) {
  kernels::NmsFloatParams p;
  p.shape.method =
      llvm::StringSwitch<kernels::NmsMethod>(wordKey(op, keys::method, "HARD"))
          .Case("GAUSSIAN", kernels::NmsMethod::Gaussian)
          .Case("LINEAR", kernels::NmsMethod::Linear)
          .Default(kernels::NmsMethod::Hard);
  p.shape.most = most;
  p.scoreThreshold = below(numberKey(op, keys::nms_score_threshold));
  p.iouThreshold = below(numberKey(op, keys::iou_threshold));
  // Without a width only boxes that do not overlap keep their score.
  double sigma = numberKey(op, keys::soft_nms_sigma);
  constexpr float kSteepest = -std::numeric_limits<float>::max();
  p.decay = sigma > 0 ? std::max(float(-1 / sigma), kSteepest) : kSteepest;
  return p;
}

} // namespace

LogicalResult BoxTransformOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> deltas = inputShape(*this, 1);
  kernels::BoxTransformParams p;
  p.perBox = uint32_t(deltas[1] / 4);
  p.rows = uint32_t(deltas[0]) * p.perBox;
  p.images = uint32_t(inputShape(*this, 3)[0]);
  p.anchors = uint32_t(deltas[0]);
  KernelCall &call = program.call<kernels::BoxTransform>(p);
  call["anchors"] = operand(0), call["deltas"] = operand(1);
  call["numbers"] = operand(2), call["sizes"] = operand(3);
  call["output"] = result(0);
  return success();
}

LogicalResult LimitedNMSOp::buildProgram(LayerProgram &program) {
  int64_t boxes = inputShape(*this, 0)[0], classes = inputShape(*this, 0)[1],
          perBox = classes - 1, groups = boxes * perBox;
  CandidateBoxes candidates;
  candidates.list.boxes = candidates.list.classes = uint32_t(groups);
  candidates.scores = scratch(program, "group_scores", DType::F32, {groups});
  candidates.boxes = scratch(program, "group_boxes", DType::F32, {groups, 4});
  candidates.perClass = scratch(program, "per_group", DType::I32, {groups});
  candidates.classCount = repeated(int32_t(groups), 1);
  KernelCall &grouped = program.call<kernels::BoxGroups>(
      {.boxes = uint32_t(boxes), .classes = uint32_t(classes)});
  grouped["scores"] = operand(0), grouped["boxes"] = operand(1);
  grouped["numbers"] = operand(2);
  grouped["groupScores"] = candidates.scores;
  grouped["groupBoxes"] = candidates.boxes;
  grouped["perGroup"] = candidates.perClass;

  int64_t limitKey = intKey(*this, keys::max_output_size);
  // No image has more boxes than there are groups of one.
  auto most = uint32_t(limitKey < 0 ? groups : std::min(limitKey, groups));
  SuppressedBoxes kept =
      suppress(program, candidates, numberKey(*this, keys::score_threshold),
               limitedParams(*this, most));
  kernels::GroupLists lists = listsOf(candidates, perBox);
  kernels::GroupRowsParams rows{lists};
  rows.capacity = uint32_t(declaredShape(*this, 0)[0]);
  rows.firstClass = 1;
  BufferBinding taken = limit(program, lists, kept, most);
  KernelCall &call = callRows(program, rows, candidates, kept);
  call["taken"] = taken, call["numbers"] = operand(2);
  call["scores"] = result(0), call["outBoxes"] = result(1);
  call["classes"] = result(2), call["outNumbers"] = result(3);
  call["count"] = result(4);
  return success();
}

LogicalResult BoxProposalsOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> scores = inputShape(*this, 0);
  int64_t images = scores[0], perImage = product(scores) / images;
  kernels::BoxTransformParams move;
  move.rows = uint32_t(product(scores));
  move.images = uint32_t(images), move.anchors = uint32_t(scores[3]);
  move.form = kernels::AnchorForm::Cells;
  move.gridColumns = uint32_t(scores[2]);
  move.strides[0] = float(numberKey(*this, keys::width_stride));
  move.strides[1] = float(numberKey(*this, keys::height_stride));
  CandidateBoxes candidates = candidatesOf(images, 1, perImage);
  candidates.scores = operand(0);
  candidates.boxes =
      scratch(program, "moved", DType::F32, {images, perImage, 4});
  KernelCall &moved = program.call<kernels::BoxTransform>(move);
  moved["anchors"] = operand(2), moved["deltas"] = operand(1);
  moved["sizes"] = operand(3), moved["output"] = candidates.boxes;

  auto mostOf = [&](IntKey key) {
    int64_t most = intKey(*this, key);
    return most > 0 ? uint32_t(std::min(most, perImage)) : uint32_t(perImage);
  };
  kernels::NmsFloatParams p;
  p.shape.considered = mostOf(keys::pre_nms_topn);
  p.shape.most = mostOf(keys::post_nms_topn);
  p.iouThreshold = below(numberKey(*this, keys::iou_threshold));
  p.minSize = below(numberKey(*this, keys::min_size));
  SuppressedBoxes kept = suppress(program, candidates, -kInfinity, p);
  kernels::GroupLists lists = listsOf(candidates, 1);
  kernels::GroupRowsParams rows{lists};
  rows.capacity = uint32_t(declaredShape(*this, 0)[0]);
  KernelCall &call = callRows(program, rows, candidates, kept);
  call["scores"] = result(0), call["outBoxes"] = result(1);
  call["classes"] = scratch(program, "classes", DType::I32, {rows.capacity});
  call["outNumbers"] = result(2), call["count"] = result(3);
  return success();
}

namespace {

/// The boxes of all images, [images, boxes, 4].
BufferBinding decode(Operation *op, LayerProgram &program) {
  ArrayRef<int64_t> deltas = inputShape(op, 1);
  kernels::BoxTransformParams p;
  p.rows = uint32_t(deltas[0] * deltas[1]);
  p.images = uint32_t(deltas[0]), p.anchors = uint32_t(deltas[1]);
  p.form = kernels::AnchorForm::Centres;
  p.deltaLength = uint32_t(deltas[2]);
  std::array<float, 4> variance = fourNumbers(op, keys::variance, {1, 1, 1, 1});
  for (auto [factor, divisor] : llvm::zip(p.factors, variance))
    factor = 1 / divisor;
  BufferBinding boxes =
      scratch(program, "decoded", DType::F32, {deltas[0], deltas[1], 4});
  KernelCall &call = program.call<kernels::BoxTransform>(p);
  call["anchors"] = operand(2), call["deltas"] = operand(1);
  call["output"] = boxes;
  return boxes;
}

/// Every class's list of all boxes.
FailureOr<CandidateBoxes> listsOfClasses(Operation *op, LayerProgram &program,
                                         const BufferBinding &decoded) {
  ArrayRef<int64_t> scores = inputShape(op, 0);
  int64_t images = scores[0], boxes = scores[1], classes = scores[2] - 1,
          row = scores[2];
  CandidateBoxes candidates = candidatesOf(images, classes, boxes);
  candidates.scores =
      scratch(program, "class_scores", DType::F32, {images, classes, boxes});
  candidates.boxes =
      scratch(program, "class_boxes", DType::F32, {images, classes, boxes, 4});
  if (failed(appendCopy(
          op, program,
          axesInto({images, classes, boxes}, {boxes * row, 1, row}),
          {.from = operand(0), .to = candidates.scores, .fromOffset = 1})) ||
      failed(
          appendCopy(op, program,
                     axesInto({images, classes, boxes * 4}, {boxes * 4, 0, 1}),
                     {.from = decoded, .to = candidates.boxes})))
    return failure();
  return candidates;
}

/// One list of all boxes with the scores of their best classes.
FailureOr<CandidateBoxes> listOfBest(Operation *op, LayerProgram &program,
                                     const BufferBinding &decoded) {
  ArrayRef<int64_t> scores = inputShape(op, 0);
  int64_t images = scores[0], boxes = scores[1];
  CandidateBoxes candidates = candidatesOf(images, 1, boxes);
  candidates.boxes = decoded;
  BufferBinding byClass =
      scratch(program, "class_scores", DType::F32, {images, scores[2], boxes});
  if (failed(appendCopy(op, program, permutedAxes(scores, {0, 2, 1}),
                        {.from = operand(0), .to = byClass})))
    return failure();
  candidates.scores = scratch(program, "best", DType::F32, {images, boxes});
  KernelCall &call =
      program.call<kernels::BestClass>({.batch = uint32_t(images),
                                        .classes = uint32_t(scores[2]),
                                        .boxes = uint32_t(boxes)});
  call["scores"] = byClass, call["best"] = candidates.scores;
  call["classes"] =
      scratch(program, "best_classes", DType::I32, {images, boxes});
  return candidates;
}

} // namespace

LogicalResult DetectionPostProcessOp::buildProgram(LayerProgram &program) {
  bool isBest = wordKey(*this, keys::method, "BEST") == "BEST";
  BufferBinding decoded = decode(*this, program);
  auto candidates = isBest ? listOfBest(*this, program, decoded)
                           : listsOfClasses(*this, program, decoded);
  if (failed(candidates))
    return failure();
  kernels::BestRowsParams rows;
  rows.lists = listsOf(*candidates, candidates->list.classes);
  rows.capacity = uint32_t(intKey(*this, keys::max_output_size));
  rows.firstLabel = boolKey(*this, keys::with_background) ? 1 : 0;
  kernels::NmsFloatParams p;
  p.shape.most = rows.capacity;
  p.iouThreshold = below(numberKey(*this, keys::iou_threshold));
  if (isBest) {
    rows.perBox = uint32_t(intKey(*this, keys::max_classes_per_detection));
    rows.classes = uint32_t(inputShape(*this, 0)[2]);
  } else {
    p.shape.most = uint32_t(intKey(*this, keys::max_detections_per_class));
  }
  SuppressedBoxes kept = suppress(program, *candidates,
                                  numberKey(*this, keys::score_threshold), p);
  KernelCall &call = program.call<kernels::BestRows>(rows);
  bindEmit(*candidates, kept, call);
  if (isBest)
    call["classScores"] = operand(0);
  call["taken"] = scratch(program, "taken", DType::I32,
                          {rows.lists.images, rows.lists.groups});
  call["scores"] = result(0), call["outBoxes"] = result(1);
  call["labels"] = result(2), call["count"] = result(3);
  return success();
}

LogicalResult HeatmapMaxKeypointOp::buildProgram(LayerProgram &program) {
  ArrayRef<int64_t> maps = inputShape(*this, 0);
  KernelCall &call =
      program.call<kernels::Keypoint>({.boxes = uint32_t(maps[0]),
                                       .size = uint32_t(maps[1]),
                                       .maps = uint32_t(maps[3])});
  call["heatmaps"] = operand(0), call["boxes"] = operand(1);
  call["scores"] = result(0), call["keypoints"] = result(1);
  return success();
}
