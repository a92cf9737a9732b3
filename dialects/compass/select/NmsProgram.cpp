//===- NmsProgram.cpp - Non-maximum suppression as kernels ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/detect/BoxKeys.h"
#include "dialects/compass/detect/Suppression.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/select/SelectOps.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// The kernel's shape of the layer.
kernels::NmsShape shapeOfLayer(NMSOp op, const CandidateBoxes &candidates) {
  kernels::NmsShape shape = suppressionShape(candidates);
  shape.most = uint32_t(intKey(op, keys::max_output_size));
  shape.isCentred = intKey(op, keys::center_point_box) == 1;
  shape.method =
      StringSwitch<kernels::NmsMethod>(wordKey(op, keys::method, "HARD"))
          .Case("GAUSSIAN", kernels::NmsMethod::Gaussian)
          .Case("LINEAR", kernels::NmsMethod::Linear)
          .Default(kernels::NmsMethod::Hard);
  return shape;
}

kernels::NmsFloatParams floatParams(NMSOp op, kernels::NmsShape shape) {
  kernels::NmsFloatParams p;
  p.shape = shape;
  p.scoreThreshold = float(numberKey(op, keys::score_threshold));
  p.iouThreshold = float(numberKey(op, keys::iou_threshold));
  // Without a width only boxes that do not overlap keep their score.
  double sigma = numberKey(op, keys::soft_nms_sigma);
  p.decay =
      sigma > 0 ? float(-0.5 / sigma) : -std::numeric_limits<float>::max();
  p.decay = std::max(p.decay, -std::numeric_limits<float>::max());
  return p;
}

/// Shifts of products; kernels take no others.
LogicalResult checkShift(Operation *op, IntsKey key) {
  int64_t shift = intKey(op, IntKey::ofRecord(key));
  if (shift >= 0 && shift <= 31)
    return success();
  return layerError(op, diag::OpBadAttribute, key,
                    "the key " + key + " is out of range")
      .found(Twine(shift))
      .expected("0 to 31");
}

LogicalResult setIntParams(NMSOp op, const TensorInfo &boxes,
                           kernels::NmsIntParams &p) {
  if (failed(checkShift(op, keys::areas_shift)) ||
      failed(checkShift(op, keys::iou_thresh_shift)))
    return failure();
  p.scoreThreshold = keyOfStored(numberKey(op, keys::score_threshold));
  p.zp = boxes.zp;
  p.areaShift = int32_t(intKey(op, keys::areas_shift));
  p.iouThreshold = keyOfStored(numberKey(op, keys::iou_threshold));
  p.iouShift = int32_t(intKey(op, keys::iou_thresh_shift));
  return success();
}

/// Decays by overlap, of as many levels as there are entries.
LogicalResult bindTables(NMSOp op, kernels::NmsIntParams &p,
                         BufferBinding &factors, BufferBinding &shifts) {
  using Named = std::pair<TensorKey, BufferBinding *>;
  for (auto [key, to] : {Named(keys::gaussian_scale_lut, &factors),
                         Named(keys::gaussian_shift_lut, &shifts)}) {
    ElementsAttr table = tensorKey(op, key);
    if (!table)
      return missingKey(op, key);
    *to = constant(table);
  }
  int64_t levels = factors.view.numElements();
  if (shifts.view.numElements() == levels && levels > 1) {
    p.levels = uint32_t(levels);
    return success();
  }
  return layerError(op, diag::OpBadAttribute, keys::gaussian_shift_lut,
                    "the tables of the decay differ in length")
      .found(Twine(shifts.view.numElements()))
      .expected(Twine(levels));
}

} // namespace

LogicalResult NMSOp::buildProgram(LayerProgram &program) {
  TensorInfo boxes = describe(getOperand(0)), scores = describe(getOperand(3)),
             outBoxes = describe(getResult(0)),
             outScores = describe(getResult(2));
  if (failed(checkSameElement(*this, scores, outScores)))
    return failure();
  CandidateBoxes candidates;
  candidates.list.boxes = uint32_t(boxes.shape[1]);
  candidates.list.classes = uint32_t(inputShape(*this, 1)[1]);
  candidates.list.perClassType = describe(getOperand(1)).dtype;
  candidates.list.classCountType = describe(getOperand(2)).dtype;
  candidates.batch = uint32_t(boxes.shape[0]);
  candidates.boxType = boxes.dtype, candidates.scoreType = scores.dtype;
  candidates.boxes = operand(0), candidates.scores = operand(3);
  candidates.perClass = operand(1), candidates.classCount = operand(2);

  kernels::NmsEmitParams emit;
  emit.batch = candidates.batch, emit.boxes = candidates.list.boxes;
  emit.classes = candidates.list.classes;
  emit.capacity = uint32_t(outBoxes.shape[1]);
  emit.boxType = boxes.dtype, emit.outBoxType = outBoxes.dtype;
  emit.scoreType = scores.dtype;
  emit.perClassType = describe(getResult(1)).dtype;
  emit.indexType = describe(getResult(3)).dtype;

  kernels::NmsShape shape = shapeOfLayer(*this, candidates);
  double threshold = numberKey(*this, keys::score_threshold);
  SuppressedBoxes kept;
  if (isIntegerLayer(*this)) {
    kernels::NmsIntParams p;
    p.shape = shape;
    BufferBinding factors, shifts;
    if (failed(setIntParams(*this, boxes, p)) ||
        (shape.method == kernels::NmsMethod::Gaussian &&
         failed(bindTables(*this, p, factors, shifts))) ||
        failed(checkShift(*this, keys::shift_value)))
      return failure();
    BufferBinding entries =
        rankCandidates(program, candidates, keyOfStored(threshold));
    KernelCall &call = program.call<kernels::NmsInt>(p);
    call["factors"] = factors, call["shifts"] = shifts;
    kept = bindSuppression(program, candidates, entries, shape, call);
    emit.zp = boxes.zp;
    emit.scale = int32_t(intsKey(*this, keys::scale_value)[0]);
    emit.shift = int32_t(intsKey(*this, keys::shift_value)[0]);
    auto [lo, hi] = dtypeRange(outBoxes.storedType());
    emit.lo = int32_t(outBoxes.isQuantized() ? outBoxes.lo : lo);
    emit.hi = int32_t(outBoxes.isQuantized() ? outBoxes.hi : hi);
  } else {
    BufferBinding entries =
        rankCandidates(program, candidates, keyOfReal(threshold));
    KernelCall &call =
        program.call<kernels::NmsFloat>(floatParams(*this, shape));
    kept = bindSuppression(program, candidates, entries, shape, call);
  }
  KernelCall &call = program.call<kernels::NmsEmit>(emit);
  bindEmit(candidates, kept, call);
  call["outBoxes"] = result(0), call["outPerClass"] = result(1);
  call["outScores"] = result(2), call["outIndices"] = result(3);
  return success();
}
