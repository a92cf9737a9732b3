//===- BoxListPrograms.cpp - Lists of boxes filtered and merged -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/detect/BoxKeys.h"
#include "dialects/compass/detect/Choice.h"
#include "dialects/compass/detect/Suppression.h"
#include "dialects/compass/movement/Moving.h"
#include "dialects/compass/select/SelectOps.h"
#include "kernels/detection/Region.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult RegionFuseOp::buildProgram(LayerProgram &program) {
  TensorInfo scores = describe(getResult(0));
  bool integer = isIntegerLayer(*this);
  kernels::RegionFuseParams p;
  p.batch = uint32_t(scores.shape[0]), p.capacity = uint32_t(scores.shape[1]);
  p.classes = uint32_t(inputShape(*this, 4)[1]);
  for (unsigned r = 0; r < 2; ++r) {
    p.boxes[r] = uint32_t(inputShape(*this, r)[1]);
    p.perClassTypes[r] = describe(getOperand(4 + r)).dtype;
    p.labelTypes[r] = describe(getOperand(6 + r)).dtype;
    p.classCountTypes[r] = describe(getOperand(8 + r)).dtype;
  }
  p.outPerClassType = describe(getResult(2)).dtype;
  p.outLabelType = describe(getResult(3)).dtype;
  p.outClassCountType = describe(getResult(4)).dtype;
  BufferBinding places =
      scratch(program, "places", DType::I32, {p.batch, p.capacity});
  KernelCall &plan = program.call<kernels::RegionFuse>(p);
  const char *inputs[] = {"perClass1", "perClass2",   "labels1",
                          "labels2",   "classCount1", "classCount2"};
  for (unsigned i = 0; i < 6; ++i)
    plan[inputs[i]] = operand(4 + i);
  plan["places"] = places, plan["perClass"] = result(2);
  plan["labels"] = result(3), plan["classCount"] = result(4);

  for (bool isBox : {false, true}) {
    kernels::FuseRowsParams rows;
    rows.batch = p.batch, rows.capacity = p.capacity;
    rows.width = isBox ? 4 : 1;
    rows.outType = describe(getResult(isBox)).dtype;
    IntsKey scaleKey = keys::score_scale_value,
            shiftKey = keys::score_shift_value;
    if (isBox)
      scaleKey = keys::box_scale_value, shiftKey = keys::box_shift_value;
    auto scales = intsKey(*this, scaleKey), shifts = intsKey(*this, shiftKey);
    for (unsigned r = 0; r < 2; ++r) {
      TensorInfo in = describe(getOperand(2 * isBox + r));
      rows.boxes[r] = p.boxes[r], rows.types[r] = in.dtype;
      if (!integer)
        continue;
      rows.scales[r] = int32_t(scales[r]), rows.shifts[r] = int32_t(shifts[r]);
      // Of the input's type and of the result's.
      auto [lo, hi] = dtypeRange(in.storedType());
      setLimits(describe(getResult(isBox)), rows.lo[r], rows.hi[r]);
      rows.lo[r] = int32_t(std::max<int64_t>(lo, rows.lo[r]));
      rows.hi[r] = int32_t(std::min<int64_t>(hi, rows.hi[r]));
    }
    KernelCall &call = program.call<kernels::FuseRows>(rows);
    call["places"] = places;
    call["input1"] = operand(2 * isBox),
    call["input2"] = operand(2 * isBox + 1);
    call["output"] = result(isBox);
  }
  return success();
}

/// Rows of one list, moved as they are; \p fill where there are none.
static void moveRows(LayerProgram &program, const ChosenBoxes &chosen,
                     const TypedBinding &from, const TypedBinding &to,
                     int64_t width, int32_t fill) {
  kernels::TakeParams p;
  p.rows = chosen.rows;
  p.width = p.boxStride = uint32_t(width);
  p.type = from.info.dtype, p.outType = to.info.dtype;
  p.fill = fill;
  KernelCall &call = program.call<kernels::Take>(p);
  call["input"] = from.buffer, call["places"] = chosen.places;
  call["output"] = to.buffer;
}

/// Boxes whose key is above a threshold.
static Choice choiceOfKeys(const BufferBinding &keys, uint32_t batch,
                           uint32_t boxes, int32_t threshold,
                           uint32_t capacity) {
  Choice choice;
  choice.scores = {
      .batch = batch, .boxes = boxes, .imageStride = boxes, .type = DType::I32};
  choice.from = keys, choice.threshold = threshold, choice.capacity = capacity;
  return choice;
}

LogicalResult GetValidCountOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), indices = describe(getResult(2));
  if (failed(checkSameElement(*this, x, describe(getResult(1)))))
    return failure();
  auto batch = uint32_t(x.shape[0]), boxes = uint32_t(x.shape[1]);
  auto columnOf = [&](IntKey key) { return int32_t(intKey(*this, key)); };
  kernels::ValidKeysParams p;
  p.rows = batch * boxes, p.width = uint32_t(x.shape[2]);
  p.scoreIndex = columnOf(keys::score_index),
  p.idIndex = columnOf(keys::id_index);
  if (p.scoreIndex < 0)
    p.scoreIndex += int32_t(x.shape[2]);
  p.type = x.dtype;
  BufferBinding keys = scratch(program, "keys", DType::I32, {batch, boxes});
  KernelCall &call = program.call<kernels::ValidKeys>(p);
  call["input"] = operand(0), call["keys"] = keys;
  // Integer IR has the threshold under either name.
  bool hasValue = getOperation()->hasAttr(keys::score_threshold_value);
  int32_t threshold =
      !isIntegerLayer(*this)
          ? keyOfReal(numberKey(*this, keys::score_threshold))
          : keyOfStored(hasValue
                            ? double(intKey(*this, keys::score_threshold_value))
                            : numberKey(*this, keys::score_threshold));
  Choice choice = choiceOfKeys(keys, batch, boxes, threshold, boxes);
  choice.perClass = typedResult(*this, 0);
  ChosenBoxes chosen = chooseBoxes(program, choice);
  moveRows(program, chosen, typedOperand(*this, 0), typedResult(*this, 1),
           x.shape[2], /*fill=*/-1);
  kernels::PlaceNumbersParams places;
  places.count = batch * boxes, places.outType = indices.dtype;
  KernelCall &last = program.call<kernels::PlaceNumbers>(places);
  last["places"] = chosen.places, last["output"] = result(2);
  return success();
}

LogicalResult FilterBoxesOp::buildProgram(LayerProgram &program) {
  TensorInfo boxes = describe(getOperand(0)), scores = describe(getOperand(1)),
             outBoxes = describe(getResult(0));
  if (failed(checkSameElement(*this, boxes, outBoxes)) ||
      failed(checkSameElement(*this, scores, describe(getResult(1)))))
    return failure();
  kernels::LargeKeysParams p;
  p.batch = uint32_t(boxes.shape[0]);
  p.list.boxes = uint32_t(boxes.shape[1]);
  p.list.classes = uint32_t(inputShape(*this, 2)[1]);
  p.list.perClassType = describe(getOperand(2)).dtype;
  p.list.classCountType = describe(getOperand(4)).dtype;
  p.boxType = boxes.dtype, p.scoreType = scores.dtype;
  if (auto sizes =
          getOperation()->getAttrOfType<DenseF64ArrayAttr>(keys::min_size))
    for (unsigned i = 0; i < 2; ++i)
      p.minSize[i] = float(sizes[i]);
  BufferBinding keys =
      scratch(program, "keys", DType::I32, {p.batch, p.list.boxes});
  KernelCall &call = program.call<kernels::LargeKeys>(p);
  call["boxes"] = operand(0), call["scores"] = operand(1);
  call["perClass"] = operand(2), call["classCount"] = operand(4);
  call["keys"] = keys;

  double threshold = numberKey(*this, keys::score_threshold);
  auto capacity = uint32_t(outBoxes.shape[1]);
  ChosenBoxes chosen = chooseBoxes(
      program, choiceOfKeys(keys, p.batch, p.list.boxes,
                            isIntegerLayer(*this) ? keyOfStored(threshold)
                                                  : keyOfReal(threshold),
                            capacity));
  moveRows(program, chosen, typedOperand(*this, 0), typedResult(*this, 0), 4,
           /*fill=*/0);
  moveRows(program, chosen, typedOperand(*this, 1), typedResult(*this, 1), 1,
           /*fill=*/0);
  kernels::PlaceClassesParams classes;
  classes.list = p.list, classes.batch = p.batch, classes.capacity = capacity;
  classes.slots = uint32_t(declaredShape(*this, 2)[1]);
  classes.labelType = describe(getOperand(3)).dtype;
  classes.outPerClassType = describe(getResult(2)).dtype;
  classes.outLabelType = describe(getResult(3)).dtype;
  classes.outClassCountType = describe(getResult(4)).dtype;
  KernelCall &last = program.call<kernels::PlaceClasses>(classes);
  last["places"] = chosen.places, last["perClass"] = operand(2);
  last["classCount"] = operand(4), last["labels"] = operand(3);
  last["outPerClass"] = result(2), last["outLabels"] = result(3);
  last["outClassCount"] = result(4);
  return success();
}

LogicalResult PostNMS1Op::buildProgram(LayerProgram &program) {
  TensorInfo boxes = describe(getOperand(0)), out = describe(getResult(0)),
             normalised = describe(getResult(1));
  if (failed(checkSameElement(*this, boxes, out)))
    return failure();
  kernels::KeptPlacesParams p;
  p.batch = uint32_t(boxes.shape[0]), p.boxes = uint32_t(boxes.shape[1]);
  p.kept = uint32_t(inputShape(*this, 1)[1]);
  p.classes = uint32_t(inputShape(*this, 2)[1]);
  p.capacity = uint32_t(out.shape[1]);
  p.keepType = describe(getOperand(1)).dtype;
  p.perClassType = describe(getOperand(2)).dtype;
  ChosenBoxes chosen;
  chosen.rows = {p.batch, p.capacity, p.boxes, 1};
  chosen.places = scratch(program, "places", DType::I32, {p.batch, p.capacity});
  KernelCall &places = program.call<kernels::KeptPlaces>(p);
  places["keep"] = operand(1), places["perClass"] = operand(2);
  places["places"] = chosen.places;
  moveRows(program, chosen, typedOperand(*this, 0), typedResult(*this, 0), 4,
           /*fill=*/0);

  kernels::NormalisedParams n;
  n.count = uint32_t(out.numElements());
  n.type = out.dtype, n.outType = normalised.dtype;
  int64_t height = intKey(*this, keys::image_height),
          width = intKey(*this, keys::image_width);
  n.divisor = float(std::max(height, width));
  if (isIntegerLayer(*this)) {
    n.zp = boxes.zp, n.outZp = normalised.zp;
    const IntsKey forms[2][2] = {
        {keys::nor_box_scale_h, keys::nor_box_shift_h},
        {keys::nor_box_scale_w, keys::nor_box_shift_w}};
    for (unsigned i = 0; i < 2; ++i) {
      n.scales[i] = int32_t(intsKey(*this, forms[i][0])[0]);
      n.shifts[i] = int32_t(intsKey(*this, forms[i][1])[0]);
    }
    setLimits(normalised, n.lo, n.hi);
  }
  KernelCall &call = program.call<kernels::Normalised>(n);
  call["input"] = result(0), call["output"] = result(1);
  return success();
}
