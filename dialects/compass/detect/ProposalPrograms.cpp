//===- ProposalPrograms.cpp - Two-stage detectors as kernels --------------===//
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

#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static constexpr float kNoLimit = std::numeric_limits<float>::infinity();

//===----------------------------------------------------------------------===//
// DetectionOutput
//===----------------------------------------------------------------------===//

static void decodeDetectionsFloat(Operation *op, LayerProgram &program,
                                  const kernels::DecodeShape &shape,
                                  const BufferBinding &places) {
  auto v = fourNumbers(op, keys::variance, {10, 10, 5, 5});
  auto height = float(intKey(op, keys::image_height)),
       width = float(intKey(op, keys::image_width));
  kernels::DecodeFloatParams p{
      .shape = shape,
      .factors = {1 / v[0], 1 / v[1], 1 / v[2], 1 / v[3]},
      .mostLog = op->hasAttr(keys::bbox_xform_clip)
                     ? float(floatKey(op, keys::bbox_xform_clip))
                     : kNoLimit,
      .mostSize = {kNoLimit, kNoLimit},
      .most = {height, width}};
  KernelCall &call = program.call<kernels::DecodeFloat>(p);
  call["deltas"] = operand(1), call["anchors"] = operand(2);
  call["places"] = places, call["output"] = result(1);
}

static LogicalResult decodeDetectionsInt(Operation *op, LayerProgram &program,
                                         const kernels::DecodeShape &shape,
                                         const BufferBinding &places) {
  auto tables = deltaTables(op);
  if (failed(tables))
    return failure();
  kernels::DecodeProposalsParams p;
  p.shape = shape;
  setDeltaTables(p, *tables);
  auto scales = intsKey(op, keys::box_scale_value),
       shifts = intsKey(op, keys::box_shift_value),
       deltaShifts = intsKey(op, keys::delta_shift);
  for (unsigned k = 0; k < 3; ++k)
    p.scales[k] = int32_t(scales[k]), p.shifts[k] = int32_t(shifts[k]);
  for (unsigned k = 0; k < 2; ++k)
    p.deltaShifts[k] = int32_t(deltaShifts[k]);
  p.most[0] = keyOfStored(double(intKey(op, keys::height)));
  p.most[1] = keyOfStored(double(intKey(op, keys::width)));
  KernelCall &call = program.call<kernels::DecodeProposals>(p);
  call["deltas"] = operand(1), call["anchors"] = operand(2);
  bindDeltaTables(call, *tables);
  call["places"] = places, call["output"] = result(1);
  return success();
}

LogicalResult DetectionOutputOp::buildProgram(LayerProgram &program) {
  TensorInfo scores = describe(getOperand(0)), deltas = describe(getOperand(1)),
             proposals = describe(getOperand(2)),
             boxes = describe(getResult(1));
  bool integer = isIntegerLayer(*this);
  int64_t classes = scores.shape[2], background = classes > 1;
  Choice choice;
  choice.scores = matrixOf(scores, background);
  choice.from = operand(0);
  choice.threshold =
      integer ? keyOfStored(double(intKey(*this, keys::score_threshold_value)))
              : keyOfReal(numberKey(*this, keys::score_threshold));
  choice.capacity = uint32_t(boxes.shape[1]);
  choice.perClass = typedResult(*this, 2);
  choice.labels = typedResult(*this, 3);
  choice.classCount = typedResult(*this, 4);
  ChosenBoxes chosen = chooseBoxes(program, choice);
  takeChosen(*this, program, chosen, choice, 0);

  kernels::DecodeShape shape;
  shape.rows = chosen.rows;
  shape.deltaClasses = uint32_t(deltas.shape[2]);
  shape.firstClass = deltas.shape[2] == classes ? uint32_t(background) : 0;
  shape.anchorsPerImage = 1;
  bool isXFirst = wordKey(*this, keys::anchor_mode) == "CAFFE_DETECTION";
  shape.deltasXFirst = shape.anchorsXFirst = isXFirst;
  shape.deltaType = deltas.dtype, shape.anchorType = proposals.dtype;
  shape.outType = boxes.dtype;
  if (integer)
    return decodeDetectionsInt(*this, program, shape, chosen.places);
  decodeDetectionsFloat(*this, program, shape, chosen.places);
  return success();
}

//===----------------------------------------------------------------------===//
// Proposal
//===----------------------------------------------------------------------===//

LogicalResult ProposalOp::buildProgram(LayerProgram &program) {
  TensorInfo scores = describe(getOperand(0)), deltas = describe(getOperand(1)),
             boxes = describe(getResult(1));
  auto anchors = anchorCentres(*this);
  if (failed(anchors))
    return failure();
  bool integer = isIntegerLayer(*this);
  Choice choice;
  choice.scores = matrixOf(scores, 1);
  choice.scores.classes = 1; // that of an object
  choice.from = operand(0);
  choice.threshold =
      integer ? keyOfStored(double(intKey(*this, keys::score_threshold_value)))
              : keyOfReal(numberKey(*this, keys::score_threshold));
  choice.capacity = uint32_t(boxes.shape[1]);
  choice.perClass = typedResult(*this, 2);
  ChosenBoxes chosen = chooseBoxes(program, choice);
  takeChosen(*this, program, chosen, choice, 0);
  fillResult(*this, program, 3, 1);

  kernels::DecodeShape shape;
  shape.rows = chosen.rows;
  shape.deltaType = deltas.dtype, shape.outType = boxes.dtype;
  shape.anchorType = (*anchors)[0].view.dtype;
  int64_t height = intKey(*this, keys::height),
          width = intKey(*this, keys::width);
  KernelCall *call = nullptr;
  if (integer) {
    auto tables = deltaTables(*this);
    if (failed(tables))
      return failure();
    kernels::DecodeAnchorsParams p;
    p.shape = shape;
    setDeltaTables(p, *tables);
    p.shift = int32_t(intKey(*this, keys::box_shift_value));
    p.most[0] = keyOfStored(double(height));
    p.most[1] = keyOfStored(double(width));
    p.corners = kernels::CornerForm::EvenHalf;
    call = &program.call<kernels::DecodeAnchors>(p);
    bindAnchors(*call, "yCentres", *anchors);
    bindDeltaTables(*call, *tables);
  } else {
    kernels::DecodeFloatParams p{.shape = shape,
                                 .factors = {0.1f, 0.1f, 0.2f, 0.2f},
                                 .mostLog = kNoLimit,
                                 .mostSize = {kNoLimit, kNoLimit},
                                 .most = {float(height), float(width)}};
    call = &program.call<kernels::DecodeFloat>(p);
    bindAnchors(*call, "anchors", *anchors);
  }
  (*call)["deltas"] = operand(1), (*call)["places"] = chosen.places;
  (*call)["output"] = result(1);
  return success();
}
