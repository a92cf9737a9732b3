//===- GenerateProposals.cpp - A region proposal network's boxes ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every box is decoded, the boxes are ranked, those of least overlap stay.
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

namespace {

/// Anchors of all cells: y and x of the centres, heights, widths.
using AnchorPlanes = std::array<std::vector<float>, 4>;

/// From the layer's constant: four planes of widths, heights, x and y, or the
/// corners x1, y1, x2, y2 of the anchors of one cell, which stand in every cell
/// (whose sides include both ends).
FailureOr<AnchorPlanes> anchorPlanes(Operation *op, int64_t rows,
                                     int64_t columns, int64_t perCell) {
  auto weights = constantKey(op, keys::weights);
  if (failed(weights))
    return failure();
  const ConstantView &view = weights->view;
  AnchorPlanes planes;
  int64_t boxes = rows * columns * perCell;
  if (view.numElements() == 4 * boxes) {
    constexpr int kPlaneOf[] = {3, 2, 1, 0};
    for (int k = 0; k < 4; ++k)
      for (int64_t i = 0; i < boxes; ++i)
        planes[kPlaneOf[k]].push_back(float(view.floatAt(k * boxes + i)));
    return planes;
  }
  if (view.numElements() != 4 * perCell) {
    layerError(
        op, diag::OpShape, "weights_shape",
        "the anchors are neither those of all cells nor those of one cell")
        .found(Twine(view.numElements()))
        .expected(Twine(4 * boxes) + " or " + Twine(4 * perCell) + " numbers");
    return failure();
  }
  double strides[] = {double(intKey(op, keys::image_height)) / double(rows),
                      double(intKey(op, keys::image_width)) / double(columns)};
  for (int64_t i = 0; i < boxes; ++i) {
    int64_t cell = i / perCell, anchor = i % perCell;
    int64_t at[] = {cell / columns, cell % columns};
    for (int axis : {0, 1}) {
      double low = view.floatAt(4 * anchor + 1 - axis),
             high = view.floatAt(4 * anchor + 3 - axis);
      double size = high - low + 1;
      planes[axis].push_back(
          float(low + size / 2 + double(at[axis]) * strides[axis]));
      planes[axis + 2].push_back(float(size));
    }
  }
  return planes;
}

BufferBinding constantOf(const std::vector<float> &values) {
  std::vector<char> bytes(sizeof(float) * values.size());
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant({int64_t(values.size())}, DType::F32, std::move(bytes));
}

LogicalResult decodeFloat(Operation *op, LayerProgram &program,
                          const kernels::DecodeShape &shape,
                          const BufferBinding &boxes) {
  ArrayRef<int64_t> scores = inputShape(op, 0);
  auto planes = anchorPlanes(op, scores[1], scores[2], scores[3]);
  if (failed(planes))
    return failure();
  constexpr float kNoLimit = std::numeric_limits<float>::infinity();
  auto height = float(intKey(op, keys::image_height)),
       width = float(intKey(op, keys::image_width));
  kernels::DecodeFloatParams p{.shape = shape,
                               .mostLog = kNoLimit,
                               .mostSize = {kNoLimit, kNoLimit},
                               .most = {height - 1, width - 1}};
  KernelCall &call = program.call<kernels::DecodeFloat>(p);
  bindAnchors(call, "anchors",
              {constantOf((*planes)[0]), constantOf((*planes)[1]),
               constantOf((*planes)[2]), constantOf((*planes)[3])});
  call["deltas"] = operand(1);
  call["output"] = boxes;
  return success();
}

LogicalResult decodeInt(Operation *op, LayerProgram &program,
                        kernels::DecodeShape shape,
                        const BufferBinding &boxes) {
  auto anchors = constantKeys(
      op, {keys::ycenter_a_q, keys::xcenter_a_q, keys::ha_q, keys::wa_q});
  auto tables = constantKeys(
      op, {keys::xy_lut, keys::xy_lut, keys::wh_lut, keys::wh_lut});
  if (failed(anchors) || failed(tables))
    return failure();
  kernels::DecodeAnchorsParams p;
  shape.anchorType = (*anchors)[0].view.dtype;
  p.shape = shape;
  setDeltaTables(p, *tables);
  for (unsigned k = 0; k < 4; ++k)
    if ((*anchors)[k].view.numElements() != shape.rows.boxes)
      return layerError(op, diag::OpShape, "wa_q_shape",
                        "there is not one anchor per score")
          .found(Twine((*anchors)[k].view.numElements()))
          .expected(Twine(shape.rows.boxes));
  p.shift = int32_t(intKey(op, keys::delta_shift));
  int64_t unit = intKey(op, keys::anchor_scale);
  for (int axis : {0, 1}) {
    IntKey side = axis == 0 ? keys::image_height : keys::image_width;
    int64_t most = (intKey(op, side) - 1) * unit;
    if (most < 0 || most > 32767)
      return layerError(op, diag::OpBadAttribute, keys::anchor_scale,
                        "coordinates of the image do not fit 16 bits")
          .found(Twine(unit));
    p.most[axis] = int32_t(most);
  }
  p.corners = kernels::CornerForm::TruncHalf;
  KernelCall &call = program.call<kernels::DecodeAnchors>(p);
  call["deltas"] = operand(1);
  bindAnchors(call, "yCentres", *anchors);
  bindDeltaTables(call, *tables);
  call["output"] = boxes;
  return success();
}

} // namespace

LogicalResult GenerateProposalsOp::buildProgram(LayerProgram &program) {
  TensorInfo scores = describe(getOperand(0)), deltas = describe(getOperand(1)),
             outBoxes = describe(getResult(1)),
             outScores = describe(getResult(0));
  if (scores.dtype != outScores.dtype)
    return layerError(*this, diag::OpElementType, "layer_top_type",
                      "scores keep their type")
        .found(dtypeName(outScores.storedType()))
        .expected(dtypeName(scores.storedType()));
  bool integer = isIntegerLayer(*this);
  int64_t batch = scores.shape[0], count = product(scores.shape) / batch;
  kernels::DecodeShape shape;
  shape.rows = {uint32_t(batch), uint32_t(count), uint32_t(count), 1};
  shape.deltasXFirst = shape.outXFirst = 1;
  shape.deltaType = deltas.dtype;
  shape.outType = integer ? DType::I16 : DType::F32;
  BufferBinding boxes =
      scratch(program, "boxes", shape.outType, {batch, count, 4});
  if (failed(integer ? decodeInt(*this, program, shape, boxes)
                     : decodeFloat(*this, program, shape, boxes)))
    return failure();

  CandidateBoxes candidates;
  candidates.list.boxes = uint32_t(count);
  candidates.batch = uint32_t(batch);
  candidates.boxType = shape.outType, candidates.scoreType = scores.dtype;
  candidates.boxes = boxes, candidates.scores = operand(0);
  candidates.perClass = repeated(int32_t(count), batch);
  candidates.classCount = repeated(1, batch);
  BufferBinding entries = rankCandidates(program, candidates, INT32_MIN);
  kernels::NmsShape nms = suppressionShape(candidates);
  nms.most = uint32_t(intKey(*this, keys::post_nms_topn));
  nms.considered = uint32_t(intKey(*this, keys::pre_nms_topn));
  SuppressedBoxes kept;
  if (integer) {
    kernels::NmsIntParams p;
    p.shape = nms;
    p.scoreThreshold = INT32_MIN;
    p.areaShift = 15, p.iouShift = 11;
    p.iouThreshold = keyOfStored(numberKey(*this, keys::iou_threshold));
    p.minSize = keyOfStored(double(intKey(*this, keys::min_size)));
    KernelCall &call = program.call<kernels::NmsInt>(p);
    kept = bindSuppression(program, candidates, entries, nms, call);
  } else {
    kernels::NmsFloatParams p;
    p.shape = nms;
    p.scoreThreshold = -std::numeric_limits<float>::infinity();
    p.iouThreshold = float(numberKey(*this, keys::iou_threshold));
    p.sideExtra = 1;
    p.minSize = float(intKey(*this, keys::min_size));
    KernelCall &call = program.call<kernels::NmsFloat>(p);
    kept = bindSuppression(program, candidates, entries, nms, call);
  }
  kernels::NmsEmitParams emit;
  emit.batch = candidates.batch, emit.boxes = candidates.list.boxes;
  emit.capacity = uint32_t(outBoxes.shape[1]);
  emit.boxType = shape.outType, emit.outBoxType = outBoxes.dtype;
  emit.scoreType = scores.dtype;
  emit.perClassType = describe(getResult(3)).dtype;
  setLimits(outBoxes, emit.lo, emit.hi);
  KernelCall &call = program.call<kernels::NmsEmit>(emit);
  bindEmit(candidates, kept, call);
  call["outBoxes"] = result(1), call["outPerClass"] = result(3);
  call["outScores"] = result(0);
  call["outIndices"] =
      scratch(program, "indices", DType::I32, {batch, emit.capacity});
  fillResult(*this, program, 2, 0);
  return success();
}
