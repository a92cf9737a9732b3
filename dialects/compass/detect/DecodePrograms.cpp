//===- DecodePrograms.cpp - Boxes from anchors and deltas, as kernels -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/detect/BoxKeys.h"
#include "dialects/compass/detect/Choice.h"
#include "dialects/compass/detect/DetectOps.h"
#include "dialects/compass/detect/Suppression.h"
#include "kernels/detection/Decode.h"
#include "support/diagnostics/Operators.h"

#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static constexpr float kNoLimit = std::numeric_limits<float>::infinity();

/// Deltas, anchors and the result of a layer that decodes every box.
static kernels::DecodeShape shapeOfAll(const TensorInfo &deltas,
                                       const TensorInfo &anchors,
                                       uint32_t batch, uint32_t boxes,
                                       DType outType) {
  kernels::DecodeShape shape;
  shape.rows = {batch, boxes, boxes, 1};
  shape.deltaType = deltas.dtype, shape.anchorType = anchors.dtype;
  shape.outType = outType;
  return shape;
}

/// Parameters and tables of yk_decode_corners, from keys that BoundingBox and
/// MultiboxTransformLoc share.
static FailureOr<KernelCall *> callDecodeCorners(Operation *op,
                                                 LayerProgram &program,
                                                 kernels::DecodeShape shape,
                                                 const TensorInfo &anchors,
                                                 const TensorInfo &deltas) {
  auto heights = constantKey(op, keys::th_lut),
       widths = constantKey(op, keys::tw_lut);
  if (failed(heights) || failed(widths))
    return failure();
  kernels::DecodeCornersParams p;
  p.shape = shape;
  p.anchorZp = anchors.zp, p.deltaZp = deltas.zp;
  auto scales = intsKey(op, keys::box_scale_value),
       shifts = intsKey(op, keys::box_shift_value);
  for (unsigned i = 0; i < 5; ++i)
    p.scales[i] = int32_t(scales[i]), p.shifts[i] = int32_t(shifts[i]);
  p.deltaShift = int32_t(intKey(op, keys::delta_shift));
  p.log2Sizes[0] = log2Of(*heights), p.log2Sizes[1] = log2Of(*widths);
  KernelCall &call = program.call<kernels::DecodeCorners>(p);
  call["heightTable"] = *heights, call["widthTable"] = *widths;
  return &call;
}

LogicalResult BoundingBoxOp::buildProgram(LayerProgram &program) {
  TensorInfo boxes = describe(getOperand(0)), deltas = describe(getOperand(1)),
             out = describe(getResult(0));
  kernels::DecodeShape shape =
      shapeOfAll(deltas, boxes, uint32_t(boxes.shape[0]),
                 uint32_t(boxes.shape[1]), out.dtype);
  shape.anchorsPerImage = 1;
  KernelCall *call = nullptr;
  if (isIntegerLayer(*this)) {
    auto decode = callDecodeCorners(*this, program, shape, boxes, deltas);
    if (failed(decode))
      return failure();
    call = *decode;
  } else {
    kernels::DecodeFloatParams p{.shape = shape,
                                 .factors = {0.1f, 0.1f, 0.2f, 0.2f},
                                 .mostLog = kNoLimit,
                                 .mostSize = {kNoLimit, kNoLimit},
                                 .most = {1, 1}};
    call = &program.call<kernels::DecodeFloat>(p);
  }
  (*call)["deltas"] = operand(1), (*call)["anchors"] = operand(0);
  (*call)["output"] = result(0);
  return success();
}

/// Of each anchor the best class, and the anchors whose best score is above the
/// threshold.
static ChosenBoxes chooseAnchors(Operation *op, LayerProgram &program,
                                 const TensorInfo &scores, int32_t threshold,
                                 BufferBinding &best, BufferBinding &classes) {
  kernels::BestClassParams p;
  p.batch = uint32_t(scores.shape[0]), p.classes = uint32_t(scores.shape[1]);
  p.boxes = uint32_t(scores.shape[2]), p.type = scores.dtype;
  best = scratch(program, "best", p.type, {p.batch, p.boxes});
  classes = scratch(program, "classes", DType::I32, {p.batch, p.boxes});
  KernelCall &call = program.call<kernels::BestClass>(p);
  call["scores"] = operand(0);
  call["best"] = best, call["classes"] = classes;
  Choice choice;
  choice.scores = {.batch = p.batch,
                   .boxes = p.boxes,
                   .imageStride = p.boxes,
                   .type = p.type};
  choice.from = best, choice.threshold = threshold, choice.capacity = p.boxes;
  choice.perClass = typedResult(op, 1);
  return chooseBoxes(program, choice);
}

LogicalResult MultiboxTransformLocOp::buildProgram(LayerProgram &program) {
  TensorInfo scores = describe(getOperand(0)), deltas = describe(getOperand(1)),
             anchors = describe(getOperand(2)), out = describe(getResult(0));
  if (scores.shape[1] < 2)
    return layerError(*this, diag::OpShape, "layer_bottom_shape",
                      "there is no class except the background")
        .found(Twine(scores.shape[1]))
        .expected("at least 2 classes");
  bool integer = isIntegerLayer(*this);
  int32_t threshold =
      integer ? keyOfStored(numberKey(*this, keys::score_threshold_value))
              : keyOfReal(scoreThreshold(*this));
  BufferBinding best, classes;
  ChosenBoxes chosen =
      chooseAnchors(*this, program, scores, threshold, best, classes);

  kernels::DecodeShape shape =
      shapeOfAll(deltas, anchors, chosen.rows.batch, chosen.rows.boxes,
                 integer ? DType::I32 : DType::F32);
  shape.deltasXFirst = shape.anchorsXFirst = shape.outXFirst = 1;
  BufferBinding boxes = scratch(program, "boxes", shape.outType,
                                {shape.rows.batch, shape.rows.boxes, 4});
  KernelCall *decode = nullptr;
  if (integer) {
    auto call = callDecodeCorners(*this, program, shape, anchors, deltas);
    if (failed(call))
      return failure();
    decode = *call;
  } else {
    bool clips = boolKey(*this, keys::clip);
    float most = clips ? 1.0f : kNoLimit;
    kernels::DecodeFloatParams p{.shape = shape,
                                 .mostLog = kNoLimit,
                                 .mostSize = {kNoLimit, kNoLimit},
                                 .most = {most, most},
                                 .least = clips ? 0.0f : -kNoLimit};
    llvm::copy(multiboxFactors(*this), p.factors);
    decode = &program.call<kernels::DecodeFloat>(p);
  }
  (*decode)["deltas"] = operand(1), (*decode)["anchors"] = operand(2);
  (*decode)["places"] = chosen.places, (*decode)["output"] = boxes;

  kernels::ClassRowsParams rows;
  rows.rows = chosen.rows;
  rows.scoreType = scores.dtype, rows.boxType = shape.outType;
  rows.outType = out.dtype;
  if (integer) {
    rows.zp = scores.zp;
    rows.scale = int32_t(intsKey(*this, keys::score_scale_value)[0]);
    rows.shift = int32_t(intsKey(*this, keys::score_shift_value)[0]);
    setLimits(out, rows.lo, rows.hi);
  }
  KernelCall &call = program.call<kernels::ClassRows>(rows);
  call["places"] = chosen.places, call["scores"] = best;
  call["classes"] = classes, call["boxes"] = boxes;
  call["output"] = result(0);
  return success();
}

/// Size of the image in the boxes' unit, in floats.
static FailureOr<std::pair<float, float>> imageSize(Operation *op) {
  if (boolKey(op, keys::proposal_normalized))
    return std::pair(1.0f, 1.0f);
  const IntKey sides[2][2] = {{keys::image_height, keys::height},
                              {keys::image_width, keys::width}};
  float sizes[2];
  for (unsigned i = 0; i < 2; ++i) {
    IntKey key = op->hasAttr(sides[i][0]) ? sides[i][0] : sides[i][1];
    if (!op->hasAttr(key)) {
      missingKey(op, sides[i][0]);
      return failure();
    }
    sizes[i] = float(intKey(op, key));
  }
  return std::pair(sizes[0], sizes[1]);
}

/// In integers the sizes are the range of the coordinates.
static int32_t storedSize(Operation *op, IntKey key, IntKey other) {
  return int32_t(
      std::min<int64_t>(intKey(op, op->hasAttr(key) ? key : other), INT32_MAX));
}

static LogicalResult decodeFloatAnchors(Operation *op, LayerProgram &program,
                                        kernels::DecodeShape shape,
                                        ArrayRef<BufferBinding> anchors,
                                        const ChosenBoxes &chosen) {
  auto size = imageSize(op);
  if (failed(size))
    return failure();
  auto v = fourNumbers(op, keys::variance, {10, 10, 5, 5});
  kernels::DecodeFloatParams p{
      .shape = shape,
      .factors = {1 / v[0], 1 / v[1], 1 / v[2], 1 / v[3]},
      .mostLog = kNoLimit,
      .mostSize = {size->first, size->second},
      .most = {size->first, size->second}};
  KernelCall &call = program.call<kernels::DecodeFloat>(p);
  bindAnchors(call, "anchors", anchors);
  call["deltas"] = operand(1), call["places"] = chosen.places;
  call["output"] = result(0);
  return success();
}

static LogicalResult decodeIntAnchors(Operation *op, LayerProgram &program,
                                      kernels::DecodeShape shape,
                                      ArrayRef<BufferBinding> anchors,
                                      const ChosenBoxes &chosen) {
  auto tables = deltaTables(op);
  if (failed(tables))
    return failure();
  kernels::DecodeAnchorsParams p;
  p.shape = shape;
  setDeltaTables(p, *tables);
  p.shift = int32_t(intKey(op, keys::box_shift));
  p.leastSize = 0;
  p.most[0] = p.mostSize[0] = storedSize(op, keys::image_height, keys::height);
  p.most[1] = p.mostSize[1] = storedSize(op, keys::image_width, keys::width);
  KernelCall &call = program.call<kernels::DecodeAnchors>(p);
  bindAnchors(call, "yCentres", anchors);
  bindDeltaTables(call, *tables);
  call["deltas"] = operand(1), call["places"] = chosen.places;
  call["output"] = result(0);
  return success();
}

LogicalResult DecodeBoxOp::buildProgram(LayerProgram &program) {
  TensorInfo scores = describe(getOperand(0)), deltas = describe(getOperand(1)),
             boxes = describe(getResult(0));
  auto anchors = anchorCentres(*this);
  if (failed(anchors))
    return failure();
  bool integer = isIntegerLayer(*this);
  Choice choice;
  choice.scores =
      matrixOf(scores, scores.shape[2] - intKey(*this, keys::class_num));
  choice.from = operand(0);
  choice.threshold =
      integer ? keyOfStored(double(intKey(*this, keys::score_threshold_uint8) -
                                   scores.zp))
              : keyOfReal(numberKey(*this, keys::score_threshold));
  choice.capacity = uint32_t(boxes.shape[1]);
  choice.overflow = Overflow::Least;
  choice.perClass = typedResult(*this, 1);
  choice.classCount = typedResult(*this, 2);
  choice.labels = typedResult(*this, 4);
  ChosenBoxes chosen = chooseBoxes(program, choice);

  takeChosen(*this, program, chosen, choice, 3, integer ? scores.zp : 0);

  kernels::DecodeShape shape;
  shape.rows = chosen.rows;
  shape.deltaType = deltas.dtype, shape.outType = boxes.dtype;
  shape.anchorType = (*anchors)[0].view.dtype;
  return integer ? decodeIntAnchors(*this, program, shape, *anchors, chosen)
                 : decodeFloatAnchors(*this, program, shape, *anchors, chosen);
}
